/**
 * @file The answer of `tape.explain(target, source)`.
 */
import type { Tensor } from '../tensor/tensor.ts';
import type { GradientTape } from './tape.ts';

export interface PathExplanation {
  connected: boolean;
  text: string;
}

export function explainPath(tape: GradientTape, target: Tensor, source: Tensor): PathExplanation {
  void tape;
  void target;
  void source;
  return { connected: false, text: '' };
}
