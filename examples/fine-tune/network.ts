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
  const net = await fromPretrained(source, {
    task: 'causalLM',
    onProgress: ({ loaded, total }) => onProgress(total ? loaded / total : 0),
  });
  return { net, coder, summary: summaryOf(net) };
}

function summaryOf(net: CausalLM): string {
  const { modelType, numLayers, hiddenDim, tokenEmbedding } = net.backbone;
  const parts = [
    modelType,
    `${counted(net.countParams())} parameters`,
    `${numLayers} layers of ${hiddenDim} features`,
    `${tokenEmbedding.inputDim.toLocaleString('en')} tokens`,
  ];
  return parts.join(' · ');
}

function counted(count: number): string {
  return count < 1e9 ? `${(count / 1e6).toFixed(1)} million` : `${(count / 1e9).toFixed(2)} billion`;
}
