/** @file Applies the constraints of variables after a step. */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, hintFor, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { copyWords } from '../../kernels/copies/copyWords.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

/** Applies the constraint of each variable that has one. */
export function constrain(variables: readonly Variable[]): void {
  for (const variable of variables) {
    const { constraint } = variable;
    if (!constraint) continue;
    tidy(() => {
      const within: unknown = constraint.call(variable);
      requireTensor(constraint.className, within);
      if (!sameShape(within.shape, variable.shape) || within.dtype !== variable.dtype) {
        throw new ShapeError({
          op: constraint.className,
          rule: 'a constraint must keep the shape and dtype of its variable.',
          received: `${formatSpec(within)} for variable '${variable.name}' ${formatSpec(variable)}`,
          hint: 'correct what `call` returns.',
        });
      }
      const target = variable.writableStorage();
      // Written in place, so that the variable keeps its place in the packed buffer.
      if (within.storage.buffer === target.buffer) variable.assign(within);
      else copyWords(within, target);
    });
  }
}

function requireTensor(op: string, within: unknown): asserts within is Tensor {
  if (within instanceof Tensor) return;
  throw new ValueError({
    op: op || 'constraint',
    rule: 'a constraint returns a tensor, computed with ops from the weight.',
    received: describe(within),
    hint: hintFor(within, 'return the constrained values, such as relu(w).'),
  });
}
