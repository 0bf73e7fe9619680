/**
 * @file Gradients of functions: grad, grads, valueAndGrad, valueAndGrads. Names and shapes of the calls are TF.js's; trees
 * of tensors, `argnums` and `hasAux` are JAX's.
 */
import { TapeError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe, requireInteger } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { disposing, tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Tape } from './recordedCalls.ts';
import { listOf, type UnconnectedGradients } from './request.ts';
import { floatsIn, type GradientsOf, packTree } from './tree.ts';

type Function = (...inputs: Tensor[]) => Tensor;

/** Options of `grad`, `grads`, `valueAndGrad` and `valueAndGrads`. */
export interface GradOptions {
  /** Whether f returns `[value, aux]`: aux is passed through without being differentiated. Default false. */
  hasAux?: boolean;
  /** For inputs that the value doesn't depend on: an error ('none', the default), or zeros. */
  unconnectedGradients?: UnconnectedGradients;
}

/** Options of `grad` and `valueAndGrad`. */
export interface GradOfOptions extends GradOptions {
  /**
   * The position of the argument to differentiate with respect to, or a list of them. With it, the gradient function takes
   * all arguments of f, as in JAX: `grad(loss, { argnums: 0 })(params, x, y)`.
   */
  argnums?: number | readonly number[];
}

/** The gradients with respect to the arguments `N` of a function of `A`. */
export type GradientsAt<A extends readonly unknown[], N> = N extends number
  ? GradientsOf<A[N]>
  : { -readonly [K in keyof N]: GradientsOf<A[N[K] & number]> };

/** A function that returns its value together with auxiliary data. */
type WithAux<A extends readonly unknown[], X> = (...args: A) => readonly [Tensor, X];
type Aux = GradOptions & { readonly hasAux: true };
type NoAux = GradOptions & { readonly hasAux?: false };
type Argnums = number | readonly number[];

const optionNames: OptionNames<GradOfOptions> = {
  hasAux: false,
  unconnectedGradients: false,
  argnums: false,
};
const listOptionNames: OptionNames<GradOptions> = { hasAux: false, unconnectedGradients: false };

/**
 * Returns the gradient of a function: `grad(f)(x)` is a tree like x (a tensor, or arrays and objects of tensors) with float32
 * tensors in the shapes of its leaves. If f(x) has several elements, it is the gradient of their sum, or of their sum
 * weighted by `dy`, as in TF.js.
 *
 *     const { w, b } = grad((p: { w: Tensor; b: Tensor }) => mean(square(sub(add(matMul(x, p.w), p.b), y))))(params);
 *     const step = grad(loss, { argnums: 0 })(params, x, y);           // all arguments, as in JAX
 *     const { grad: dp, aux } = grad(lossAndLogits, { hasAux: true })(params);
 *
 * Errors: TapeError for an f that doesn't return one tensor, for inputs that aren't tensors of floats, and for inputs on
 * which the value doesn't depend; ShapeError for a `dy` in another shape; ValueError for options.
 */
export function grad(
  f: (x: Tensor) => Tensor,
  options?: NoAux,
): (x: Tensor, dy?: Tensor) => Tensor<'float32'>;
export function grad<A extends readonly unknown[], const N extends Argnums>(
  f: (...args: A) => Tensor,
  options: NoAux & { readonly argnums: N },
): (...args: A) => GradientsAt<A, N>;
export function grad<A extends readonly unknown[], X, const N extends Argnums>(
  f: WithAux<A, X>,
  options: Aux & { readonly argnums: N },
): (...args: A) => { grad: GradientsAt<A, N>; aux: X };
export function grad<T extends object>(
  f: (x: T) => Tensor,
  options?: NoAux,
): (x: T, dy?: Tensor) => GradientsOf<T>;
export function grad<T extends object, X>(
  f: WithAux<[T], X>,
  options: Aux,
): (x: T, dy?: Tensor) => { grad: GradientsOf<T>; aux: X };
export function grad(f: unknown, options: GradOfOptions = {}): (...args: never[]) => unknown {
  const run = gradientOf('grad', f, options);
  return (...args) => {
    const { grad, aux } = run(args);
    return options.hasAux ? { grad, aux } : grad;
  };
}

/** Like `grad`, but returns `{ value, grad }`: the value of the function and its gradient. */
export function valueAndGrad(
  f: (x: Tensor) => Tensor,
  options?: NoAux,
): (x: Tensor, dy?: Tensor) => { value: Tensor; grad: Tensor<'float32'> };
export function valueAndGrad<A extends readonly unknown[], const N extends Argnums>(
  f: (...args: A) => Tensor,
  options: NoAux & { readonly argnums: N },
): (...args: A) => { value: Tensor; grad: GradientsAt<A, N> };
export function valueAndGrad<A extends readonly unknown[], X, const N extends Argnums>(
  f: WithAux<A, X>,
  options: Aux & { readonly argnums: N },
): (...args: A) => { value: Tensor; grad: GradientsAt<A, N>; aux: X };
export function valueAndGrad<T extends object>(
  f: (x: T) => Tensor,
  options?: NoAux,
): (x: T, dy?: Tensor) => { value: Tensor; grad: GradientsOf<T> };
export function valueAndGrad<T extends object, X>(
  f: WithAux<[T], X>,
  options: Aux,
): (x: T, dy?: Tensor) => { value: Tensor; grad: GradientsOf<T>; aux: X };
export function valueAndGrad(f: unknown, options: GradOfOptions = {}): (...args: never[]) => unknown {
  const run = gradientOf('valueAndGrad', f, options);
  return (...args) => run(args);
}

/**
 * Returns the gradients of a function of several tensors or trees: `grads(f)([a, b])` gives one for each. Otherwise like
 * `grad`.
 */
export function grads(f: Function, options?: NoAux): (inputs: readonly Tensor[], dy?: Tensor) => Tensor[];
export function grads<A extends readonly unknown[]>(
  f: (...inputs: A) => Tensor,
  options?: NoAux,
): (inputs: A, dy?: Tensor) => GradientsOf<A>;
export function grads<A extends readonly unknown[], X>(
  f: WithAux<A, X>,
  options: Aux,
): (inputs: A, dy?: Tensor) => { grads: GradientsOf<A>; aux: X };
export function grads(
  f: unknown,
  options: GradOptions = {},
): (inputs: readonly never[], dy?: Tensor) => unknown {
  const run = gradientsOf('grads', f, options);
  return (inputs, dy) => {
    const { grads, aux } = run(inputs, dy);
    return options.hasAux ? { grads, aux } : grads;
  };
}

/** Returns the value of a function of several tensors or trees, with its gradients. Otherwise like `grads`. */
export function valueAndGrads(
  f: Function,
  options?: NoAux,
): (inputs: readonly Tensor[], dy?: Tensor) => { value: Tensor; grads: Tensor[] };
export function valueAndGrads<A extends readonly unknown[]>(
  f: (...inputs: A) => Tensor,
  options?: NoAux,
): (inputs: A, dy?: Tensor) => { value: Tensor; grads: GradientsOf<A> };
export function valueAndGrads<A extends readonly unknown[], X>(
  f: WithAux<A, X>,
  options: Aux,
): (inputs: A, dy?: Tensor) => { value: Tensor; grads: GradientsOf<A>; aux: X };
export function valueAndGrads(
  f: unknown,
  options: GradOptions = {},
): (inputs: readonly never[], dy?: Tensor) => unknown {
  return gradientsOf('valueAndGrads', f, options);
}

/** Differentiates with respect to one argument, followed by `dy`, or to the arguments `argnums` of all. */
function gradientOf(name: string, f: unknown, options: GradOfOptions) {
  checkOptions(name, options, optionNames);
  const { argnums } = options;
  return (args: readonly unknown[]) => {
    const positions = argnums === undefined ? [0] : listOf<number>(name, argnums);
    for (const position of positions) requireInteger(name, 'argnums', position, 0);
    const [given, dy] = argnums === undefined ? [args.slice(0, 1), args[1]] : [args, undefined];
    const { grads, ...rest } = differentiate(name, f, given, positions, options, dy as Tensor | undefined);
    return { ...rest, grad: Array.isArray(argnums) ? grads : grads[0] };
  };
}

function gradientsOf(name: string, f: unknown, options: GradOptions) {
  checkOptions(name, options, listOptionNames);
  return (inputs: readonly unknown[], dy: Tensor | undefined) => {
    requireFunction(name, f);
    if (!Array.isArray(inputs)) {
      throw new TapeError({
        op: name,
        rule: 'the inputs are given as one list.',
        received: describe(inputs),
        hint: `call ${name}(f)([a, b]).`,
      });
    }
    const list = listOf<unknown>(name, inputs);
    return differentiate(name, f, list, [...list.keys()], options, dy);
  };
}

/** Runs `body` with `tape`; frees everything that both made except the result. */
export function withTape<T>(body: (tape: Tape) => T, tape = new Tape()): T {
  return disposing(tape, (tape) => tidy(() => body(tape)));
}

export function requireFunction(name: string, f: unknown): asserts f is (...args: unknown[]) => unknown {
  if (typeof f === 'function') return;
  throw new TapeError({
    op: name,
    rule: 'its argument is a function of tensors.',
    received: describe(f),
    hint: `call ${name}((x) => …).`,
  });
}

/** Returns `leaves` without duplicates: the caller may pass one tensor twice, and each place must get its own gradient. */
export function distinct(leaves: readonly Tensor[]): Tensor[] {
  return leaves.map((leaf, i) => (leaves.indexOf(leaf) < i ? identity(leaf) : leaf));
}

/** Returns the value of f(...args) and its gradients for the arguments at `positions`. */
function differentiate(
  name: string,
  f: unknown,
  args: readonly unknown[],
  positions: readonly number[],
  { hasAux = false, unconnectedGradients = 'none' }: GradOptions,
  dy: Tensor | undefined,
): { value: Tensor; grads: readonly unknown[]; aux?: unknown } {
  requireFunction(name, f);
  const paths: string[] = [];
  const leaves = positions.map((i) => floatsIn(name, args[i], `input ${i}`, paths));
  const inputs = leaves.flat();
  return withTape((tape) => {
    const own = tape.stopRecording(() => distinct(inputs));
    tape.watch(own);
    const packed = packLeaves(leaves, own, positions, args);
    const given = [...args];
    positions.forEach((i, k) => {
      given[i] = packed[k];
    });
    const result = f(...given);
    const [value, aux] = hasAux ? (Array.isArray(result) ? result : []) : [result];
    requireValue(name, value, result);
    const disconnections = tape.disconnections.map(({ operation, callSite }) =>
      placeOf(operation.name, callSite),
    );
    const gradients = tape.gradients([value], own, { outputGradients: dy ?? null, unconnectedGradients });
    const unconnected = gradients.indexOf(null);
    if (unconnected >= 0) {
      const where =
        disconnections.length > 0
          ? `disconnected at ${[...new Set(disconnections)].join(' and ')}`
          : 'no call leads from it';
      throw new TapeError({
        op: name,
        rule: 'the result must depend on every input through differentiable operations.',
        received: `no gradient for ${paths[unconnected]}, ${formatSpec(own[unconnected] as Tensor)}: ${where}`,
        hint: "compute the result from the inputs by such ops, leave the input out, or pass unconnectedGradients: 'zero'; GradientTape.explain() says more.",
      });
    }
    const grads = packLeaves(leaves, gradients as Tensor[], positions, args);
    return { value: ownValue(value, inputs), grads, ...(hasAux && { aux }) };
  });
}

/** Packs `flat`, the concatenated leaves of several arguments, into the trees of those arguments. */
function packLeaves(
  leaves: readonly (readonly Tensor[])[],
  flat: readonly Tensor[],
  positions: readonly number[],
  args: readonly unknown[],
): unknown[] {
  let first = 0;
  return positions.map((i, k) => {
    const { length } = leaves[k] as readonly Tensor[];
    first += length;
    return packTree(args[i], flat.slice(first - length, first));
  });
}

/** Returns a copy if `value` is one of the inputs: the caller would otherwise hold the same tensor twice. */
export function ownValue(value: Tensor, inputs: readonly Tensor[]): Tensor {
  return inputs.includes(value) ? identity(value) : value;
}

const placeOf = (operation: string, callSite: string | undefined) =>
  `'${operation}'${callSite ? `, ${callSite}` : ''}`;

export function requireValue(name: string, value: unknown, result = value): asserts value is Tensor {
  if (value instanceof Tensor) return;
  throw new TapeError({
    op: name,
    rule: 'the function must return one tensor, or with hasAux a pair, [tensor, aux].',
    received: describe(result),
    hint: 'return the result of an op; async functions can’t be differentiated.',
  });
}

/** Returns the two parts of what a function returned: by default one with `hasAux`. */
export function pairOf(
  name: string,
  result: unknown,
  rule = 'with hasAux the function returns a pair.',
  hint = 'return [value, aux].',
): readonly [unknown, unknown] {
  if (Array.isArray(result) && result.length === 2) return [result[0], result[1]];
  throw new TapeError({ op: name, rule, received: describe(result), hint });
}
