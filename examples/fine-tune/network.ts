/** @file The network of the page: from the files next to it, or from a folder of the visitor. */
import { type CausalLM, fromPretrained, loadTokenizer, type PretrainedSource } from 'retrograd/hub';

/** The part of a tokenizer that is used here. */
export interface TextCoder {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
  decode(tokens: number[], options?: { skip_special_tokens?: boolean }): string;
}

export interface Network {
  readonly net: CausalLM;
  readonly coder: TextCoder;
  /** What it is, in words. */
  readonly summary: string;
}

/** Loads a network with its tokenizer. `onProgress` is called with the part that has arrived. */
export async function openNetwork(
  source: PretrainedSource,
  onProgress: (part: number) => void,
): Promise<Network> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const coder = await loadTokenizer(source, Tokenizer);
  let bytes = 0;
  const net = await fromPretrained(source, {
    task: 'causalLM',
    onProgress: ({ loaded, total }) => {
      bytes = total ?? loaded;
      onProgress(loaded / bytes);
    },
  });
  return { net, coder, summary: summaryOf(net, bytes) };
}

function summaryOf({ backbone }: CausalLM, bytes: number): string {
  const { modelType, numLayers, hiddenDim, tokenEmbedding } = backbone;
  const parts = [
    modelType,
    `${(bytes / 1e6).toFixed(1)} MB of weights`,
    `${numLayers} layers of ${hiddenDim} features`,
    `${tokenEmbedding.inputDim.toLocaleString('en')} tokens`,
  ];
  return parts.join(' · ');
}
