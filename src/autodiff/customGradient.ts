/** @file Functions with custom gradients: customGradient; checkpoint has its own file. */
import { requireFunction } from '../core/arguments.ts';
import { TapeError } from '../core/errors.ts';
import { describe, sameShape } from '../core/shape.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { type TensorLike, toTensors } from '../ops/define/operands.ts';
import { activeRecorders, isAbstract, unrecorded } from '../ops/define/recorders.ts';
import { outsideScopes } from '../tensor/scope.ts';
import { alias, Tensor } from '../tensor/tensor.ts';
import { recordFunction } from './recordFunction.ts';

export { checkpoint } from './checkpoint.ts';

/** What a function given to `customGradient` returns: its value, and its gradient. */
export interface CustomGradientResult {
  value: Tensor;
  /** The cotangents of the inputs (one tensor, or a list with null for inputs without) from that of the value. */
  gradient: (dy: Tensor) => Tensor | readonly (Tensor | null)[];
}

/**
 * Returns a function whose gradient is the one it returns with its value. The ops of `f` aren't recorded; tensors that its
 * `gradient` closes over must live until it runs, so keep them out of `tidy` inside `f`. Ops in `gradient` are recorded by
 * outer tapes, so higher derivatives exist.
 *
 *     const clipGradient = customGradient((x) => ({ value: identity(x), gradient: (dy) => clip(dy, { min: -1, max: 1 }) }));
 *
 * Errors: TapeError where `f` returns something else, or a gradient has another shape than its input.
 */
export function customGradient(
  f: (...inputs: Tensor[]) => CustomGradientResult,
): (...inputs: TensorLike[]) => Tensor {
  requireFunction('customGradient', 'f', f);
  return (...operands) => {
    const inputs = toTensors(
      'customGradient',
      [{ name: 'inputs', hostDType: undefined, optional: false }],
      operands,
    ) as Tensor[];
    const isRecorded = activeRecorders().length > 0;
    const result = unrecorded(() => runOnce(f, inputs, isRecorded)) as
      | Partial<CustomGradientResult>
      | undefined;
    const { value, gradient } = result ?? {};
    if (!(value instanceof Tensor) || typeof gradient !== 'function') {
      throw new TapeError({
        op: 'customGradient',
        rule: 'the function returns { value, gradient }: a tensor, and a function from its cotangent.',
        received: describe(result),
        hint: 'return { value, gradient: (dy) => … }.',
      });
    }
    // The value may be an input, or a tensor with its own history: the result needs the history of this call.
    const output = unrecorded(() => identity(value));
    recordFunction({
      name: 'customGradient',
      inputs,
      outputs: [output],
      save: { inputs: [] },
      backward: ([dy]) => listOf(gradient(dy as Tensor), inputs),
    });
    return output;
  };
}

/**
 * f(...inputs). The scope of a vmap ends before a tape outside it asks for gradients, so tensors that the gradient may
 * close over are kept beyond it; the garbage collector frees them.
 */
function runOnce(
  f: (...inputs: Tensor[]) => CustomGradientResult,
  inputs: readonly Tensor[],
  isRecorded: boolean,
): unknown {
  if (!isRecorded || !inputs.some(isAbstract)) return f(...inputs);
  return outsideScopes(() => f(...inputs.map(alias)));
}

function listOf(
  gradients: Tensor | readonly (Tensor | null)[],
  inputs: readonly Tensor[],
): readonly (Tensor | null)[] {
  const list = gradients instanceof Tensor ? [gradients] : gradients;
  const fits =
    Array.isArray(list) &&
    list.length === inputs.length &&
    list.every(
      (g, i) => g === null || (g instanceof Tensor && sameShape(g.shape, (inputs[i] as Tensor).shape)),
    );
  if (fits) return list;
  throw new TapeError({
    op: 'customGradient',
    rule: 'the gradient function returns one tensor for each input, in its shape, or null.',
    received: Array.isArray(list)
      ? `${list.length} gradients: ${list.map(String).join(', ')}`
      : describe(list),
    hint: `return a list of ${inputs.length}.`,
  });
}
