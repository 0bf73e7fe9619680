/** @file Constraints: what the values of variables become after a step. */
import { ShapeError } from '../../core/errors.ts';
import { sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { copyWords } from '../../kernels/copyWords.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Variable } from '../../tensor/variable.ts';

/** Puts the variables that have a constraint back within it. */
export function constrain(variables: readonly Variable[]): void {
  for (const variable of variables) {
    const { constraint } = variable;
    if (!constraint) continue;
    tidy(() => {
      const within = constraint.call(variable);
      if (!sameShape(within.shape, variable.shape) || within.dtype !== variable.dtype) {
        throw new ShapeError({
          op: constraint.className,
          rule: 'a constraint keeps the shape and the dtype of its variable.',
          received: `${formatSpec(within)} for variable '${variable.name}' ${formatSpec(variable)}`,
          hint: 'correct what `call` returns.',
        });
      }
      const target = variable.writableStorage();
      // Written in place, so that the variable stays where launches find it.
      if (within.storage.buffer === target.buffer) variable.assign(within);
      else copyWords(within, target);
    });
  }
}
