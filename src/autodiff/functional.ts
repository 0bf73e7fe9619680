/**
 * @file Gradients of functions: grad, grads, valueAndGrad, valueAndGrads, jvp, hvp, jacobian. Names and shapes of the
 * calls are TF.js's where it has them.
 */
import { ShapeError, TapeError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fill } from '../ops/creation.ts';
import { identity } from '../ops/identity.ts';
import { disposing, tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { jacobianRows } from './jacobian.ts';
import { Tape } from './recordedCalls.ts';
import { listOf } from './request.ts';

type Function = (...inputs: Tensor[]) => Tensor;

/** The gradient of a function of one tensor: `grad(f)(x)` has the shape of x. `dy` weighs the elements of f(x). */
export function grad(f: (x: Tensor) => Tensor): (x: Tensor, dy?: Tensor) => Tensor {
  return (x, dy) => valueAndGrad(f, 'grad')(x, dy).grad;
}

/** The gradients of a function of several tensors: `grads(f)([a, b])` gives one for each, in their shapes. */
export function grads(f: Function): (inputs: readonly Tensor[], dy?: Tensor) => Tensor[] {
  return (inputs, dy) => valueAndGrads(f, 'grads')(inputs, dy).grads;
}

/** The value of a function of one tensor, with its gradient. */
export function valueAndGrad(
  f: (x: Tensor) => Tensor,
  name = 'valueAndGrad',
): (x: Tensor, dy?: Tensor) => { value: Tensor; grad: Tensor } {
  return (x, dy) => {
    requireFunction(name, f);
    const { value, grads: all } = differentiate(name, f, [x], dy);
    return { value, grad: all[0] as Tensor };
  };
}

/** The value of a function of several tensors, with its gradients. */
export function valueAndGrads(
  f: Function,
  name = 'valueAndGrads',
): (inputs: readonly Tensor[], dy?: Tensor) => { value: Tensor; grads: Tensor[] } {
  return (inputs, dy) => {
    requireFunction(name, f);
    if (!Array.isArray(inputs)) {
      throw new TapeError({
        op: name,
        rule: 'the inputs are given as one list.',
        received: describe(inputs),
        hint: `call ${name}(f)([a, b]).`,
      });
    }
    return differentiate(name, f, listOf(name, inputs), dy);
  };
}

/** Runs `body` with a tape, both of which leave nothing behind but the result. */
function withTape<T>(persistent: boolean, body: (tape: Tape) => T): T {
  return disposing(new Tape(persistent), (tape) => tidy(() => body(tape)));
}

function requireFunction(name: string, f: unknown): void {
  if (typeof f === 'function') return;
  throw new TapeError({
    op: name,
    rule: 'its argument is a function of tensors.',
    received: describe(f),
    hint: `call ${name}((x) => …).`,
  });
}

function differentiate(
  name: string,
  f: Function,
  inputs: readonly Tensor[],
  dy: Tensor | undefined,
): { value: Tensor; grads: Tensor[] } {
  for (const [i, input] of inputs.entries()) requireTensor(name, input, i);
  return withTape(false, (tape) => {
    // The caller may pass one tensor twice, and each must get a gradient of its own.
    const own = inputs.map((input, i) =>
      inputs.indexOf(input) < i ? tape.stopRecording(() => identity(input)) : input,
    );
    tape.watch(own);
    const value = f(...own);
    requireValue(name, value);
    const disconnections = tape.disconnections.map(({ operation, callSite }) =>
      placeOf(operation.name, callSite),
    );
    const gradients = tape.gradients([value], own, { outputGradients: dy ?? null });
    const unconnected = gradients.indexOf(null);
    if (unconnected >= 0) {
      const where =
        disconnections.length > 0
          ? `disconnected at ${[...new Set(disconnections)].join(' and ')}`
          : 'no call leads from it';
      throw new TapeError({
        op: name,
        rule: 'the result must depend on every input through differentiable operations.',
        received: `no gradient for input ${unconnected}, ${formatSpec(own[unconnected] as Tensor)}: ${where}`,
        hint: 'compute the result from the inputs by such ops, or leave the input out; GradientTape.explain() says more.',
      });
    }
    // A function may return its input: the caller then holds that tensor twice.
    return { value: inputs.includes(value) ? identity(value) : value, grads: gradients as Tensor[] };
  });
}

const placeOf = (operation: string, callSite: string | undefined) =>
  `'${operation}'${callSite ? `, ${callSite}` : ''}`;

function requireTensor(name: string, input: unknown, i: number): void {
  if (input instanceof Tensor) return;
  throw new TapeError({
    op: name,
    rule: 'gradients are taken with respect to tensors.',
    received: `input ${i}: ${describe(input)}`,
    hint: 'make it a tensor first: tensor(values).',
  });
}

function requireValue(name: string, value: unknown): asserts value is Tensor {
  if (value instanceof Tensor) return;
  throw new TapeError({
    op: name,
    rule: 'the function must return one tensor.',
    received: describe(value),
    hint: 'return the result of an op; async functions can’t be differentiated.',
  });
}

function requireLike(name: string, what: string, given: readonly Tensor[], inputs: readonly Tensor[]): void {
  const isList = (value: unknown) =>
    Array.isArray(value) && listOf(name, value).every((t) => t instanceof Tensor);
  if (!isList(given) || !isList(inputs)) {
    throw new TapeError({
      op: name,
      rule: `inputs and ${what} are lists of tensors.`,
      received: `${describe(inputs)} and ${describe(given)}`,
      hint: `call ${name}(f, [x], [v]).`,
    });
  }
  const fits =
    given.length === inputs.length &&
    given.every((t, i) => sizeAndShape(t) === sizeAndShape(inputs[i] as Tensor));
  if (fits) return;
  throw new ShapeError({
    op: name,
    rule: `${what} have the shapes of the inputs, one for each.`,
    received: `${given.map(formatSpec).join(', ')} for ${inputs.map(formatSpec).join(', ')}`,
    hint: 'pass one tensor for each input, in its shape.',
  });
}

const sizeAndShape = (t: Tensor) => t.shape.join();

/**
 * Jacobian-vector product: the value of f at `inputs`, and how it moves along `tangents` (in the inputs' shapes).
 * Reverse over reverse: u ↦ Jᵀu is linear, and its own transpose is v ↦ Jv.
 */
export function jvp(
  f: Function,
  inputs: readonly Tensor[],
  tangents: readonly Tensor[],
): { value: Tensor; tangent: Tensor } {
  requireFunction('jvp', f);
  requireLike('jvp', 'tangents', tangents, inputs);
  return withTape(false, (outer) =>
    withTape(false, (inner) => {
      inner.watch(inputs);
      const value = f(...inputs);
      requireValue('jvp', value);
      const u = fill(value.shape, 0);
      outer.watch(u);
      const zero = { unconnectedGradients: 'zero' } as const;
      const transposed = inner.gradients([value], inputs, { outputGradients: u, ...zero }) as Tensor[];
      const [tangent] = outer.gradients(transposed, [u], { outputGradients: tangents, ...zero }) as [Tensor];
      return { value: inputs.includes(value) ? identity(value) : value, tangent };
    }),
  );
}

/** Hessian-vector product of a scalar function: d/dε ∇f(inputs + ε·vectors), in the inputs' shapes. */
export function hvp(f: Function, inputs: readonly Tensor[], vectors: readonly Tensor[]): Tensor[] {
  requireFunction('hvp', f);
  requireLike('hvp', 'vectors', vectors, inputs);
  return withTape(false, (outer) => {
    outer.watch(inputs);
    return withTape(false, (inner) => {
      inner.watch(inputs);
      const value = f(...inputs);
      requireValue('hvp', value);
      const zero = { unconnectedGradients: 'zero' } as const;
      const gradients = inner.gradients([value], inputs, zero) as Tensor[];
      return outer.gradients(gradients, inputs, { outputGradients: vectors, ...zero }) as Tensor[];
    });
  });
}

/** The Jacobian of a function of one tensor, in the shape [...f(x).shape, ...x.shape]. One backward pass per row. */
export function jacobian(f: (x: Tensor) => Tensor): (x: Tensor) => Tensor {
  return (x) => {
    requireFunction('jacobian', f);
    requireTensor('jacobian', x, 0);
    return withTape(true, (tape) => {
      tape.watch(x);
      const value = f(x);
      requireValue('jacobian', value);
      const backward = (cotangent: Tensor) =>
        tape.gradients([value], [x], { outputGradients: cotangent, unconnectedGradients: 'zero' })[0] ?? null;
      return tape.stopRecording(() => jacobianRows(backward, value, x)) as Tensor;
    });
  };
}
