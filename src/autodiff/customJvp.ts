/** @file customJvp: a function with a custom derivative, given in forward mode. */
import { requireFunction } from '../core/arguments.ts';
import { TapeError } from '../core/errors.ts';
import { describe, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fill } from '../ops/creation/creation.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { type TensorLike, toTensors } from '../ops/define/operands.ts';
import { unrecorded } from '../ops/define/recorders.ts';
import { disposing } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { requireValue } from './functional.ts';
import { Tape } from './recordedCalls.ts';
import { recordFunction } from './recordFunction.ts';

/** The tangent of the value, from the inputs and their tangents, in which it is linear. */
export type TangentRule = (inputs: readonly Tensor[], tangents: readonly Tensor[]) => Tensor;

/**
 * Returns a function whose derivative is given by the rule for its tangent, as by JAX's custom_jvp. The rule is made of ops and
 * is linear in the tangents: gradients come from its transpose, and derivatives of all orders from those of its ops.
 *
 *     const logOnePlusExp = customJvp(
 *       (x) => log(add(1, exp(x))),
 *       ([x], [dx]) => mul(sub(1, div(1, add(1, exp(x)))), dx),
 *     );
 *
 * The inputs are floats; what f computes isn't recorded. The rule runs when a derivative is taken.
 * Errors: ValueError for an f or a rule that isn't a function; TapeError for one that doesn't return one tensor, and for a
 * tangent in another shape than the value.
 */
export function customJvp(
  f: (...inputs: Tensor[]) => Tensor,
  rule: TangentRule,
): (...inputs: TensorLike[]) => Tensor {
  requireFunction('customJvp', 'f', f);
  requireFunction('customJvp', 'rule', rule);
  return (...operands) => {
    const inputs = toTensors(
      'customJvp',
      [{ name: 'inputs', hostDType: undefined, optional: false }],
      operands,
    ) as Tensor[];
    const value: unknown = unrecorded(() => f(...inputs));
    requireValue('customJvp', value);
    // The value may be an input, or a tensor with its own history: the result needs the history of this call.
    const output = unrecorded(() => identity(value));
    recordFunction({
      name: 'customJvp',
      inputs,
      outputs: [output],
      backward: ([dy], { inputs }) => transposed(rule, inputs, dy as Tensor),
    });
    return output;
  };
}

/**
 * Returns the cotangents of the inputs: the transpose of the rule, taken at tangent 0 (the same everywhere, since it is
 * linear).
 */
function transposed(rule: TangentRule, inputs: readonly Tensor[], dy: Tensor): (Tensor | null)[] {
  return disposing(new Tape(), (tape) => {
    const tangents = tape.stopRecording(() => inputs.map(({ shape }) => fill(shape, 0)));
    tape.watch(tangents);
    const tangent: unknown = rule(inputs, tangents);
    if (tangent instanceof Tensor && sameShape(tangent.shape, dy.shape))
      return tape.gradients([tangent], tangents, { outputGradients: dy });
    throw new TapeError({
      op: 'customJvp',
      rule: 'the rule returns the tangent of the value, one tensor in its shape.',
      received: `${tangent instanceof Tensor ? formatSpec(tangent) : describe(tangent)} for a value ${formatSpec(dy)}`,
      hint: 'return what the tangents of the inputs add to the value: mul(derivative, tangent).',
    });
  });
}
