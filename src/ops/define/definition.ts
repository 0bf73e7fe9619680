/**
 * @file OpDefinition: the declaration of an op. It doesn't depend on the dispatch, the tape or the graph, so
 * that all of them can import it.
 *
 * An op is declared by the tuple of its tensor inputs, `[x: Tensor, bias: Tensor | null]`, or `[tensors: Tensor[]]` for a
 * list of any length. What `infer`, `forward` and `backward` receive is typed position by position from that tuple.
 */
import type { Names } from '../../core/options.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call } from './call.ts';
import type { Cost } from './cost.ts';
import type { IndexTarget } from './indices.ts';

/** The return value of an op: a tensor, or several. */
export type Results = Tensor | readonly Tensor[];

/** The inputs `I` with each tensor replaced by `T`. Optional inputs stay nullable, and a list becomes a list of `T`. */
export type Operands<I extends readonly unknown[], T> = I extends readonly [readonly Tensor[]]
  ? readonly T[]
  : { readonly [K in keyof I]: T | Exclude<I[K], Tensor> };

/** One `T` for each of the inputs `I`. */
export type PerInput<I extends readonly unknown[], T> = I extends readonly [readonly Tensor[]]
  ? readonly T[]
  : { readonly [K in keyof I]: T };

/** Names of the inputs `I`, with a `?` at the end of those that may be null. */
export type InputNames<I extends readonly unknown[]> = number extends I['length']
  ? readonly string[]
  : I extends readonly [readonly Tensor[]]
    ? readonly [`...${string}`]
    : { readonly [K in keyof I]: null extends I[K] ? `${string}?` : string };

type OutputTuple<R extends Results> = [R] extends [readonly Tensor[]]
  ? R
  : [R] extends [Tensor]
    ? readonly [R]
    : readonly Tensor[];
type Mapped<A extends readonly unknown[], T> = { readonly [K in keyof A]: T };
/** One `T` for each of the outputs `R`. */
export type PerOutput<R extends Results, T> = Mapped<OutputTuple<R>, T>;

/**
 * The result of `infer`: the spec of the output, or a tuple of specs if there are several. A spec may carry more
 * (geometry, normalized axes, resolved options): everything that `forward`, `backward` and `cost` would otherwise compute again.
 * It must not hold tensors, since a tape keeps it.
 */
export type Plan<R extends Results = Results> = R extends readonly Tensor[]
  ? { readonly [K in keyof R]: TensorSpec }
  : TensorSpec;

/** Positions of the inputs and outputs that backward reads. Default: all inputs, no outputs. */
export interface Save {
  readonly inputs?: readonly number[] | undefined;
  readonly outputs?: readonly number[] | undefined;
}

/** The default of `save`. */
export interface DefaultSave {
  readonly inputs?: undefined;
  readonly outputs?: undefined;
}

/** The property `F` of `S`; undefined if it has none. */
type SavedList<S extends Save, F extends keyof Save> = F extends keyof S ? S[F] : undefined;
/** Whether the literal list `L` contains position `K`; boolean if that isn't known statically. */
type IsListed<L, K> = L extends readonly (infer N)[]
  ? number extends N
    ? boolean
    : K extends `${N & number}`
      ? true
      : false
  : false;
type IfListed<Listed, T> = [Listed] extends [true] ? T : [Listed] extends [false] ? undefined : T | undefined;

type SavedInputs<I extends readonly unknown[], L> = [L] extends [undefined]
  ? Operands<I, Tensor>
  : I extends readonly [readonly Tensor[]]
    ? readonly (Tensor | undefined)[]
    : { readonly [K in keyof I]: IfListed<IsListed<L, K>, I[K]> };
type SavedOutputs<R extends readonly Tensor[], L> = {
  readonly [K in keyof R]: IfListed<IsListed<L, K>, R[K]>;
};

/** The values available to `backward`. */
export interface Saved<
  I extends readonly unknown[] = readonly (Tensor | null)[],
  O extends object = object,
  R extends Results = Results,
  P = Plan<R>,
  S extends Save = Save,
> {
  /** The inputs that `save` names; undefined at other positions. */
  readonly inputs: SavedInputs<I, SavedList<S, 'inputs'>>;
  /** The outputs that `save` names; undefined at other positions. */
  readonly outputs: SavedOutputs<OutputTuple<R>, SavedList<S, 'outputs'>>;
  readonly inputSpecs: Operands<I, TensorSpec>;
  readonly outputSpecs: PerOutput<R, TensorSpec>;
  /** Which inputs need a gradient; the gradient of others may be null. */
  readonly needs: PerInput<I, boolean>;
  /** The result of `infer` for this call. */
  readonly plan: P;
  /** The options of the call, after `settle`. */
  readonly options: O;
}

/** A call whose gradient is computed together with those of other calls. */
export interface JoinedCall {
  /** By output; null where nothing depends on it. */
  readonly cotangents: readonly (Tensor | null)[];
  /** The result of `infer` for this call. */
  readonly plan: Plan;
}

/** A function type with bivariant parameters, since definitions are used by code that doesn't know their types. */
type Method<A extends readonly unknown[], T> = { method(...args: A): T }['method'];

/**
 * The definition of an op with inputs `I`, options `O` and result `R`. The plan `P`, what is saved (`S`) and whether
 * cotangents may be null (`N`) are inferred from the definition. Without arguments: the definition of any op.
 */
export interface OpDefinition<
  I extends readonly unknown[] = readonly (Tensor | null)[],
  O extends object = object,
  R extends Results = Results,
  P extends Plan<R> = Plan<R>,
  S extends Save = Save,
  N extends boolean = boolean,
> {
  name: string;
  /**
   * Names of the tensor inputs. `indices:int32` gives the dtype that host values are uploaded in, a `?` at the end marks
   * an input that may be null. One name with a leading `...` takes a list of any length as first argument.
   */
  inputs: NoInfer<InputNames<I>>;
  /**
   * The names of all options. True marks those that may also be passed by position, after the tensors. A call with any other
   * option is rejected. Without `options`, all are passed on unchecked.
   */
  options?: Names;
  /** Whether `backward` accepts null for an output that nothing depends on. Default: it receives zeros. */
  takesNull?: N;
  /**
   * Whether its kernels read float16: all inputs, or those at the positions listed. Other operands are widened, and results rounded where
   * all are. Cotangents of float16 tensors are float32.
   */
  acceptsFloat16?: boolean | readonly number[];
  /** Positions of the outputs that stay float32 if operands are float16: statistics. Default: none. */
  keepsFloat32?: readonly number[];
  /** Whether each element of the result depends only on the elements at its position in the inputs, which broadcast. */
  elementwise?: boolean;
  /** The values that backward reads: input and output positions. Default: all inputs, no outputs. */
  save?: S;
  /**
   * Of the inputs that `save` names, those that `backward` reads in a call where at most the inputs in `needs` get a gradient:
   * others are not kept, so `backward` may read one only where that holds. Default: all of them.
   */
  readsInputs?(needs: NoInfer<PerInput<I, boolean>>, plan: NoInfer<P>): NoInfer<PerInput<I, boolean>>;
  /** The same for the outputs that `save` names. */
  readsOutputs?(needs: NoInfer<PerInput<I, boolean>>, plan: NoInfer<P>): NoInfer<PerOutput<R, boolean>>;
  /**
   * Fixes options that differ from call to call (a fresh seed), so that forward, backward and history see the same ones.
   * Called once per eager call, after `infer` has accepted the options; the plan must not depend on what it changes.
   */
  settle?(options: O): O;
  /**
   * Checks the call and plans it: shapes and dtypes of the outputs, and everything that the other functions need. Pure, no GPU
   * work; also used for symbolic calls. Write it before the functions that read the plan: TypeScript infers in that order.
   */
  infer(inputs: NoInfer<Operands<I, TensorSpec>>, options: NoInfer<O>): P;
  /** Whether equal calls get the same plan, which nobody may change: for plans that take long. Options must be plain data. Default false. */
  remembersPlans?: boolean;
  /** What the indices of a call point into, for ops that report those out of range. */
  indexTarget?(inputs: NoInfer<Operands<I, TensorSpec>>, plan: NoInfer<P>): IndexTarget;
  /** Launches kernels. It may also use ops: they aren't recorded, and their temporaries are freed. */
  forward(inputs: NoInfer<Operands<I, Tensor>>, plan: NoInfer<P>, call: Call<O>): NoInfer<R>;
  /**
   * The vector-Jacobian product, written with ops, so that it can be differentiated again: a gradient (or null) for
   * each input. Null if the op has no gradient.
   */
  backward: Method<
    [cotangents: PerOutput<R, N extends true ? Tensor | null : Tensor>, saved: Saved<I, O, R, P, S>],
    PerInput<I, Tensor | null>
  > | null;
  /**
   * For ops of one input that save nothing: the sum of what `backward` returns for several calls with the same input, computed
   * together. A tape then doesn't compute, and add, a gradient of the input's size for each of them. Written with ops, like
   * `backward`. Calls of several ops are joined if their definitions have the same function.
   */
  joinedBackward?(calls: readonly JoinedCall[], input: TensorSpec): Tensor;
  /** The same results, composed of ops. vmap maps those where it has no rule for this op. */
  formula?(inputs: NoInfer<Operands<I, Tensor>>, plan: NoInfer<P>, options: O): NoInfer<R>;
  /** The cost of a call, for `profile`. Default: the cost of the ops in its forward. */
  cost?(
    inputs: NoInfer<Operands<I, TensorSpec>>,
    outputs: NoInfer<PerOutput<R, TensorSpec>>,
    plan: NoInfer<P>,
  ): Cost;
}

/** For `readsInputs`: the gradient of each of the first two inputs reads the other one. */
export const readsOther = ([first, second]: readonly [boolean, boolean, ...unknown[]]) =>
  [second, first] as const;

/** Which inputs and outputs of a call its gradient reads, by position, if at most the inputs in `needs` get one. */
export function readByGradient(
  { save = {}, readsInputs, readsOutputs }: OpDefinition,
  needs: readonly boolean[],
  plan: Plan,
): { input(i: number): boolean; output(i: number): boolean } {
  const { inputs, outputs } = save;
  const ofInputs = readsInputs?.(needs, plan);
  const ofOutputs = readsOutputs?.(needs, plan);
  return {
    input: (i) => (inputs?.includes(i) ?? true) && ofInputs?.[i] !== false,
    output: (i) => outputs?.includes(i) === true && ofOutputs?.[i] !== false,
  };
}

/** The specs of a plan, as a list. */
export function outputsOf(plan: Plan): readonly TensorSpec[] {
  return isSpec(plan) ? [plan] : plan;
}

function isSpec(plan: Plan): plan is TensorSpec {
  return !Array.isArray(plan);
}
