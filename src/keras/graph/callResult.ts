/** @file What the `call` of a layer returns. */
import { describe } from '../../core/describe.ts';
import { RetrogradError } from '../../core/errors.ts';
import { isSymbolic } from '../../ops/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Errors: RetrogradError for what is no tensor, and no symbolic one. */
export function requireResult(layer: string, output: unknown): void {
  if (output instanceof Tensor || isSymbolic(output)) return;
  throw new RetrogradError({
    op: layer,
    rule: '`call` must return tensors.',
    received: describe(output),
    hint: 'return the result of an op, or arrays or records of such results.',
  });
}
