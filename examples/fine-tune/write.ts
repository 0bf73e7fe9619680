/** @file Writing: a prompt is continued token by token. */
import type { Network } from './network.ts';

export interface Writing {
  readonly prompt: string;
  readonly temperature: number;
  readonly maxNewTokens: number;
  readonly signal?: AbortSignal;
  /** Called with the prompt and what has followed so far. */
  onText(text: string): void;
}

/** Continues a prompt. The same seed every time: what differs is what was learned. */
export async function write(
  { net, coder }: Network,
  { prompt, temperature, maxNewTokens, signal, onText }: Writing,
): Promise<void> {
  const { ids } = coder.encode(prompt);
  // A text of no tokens begins where texts begin: after the token that ends them.
  const begun = ids.length > 0 ? ids : [net.stopTokens[0] ?? 0];
  const tokens: number[] = [];
  onText(prompt);
  const options = { maxNewTokens, temperature, topP: 0.95, seed: 7, signal };
  for await (const { token } of net.stream([begun], options)) {
    tokens.push(token);
    // Decoded as a whole: several tokens may make up one character.
    onText(prompt + coder.decode(tokens, { skip_special_tokens: true }));
  }
}
