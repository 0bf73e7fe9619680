/**
 * @file defineOp: the one way to make an op. What an op file says is an OpDefinition; what users call is an Op.
 */
import { DTypeError, ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Call } from './call.ts';
import type { Cost } from './cost.ts';
import { dispatch } from './dispatch.ts';
import { type InputSlot, parseSlot, type TensorLike } from './operands.ts';
import { isSymbolic, type SymbolicTensor } from './recording.ts';

/** What `backward` may use. Only what the op's `save` names is there; the rest is undefined. */
export interface Saved {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly inputSpecs: readonly TensorSpec[];
  readonly outputSpecs: readonly TensorSpec[];
  /** Which inputs need a gradient; others may be answered with null. */
  readonly needs: readonly boolean[];
}

export interface OpDefinition<O extends object = object> {
  name: string;
  /**
   * Names of the tensor inputs. `indices:int32` gives the dtype that host values are uploaded in, a `?` at the end marks
   * an input that may be null. One name with a leading `...` takes a list of any length as first argument.
   */
  inputs: readonly string[];
  /**
   * The options of one eager call, where they differ from call to call (a fresh seed): forward, backward and history see
   * the same. Called after `infer` has passed them.
   */
  settle?(options: O): O;
  /** Shapes and dtypes of the outputs; pure, no GPU. An array makes an op with several outputs. */
  infer(inputs: readonly TensorSpec[], options: O): TensorSpec | TensorSpec[];
  /** Launches kernels. Ops may be used, too: they aren't recorded, and what they leave behind is freed. */
  forward(inputs: readonly Tensor[], options: O, call: Call): Tensor | Tensor[];
  /**
   * The vector-Jacobian product, written with ops, so that it can be differentiated again: a gradient (or null) for
   * each input. Null where the op has no gradient by its nature.
   */
  backward: ((cotangents: readonly Tensor[], saved: Saved, options: O) => readonly (Tensor | null)[]) | null;
  /** Whether `backward` takes null for an output that nothing depends on. Default: zeros stand for its cotangent. */
  takesNull?: boolean;
  /** Whether it takes float16. Other ops refuse it. Cotangents of float16 tensors are float32. */
  acceptsFloat16?: boolean;
  /** What backward reads: input and output positions. Default: all inputs, no outputs. */
  save?: { inputs?: readonly number[]; outputs?: readonly number[] };
  /**
   * What a call costs, for `profile`. Default: what the ops in its forward cost.
   */
  cost?(inputs: readonly TensorSpec[], outputs: readonly TensorSpec[], options: O): Cost;
}

type Eager<I extends readonly unknown[]> = {
  [K in keyof I]: I[K] extends Tensor[] ? readonly TensorLike[] : TensorLike | Exclude<I[K], Tensor>;
};
type Mixed<I extends readonly unknown[]> = {
  [K in keyof I]: I[K] extends Tensor[]
    ? readonly (TensorLike | SymbolicTensor)[]
    : TensorLike | SymbolicTensor | Exclude<I[K], Tensor>;
};

/** An op as users call it: tensors by position, options last. Symbolic in, symbolic out. */
export interface Op<I extends readonly unknown[], O extends object, R extends Tensor | Tensor[]> {
  (...args: [...Eager<I>, options?: O]): R;
  (...args: [...Mixed<I>, options?: O]): R extends Tensor[] ? SymbolicTensor[] : SymbolicTensor;
  readonly definition: OpDefinition<O>;
}

/**
 * Defines an op. `I` is the tuple of its tensor inputs, `O` its options, `R` its result.
 *
 *     export const square = defineOp<[x: Tensor]>({ name: 'square', inputs: ['x'], infer: …, forward: …, backward: … });
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineOp<
  I extends readonly unknown[],
  O extends object = object,
  R extends Tensor | Tensor[] = Tensor,
>(definition: OpDefinition<O>): Op<I, O, R> {
  const variadic = definition.inputs[0]?.startsWith('...') ?? false;
  const slots = definition.inputs.map((text) => parseSlot(variadic ? text.slice(3) : text));
  const op = (...args: unknown[]): unknown => {
    const { operands, options } = splitArguments(definition.name, slots, variadic, args);
    return dispatch(definition as unknown as OpDefinition, slots, operands, options);
  };
  return Object.assign(op, { definition }) as unknown as Op<I, O, R>;
}

/** Runs `definition` on operands that are already apart from their options. For graphs that replay calls. */
export function applyOp(definition: OpDefinition, operands: readonly unknown[], options: object): unknown {
  const variadic = definition.inputs[0]?.startsWith('...') ?? false;
  const slots = definition.inputs.map((text) => parseSlot(variadic ? text.slice(3) : text));
  return dispatch(definition, slots, operands, options);
}

function splitArguments(
  op: string,
  slots: readonly InputSlot[],
  variadic: boolean,
  args: readonly unknown[],
): { operands: readonly unknown[]; options: object } {
  const count = variadic ? 1 : slots.length;
  let given = args.length;
  while (given > 0 && args[given - 1] === undefined) given--;
  const last = args[given - 1];
  const hasOptions = given > 0 && isOptions(last);
  const operands = args.slice(0, hasOptions ? given - 1 : given);
  if (operands.length > count) {
    throw new ValueError({
      op,
      rule: `it takes ${slots.map((s) => `\`${s.name}\``).join(', ')}, and one object of options.`,
      received: `${operands.length} positional arguments`,
      hint: 'put the settings into an options object, such as { axis: 0 }.',
    });
  }
  while (operands.length < count) operands.push(null);
  const options = hasOptions ? (last as object) : {};
  if (!variadic) return { operands, options };
  const list = operands[0];
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
  // Copied, so that holes are undefined as any other missing operand.
  return { operands: [...list], options };
}

/** Of ops that take a list. */
const maxOperands = 2 ** 16;

function isOptions(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !isSymbolic(value)
  );
}

/** The specs of an op's float inputs must agree; used by ops without promotion. */
export function requireSameDType(op: string, a: TensorSpec, b: TensorSpec): void {
  if (a.dtype === b.dtype) return;
  throw new DTypeError({
    op,
    rule: 'its inputs must have one dtype.',
    received: `${formatSpec(a)} and ${formatSpec(b)}`,
    hint: `cast one of them: cast(x, '${a.dtype}').`,
  });
}
