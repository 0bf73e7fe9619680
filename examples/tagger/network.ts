/** @file The network of the page: an encoder that has only filled gaps in sentences, and a new head for four labels. */
import { fromPretrained, loadTokenizer, type TokenClassifier } from 'retrograd/hub';

/** What a word can be. */
export const labels = ['none', 'person', 'place', 'organization'] as const;

/** The part of a tokenizer that is used here. */
export interface Coder {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
}

export interface Network {
  readonly net: TokenClassifier;
  readonly coder: Coder;
}

/** Fetched by name: a folder's address would also be asked for files that this network hasn't, and the console would show that. */
const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];

/** Loads the files below `address`. */
export async function openNetwork(address: URL): Promise<Network> {
  const fetched = names.map(async (name) => {
    const response = await fetch(new URL(name, address));
    if (!response.ok) throw new Error(`The network is incomplete: ${name} has status ${response.status}.`);
    return [name, await response.blob()] as const;
  });
  const files = new Map(await Promise.all(fetched));
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const coder = await loadTokenizer(files, Tokenizer);
  // The files have 16 bits for each value, and no head for labels: that it is new is no surprise.
  const net = await fromPretrained(files, {
    task: 'tokenClassifier',
    labels,
    dtype: 'float32',
    onReport: () => {},
  });
  net.backbone.trainable = false;
  return { net, coder };
}
