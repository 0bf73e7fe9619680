/**
 * @file Jacobians of tape targets, one backward pass per row.
 */
import { ShapeError } from '../core/errors.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { broadcastTo } from '../ops/reductions/sum.ts';
import { reshape } from '../ops/arrangement/reshape.ts';
import { stack } from '../ops/arrangement/stack.ts';
import { tensor } from '../tensor/create.ts';
import { tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Gradient of `target` for one cotangent. */
type Backward = (cotangent: Tensor) => Tensor | null;

/** Row i of the result is the gradient of element i of the target. Null where source and target aren't connected. */
export function jacobianRows(backward: Backward, target: Tensor, source: Tensor): Tensor | null {
  return rows(backward, target.shape, [...target.shape, ...source.shape], (unit) => unit);
}

/**
 * Jacobians of each example: target [b, ...t], source [b, ...s] → [b, ...t, ...s]. Example i of the target must depend
 * only on example i of the source.
 */
export function batchJacobianRows(backward: Backward, target: Tensor, source: Tensor): Tensor | null {
  const [batch, ...inner] = target.shape;
  if (batch === undefined || batch !== source.shape[0]) {
    throw new ShapeError({
      op: 'batchJacobian',
      rule: 'target and source share their first axis, the batch.',
      received: `${formatSpec(target)} and ${formatSpec(source)}`,
      hint: 'use jacobian() for tensors without a common batch axis.',
    });
  }
  const inEachExample = (unit: Tensor) =>
    broadcastTo(reshape(unit, { shape: [1, ...inner] }), { shape: target.shape });
  const rest = source.shape.slice(1);
  return rows(backward, inner, [batch, ...inner, ...rest], inEachExample, 1);
}

function rows(
  backward: Backward,
  over: Shape,
  result: Shape,
  cotangentOf: (unit: Tensor) => Tensor,
  axis = 0,
): Tensor | null {
  if (sizeOf(result) === 0) return tensor([], { shape: result });
  const gradients: Tensor[] = [];
  for (let i = 0; i < sizeOf(over); i++) {
    const row = tidy(() => backward(cotangentOf(unitAt(i, over))));
    if (!row) return null;
    gradients.push(row);
  }
  return reshape(stack(gradients, { axis }), { shape: result });
}

/** Returns a tensor of `shape`: one at element `i`, zeros elsewhere. */
export function unitAt(i: number, shape: Shape): Tensor {
  const values = new Float32Array(sizeOf(shape));
  values[i] = 1;
  return tensor(values, { shape });
}
