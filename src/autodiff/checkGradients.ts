/** @file Checks what the `backward` of an op returned: ops defined by an app may return anything. */
import { ShapeError, TapeError } from '../core/errors.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { Tensor } from '../tensor/tensor.ts';

/** Errors: TapeError unless `gradients` has a tensor or null for each input that needs one; ShapeError for other shapes. */
export function checkGradients(
  op: string,
  gradients: unknown,
  inputs: readonly (TensorSpec | null)[],
  needs: readonly boolean[],
): asserts gradients is readonly (Tensor | null)[] {
  if (!Array.isArray(gradients)) throw notGradients(op, gradients, inputs.length);
  for (const [i, isNeeded] of needs.entries()) {
    const gradient: unknown = gradients[i];
    if (!isNeeded || gradient === null) continue;
    if (!(gradient instanceof Tensor)) throw notGradients(op, gradients, inputs.length);
    const input = inputs[i] as TensorSpec;
    if (sameShape(gradient.shape, input.shape)) continue;
    throw new ShapeError({
      op,
      rule: '`backward` returns gradients in the shapes of the inputs.',
      received: `${formatSpec(gradient)} for input ${i}, ${formatSpec(input)}`,
      hint: 'where an input was broadcast, sum its gradient over those axes.',
    });
  }
}

function notGradients(op: string, received: unknown, count: number): TapeError {
  return new TapeError({
    op,
    rule: `\`backward\` returns a list with a gradient, or null, for each of the ${count} inputs.`,
    received: describe(received),
    hint: 'return [dx, null]: null where an input has no gradient.',
  });
}
