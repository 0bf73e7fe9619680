/**
 * @file defineOp: defines ops of the library and, through customOp.ts, of apps. An op file declares an OpDefinition;
 * users call an Op.
 */
import { DTypeError, ValueError } from '../../core/errors.ts';
import {
  checkOptions,
  isPlainObject,
  type LastOptions,
  type OptionNames,
  optionsOf,
  type Positions,
} from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Batchable } from './batching.ts';
import type { DefaultSave, OpDefinition, Plan, Results, Save } from './definition.ts';
import { dispatch } from './dispatch.ts';
import { type InputSlot, parseSlot, type TensorLike } from './operands.ts';
import type { SymbolicTensor } from './recorders.ts';
import type { DTypeRule, ResultOf } from './resultDType.ts';

export type { OpDefinition, Plan, Saved } from './definition.ts';

type Eager<I extends readonly unknown[]> = {
  [K in keyof I]: I[K] extends Tensor[] ? readonly TensorLike[] : TensorLike | Exclude<I[K], Tensor>;
};
/** The type of argument `N`. */
type At<I extends readonly unknown[], N extends number> = Eager<I>[N];
/** The arguments of a call; the first three may determine the dtype of the result. */
type Given<I extends readonly unknown[], X, Y, Z> = {
  [K in keyof I]: K extends '0' ? X : K extends '1' ? Y : K extends '2' ? Z : Eager<I>[K];
};
type Mixed<I extends readonly unknown[]> = {
  [K in keyof I]: I[K] extends Tensor[]
    ? readonly (TensorLike | SymbolicTensor)[]
    : TensorLike | SymbolicTensor | Exclude<I[K], Tensor>;
};

type Symbolic<R extends Results> = R extends readonly Tensor[]
  ? { [K in keyof R]: SymbolicTensor }
  : SymbolicTensor;

/** Call signatures of ops: tensors by position, options last. */
export interface OpCall<
  I extends readonly unknown[],
  O extends object,
  R extends Results,
  P extends readonly string[] = [],
> {
  (...args: [...Eager<I>, ...LastOptions<O>]): R;
  (...args: [...Eager<I>, ...Positions<O, P>]): R;
  (...args: [...Mixed<I>, ...Positions<O, P>]): Symbolic<R>;
  (...args: [...Mixed<I>, ...LastOptions<O>]): Symbolic<R>;
}

/**
 * An op as users call it: tensors by position, options last. Symbolic inputs give symbolic outputs. `I` is the tuple of its
 * tensor inputs, `O` its options, `R` its result: a tensor, or a tuple or list of tensors. A fixed result dtype is part of
 * `R`, as in `Tensor<'bool'>`; otherwise `D` says how it follows from the arguments, such as 'first' for that of the first.
 * `P` lists the options that may also be passed by position. The documented form is both the first overload, for
 * completions, and the last, for error messages.
 */
export interface Op<
  I extends readonly unknown[],
  O extends object = object,
  R extends Results = Tensor,
  D extends DTypeRule = 'unknown',
  P extends readonly string[] = [],
> {
  <X extends At<I, 0>, Y extends At<I, 1>, Z extends At<I, 2>>(
    ...args: [...Given<I, X, Y, Z>, ...LastOptions<O>]
  ): ResultOf<R, D, [X, Y, Z]>;
  <X extends At<I, 0>, Y extends At<I, 1>, Z extends At<I, 2>>(
    ...args: [...Given<I, X, Y, Z>, ...Positions<O, P>]
  ): ResultOf<R, D, [X, Y, Z]>;
  (...args: [...Mixed<I>, ...Positions<O, P>]): Symbolic<R>;
  // For unions of ops: TypeScript only unifies signatures without type parameters.
  (...args: [...Eager<I>, ...LastOptions<O>]): R;
  (...args: [...Mixed<I>, ...LastOptions<O>]): Symbolic<R>;
  readonly definition: OpDefinition<I, O, R>;
}

/** Defines an op of the library. Apps use `customOp.ts`, which checks the definition. */
/* @__NO_SIDE_EFFECTS__ */
export function defineOp<
  I extends readonly unknown[],
  O extends object = object,
  R extends Results = Tensor,
  const P extends Plan<R> = Plan<R>,
  const S extends Save = DefaultSave,
  N extends boolean = false,
  const A extends readonly string[] = [],
>(
  definition: OpDefinition<I, O, R, P, S, N> & {
    readonly options?: OptionNames<NoInfer<O>, NoInfer<A>[number]>;
  } & Batchable,
): Op<I, O, R, 'unknown', A> {
  const { slots, variadic } = inputsOf(definition);
  // Dispatch, tape and graph treat every op alike, so the positional types are erased here.
  const erased = definition as unknown as OpDefinition;
  const op = (...args: unknown[]): unknown => {
    const { operands, options } = splitArguments(erased, slots, variadic, args);
    return dispatch(erased, slots, operands, options);
  };
  // `splitArguments` sorts the arguments at run time; the declared type is that of the definition.
  return Object.assign(op, { definition }) as unknown as Op<I, O, R, 'unknown', A>;
}

/** Runs `definition` on operands and options. For graphs that replay calls. */
export function applyOp(definition: OpDefinition, operands: readonly unknown[], options: object): unknown {
  return dispatch(definition, inputsOf(definition).slots, operands, options);
}

/** The inputs of an op as its definition names them, and whether they are a list of any length. */
export function inputsOf({ inputs }: { readonly inputs: readonly string[] }): {
  slots: readonly InputSlot[];
  variadic: boolean;
} {
  const variadic = inputs[0]?.startsWith('...') ?? false;
  return { slots: inputs.map((text) => parseSlot(variadic ? text.slice(3) : text)), variadic };
}

/** Separates the operands of a call from its options, which come last: in an object, by position, or both ways. */
export function splitArguments(
  { name: op, options: names }: Pick<OpDefinition, 'name' | 'options'>,
  slots: readonly InputSlot[],
  variadic: boolean,
  args: readonly unknown[],
): { operands: readonly unknown[]; options: object } {
  const count = variadic ? 1 : slots.length;
  let given = args.length;
  while (given > 0 && args[given - 1] === undefined) given--;
  const last = args[given - 1];
  const named = isPlainObject(last) ? last : null;
  const operands = args.slice(0, Math.min(count, named ? given - 1 : given));
  // Only optional operands may be omitted: others become undefined, not null.
  while (operands.length < count) operands.push(slots[operands.length]?.optional ? null : undefined);
  const list = variadic ? listOf(op, slots, operands[0]) : operands;
  if (given > count + (named ? 1 : 0)) {
    const before = slots.map((slot) => slot.name);
    return { operands: list, options: optionsOf(op, args.slice(count, given), names ?? {}, before) };
  }
  if (named && names) checkOptions(op, named, names);
  return { operands: list, options: named ?? {} };
}

/** Returns the tensors of an op whose operand is a list. */
function listOf(op: string, slots: readonly InputSlot[], list: unknown): readonly unknown[] {
  if (!Array.isArray(list)) {
    throw new ValueError({
      op,
      rule: `\`${slots[0]?.name}\` must be a list of tensors.`,
      received: describe(list),
      hint: `call ${op}([a, b], options).`,
    });
  }
  if (list.length > maxOperands) {
    throw new ValueError({
      op,
      rule: `\`${slots[0]?.name}\` holds at most ${maxOperands} tensors.`,
      received: `a list of ${list.length}`,
      hint: 'combine them in parts.',
    });
  }
  // Copied, so that holes are undefined like any other missing operand.
  return [...list];
}

/** The maximum number of operands of ops that take a list. */
export const maxOperands = 2 ** 16;

/** Throws unless two inputs have the same dtype; for ops without promotion. */
export function requireSameDType(op: string, a: TensorSpec, b: TensorSpec): void {
  if (a.dtype === b.dtype) return;
  throw new DTypeError({
    op,
    rule: 'its inputs must have the same dtype.',
    received: `${formatSpec(a)} and ${formatSpec(b)}`,
    hint: `cast one of them: cast(x, '${a.dtype}').`,
  });
}
