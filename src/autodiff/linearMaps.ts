/**
 * @file Derivatives of functions as linear maps: vjp, jvp, linearize, hvp. Functions take and return trees of tensors.
 *
 * There is no forward mode. Reverse mode twice gives it: u ↦ Jᵀu is linear, and its own transpose is v ↦ Jv. The second
 * pass goes through the gradient ops alone, not through f again.
 * Source: J. Townsend, A new trick for calculating Jacobian vector products, 2017.
 */
import { TapeError } from '../core/errors.ts';
import { itemsOf } from '../core/nest.ts';
import { checkOptions } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { fill } from '../ops/creation/creation.ts';
import { tidy, track } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { distinct, ownValue, pairOf, requireFunction, requireValue, withTape } from './functional.ts';
import { Tape } from './recordedCalls.ts';
import { floatsIn, type GradientsOf, matchingLeaves, packTree, tensorsIn, type TensorTree } from './tree.ts';

const zero = { unconnectedGradients: 'zero' } as const;

/** A linear map. It keeps intermediate values of its function alive until it is disposed of or its scope ends. */
export interface LinearMap<A extends readonly unknown[], R> {
  (...args: A): R;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** `A` with plain `Tensor`s: dtype parameters of the inputs removed. */
type Plain<A extends readonly Tensor[]> = { [K in keyof A]: Tensor };

/** The result of `vjp`. */
export interface Pullback<A extends readonly unknown[], R> {
  value: R;
  /** The cotangents of the inputs, as a list, from those of the value (a tree like it). Can be called again and again. */
  pullback: LinearMap<[cotangents: R], GradientsOf<A>>;
}

/** The result of `linearize`. */
export interface Linearized<A extends readonly unknown[], R> {
  value: R;
  /** The tangents of the value, from those of the inputs (a list of trees like them). Can be called again and again. */
  pushforward: LinearMap<[tangents: A], GradientsOf<R>>;
}

export interface VjpOptions {
  /** Whether f returns `[value, aux]`: aux is passed through without being differentiated. Default false. */
  hasAux?: boolean;
}

/**
 * Returns the value of f at `inputs` (a list of tensors or trees), and its vector-Jacobian product: a function from cotangents
 * of the value to those of the inputs. f runs once. Inputs on which the value doesn't depend get zeros, as in JAX.
 *
 *     const { value, pullback } = vjp((x, w) => matMul(x, w), [x, w]);
 *     const [dx, dw] = pullback(onesLike(value));
 *     pullback.dispose();                                  // or by `using`, or at the end of a tidy
 *
 * Errors: TapeError for leaves that aren't tensors, for inputs that aren't floats, and for cotangents in another tree than
 * the value; ShapeError for those in other shapes.
 */
export function vjp<const A extends readonly Tensor[]>(
  f: (...inputs: Plain<A>) => Tensor,
  inputs: A,
  options?: { readonly hasAux?: false },
): Pullback<A, Tensor>;
export function vjp<A extends readonly unknown[], R extends TensorTree>(
  f: (...inputs: A) => R,
  inputs: readonly [...A],
  options?: { readonly hasAux?: false },
): Pullback<A, R>;
export function vjp<A extends readonly unknown[], R extends TensorTree, X>(
  f: (...inputs: A) => readonly [R, X],
  inputs: readonly [...A],
  options: { readonly hasAux: true },
): Pullback<A, R> & { aux: X };
export function vjp(f: unknown, inputs: readonly unknown[], options: VjpOptions = {}): unknown {
  requireFunction('vjp', f);
  checkOptions('vjp', options, ['hasAux']);
  const leaves = inputLeaves('vjp', inputs);
  const tape = new Tape(true);
  // The tape tracks them by id: copies among them may be freed with the scope.
  let own: Tensor[];
  const { value, targets, aux } = disposedOnError(tape, () =>
    tidy(() => {
      own = tape.stopRecording(() => distinct(leaves));
      tape.watch(own);
      const result = f(...(packTree(inputs, own) as unknown[]));
      const [value, aux] = options.hasAux ? pairOf('vjp', result) : [result];
      return { ...valueTree('vjp', value, leaves), aux };
    }),
  );
  tape.endRecording();
  const pullback = linearMap(tape, (cotangents: unknown) => {
    const outputGradients = matchingLeaves('pullback', cotangents, 'cotangents', value, 'the value');
    return packTree(inputs, tape.gradients(targets, own, { outputGradients, ...zero }));
  });
  return { value, pullback, ...(options.hasAux && { aux }) };
}

/**
 * Jacobian-vector product: the value of f at `inputs`, and its directional derivative along `tangents`, a list of trees
 * like the inputs. The tangent is a tree like the value. Inputs that the value doesn't depend on contribute nothing.
 * Errors: as for `vjp`.
 */
export function jvp<const A extends readonly Tensor[]>(
  f: (...inputs: Plain<A>) => Tensor,
  inputs: A,
  tangents: readonly Tensor[],
): { value: Tensor; tangent: Tensor<'float32'> };
export function jvp<A extends readonly unknown[], R extends TensorTree>(
  f: (...inputs: A) => R,
  inputs: readonly [...A],
  tangents: readonly [...A],
): { value: R; tangent: GradientsOf<R> };
export function jvp(f: unknown, inputs: readonly unknown[], tangents: readonly unknown[]): unknown {
  requireFunction('jvp', f);
  inputLeaves('jvp', inputs);
  const outputGradients = matchingLeaves('jvp', tangents, 'tangents', inputs, 'the inputs');
  return withTape((outer) => {
    const { value, transposed, u } = transpose('jvp', outer, f, inputs);
    return { value, tangent: packTree(value, outer.gradients(transposed, u, { outputGradients, ...zero })) };
  });
}

/**
 * Returns the value of f at `inputs`, and its derivative there as a linear function of tangents: `jvp` for many tangents, with a
 * single run of f. Inputs and value are trees, as in `jvp`.
 *
 *     const { value, pushforward } = linearize(f, [x]);
 *     const along = directions.map((v) => pushforward([v]));
 *     pushforward.dispose();                               // or by `using`, or at the end of a tidy
 *
 * Errors: as for `vjp`.
 */
export function linearize<const A extends readonly Tensor[]>(
  f: (...inputs: Plain<A>) => Tensor,
  inputs: A,
): Linearized<Plain<A>, Tensor>;
export function linearize<A extends readonly unknown[], R extends TensorTree>(
  f: (...inputs: A) => R,
  inputs: readonly [...A],
): Linearized<A, R>;
export function linearize(f: unknown, inputs: readonly unknown[]): unknown {
  return linearized('linearize', f, inputs);
}

/** `linearize` for the function `name`, which its errors name. */
export function linearized(name: string, f: unknown, inputs: readonly unknown[]) {
  requireFunction(name, f);
  const outer = new Tape(true);
  const { value, transposed, u } = disposedOnError(outer, () =>
    tidy(() => transpose(name, outer, f, inputs)),
  );
  outer.endRecording();
  // The tape tracks them by id; their values aren't needed any more.
  for (const tensor of [...transposed, ...u]) tensor.dispose();
  const pushforward = linearMap(outer, (tangents: unknown) => {
    const outputGradients = matchingLeaves('pushforward', tangents, 'tangents', inputs, 'the inputs');
    return packTree(value, outer.gradients(transposed, u, { outputGradients, ...zero }));
  });
  return { value, pushforward };
}

/**
 * Hessian-vector product of a scalar function: d/dε ∇f(inputs + ε·vectors), a list of trees like the inputs.
 * Errors: as for `vjp`; TapeError for an f that doesn't return one tensor.
 */
export function hvp<const A extends readonly Tensor[]>(
  f: (...inputs: Plain<A>) => Tensor,
  inputs: A,
  vectors: readonly Tensor[],
): GradientsOf<A>;
export function hvp<A extends readonly unknown[]>(
  f: (...inputs: A) => Tensor,
  inputs: readonly [...A],
  vectors: readonly [...A],
): GradientsOf<A>;
export function hvp(f: unknown, inputs: readonly unknown[], vectors: readonly unknown[]): unknown {
  requireFunction('hvp', f);
  const leaves = inputLeaves('hvp', inputs);
  const outputGradients = matchingLeaves('hvp', vectors, 'vectors', inputs, 'the inputs');
  return withTape((outer) => {
    const own = outer.stopRecording(() => distinct(leaves));
    outer.watch(own);
    return withTape((inner) => {
      inner.watch(own);
      const value = f(...(packTree(inputs, own) as unknown[]));
      requireValue('hvp', value);
      const gradients = inner.gradients([value], own, zero) as Tensor[];
      return packTree(inputs, outer.gradients(gradients, own, { outputGradients, ...zero }));
    });
  });
}

/** f(...inputs), and Jᵀu as a function of u, at u = 0, recorded by `outer`. */
function transpose(
  name: string,
  outer: Tape,
  f: (...args: unknown[]) => unknown,
  inputs: readonly unknown[],
): { value: unknown; transposed: Tensor[]; u: Tensor[] } {
  const leaves = inputLeaves(name, inputs);
  return withTape((inner) => {
    const own = inner.stopRecording(() => distinct(leaves));
    inner.watch(own);
    const { value, targets } = valueTree(name, f(...(packTree(inputs, own) as unknown[])), leaves);
    const u = inner.stopRecording(() => targets.map(({ shape }) => fill(shape, 0)));
    outer.watch(u);
    const transposed = inner.gradients(targets, own, { outputGradients: u, ...zero }) as Tensor[];
    return { value, transposed, u };
  });
}

function inputLeaves(name: string, inputs: unknown): Tensor[] {
  if (itemsOf(inputs, 'inputs', 0)?.kind === 'list') return floatsIn(name, inputs, 'inputs');
  throw new TapeError({
    op: name,
    rule: 'the inputs are given as one list.',
    received: describe(inputs),
    hint: `call ${name}(f, [x], …).`,
  });
}

/** Returns the value of f and its leaves; leaves that are inputs are replaced by copies. */
function valueTree(
  name: string,
  value: unknown,
  inputs: readonly Tensor[],
): { value: unknown; targets: Tensor[] } {
  const targets = tensorsIn(name, value, 'the value').map((leaf) => ownValue(leaf, inputs));
  return { value: packTree(value, targets), targets };
}

/** Runs `body`; if it throws, disposes of the tape. */
function disposedOnError<T>(tape: Tape, body: () => T): T {
  try {
    return body();
  } catch (error) {
    tape.dispose();
    throw error;
  }
}

/** Returns `map` as a function that frees `tape` when it is disposed of, or when the scope ends in which it was made. */
function linearMap<A extends readonly unknown[], R>(tape: Tape, map: (...args: A) => R): LinearMap<A, R> {
  const dispose = () => tape.dispose();
  const whole = Object.assign((...args: A) => tidy(() => map(...args)), {
    dispose,
    [Symbol.dispose]: dispose,
    // Not needed: if it is dropped, the finalizers of the tape and of what it saved free them.
    watchDrop: () => {},
    members: null,
  });
  track(whole);
  return whole;
}
