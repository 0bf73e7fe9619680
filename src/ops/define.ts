/**
 * @file defineOp: the one way to make an op, and the one dispatch. A symbolic input sends the call to its graph;
 * otherwise the kernels run, and active recorders receive the call.
 */
import { DTypeError, IndexOutOfRangeError, ValueError } from '../core/errors.ts';
import { describe, sizeOf, unravel } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import type { FaultReport } from '../gpu/faults.ts';
import { callSite } from '../history/callSite.ts';
import { currentParent, insideCall } from '../history/frames.ts';
import { Node, type NodeInput, type Operation } from '../history/node.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { tidy } from '../tensor/scope.ts';
import { type InputSlot, parseSlot, type TensorLike, toTensors } from './operands.ts';
import {
  activeRecorders,
  isSymbolic,
  symbolicGraph,
  type SymbolicTensor,
  withRecorders,
} from './recording.ts';

/** What `backward` may use. Only what the op's `save` names is there; the rest is undefined. */
export interface Saved {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly inputSpecs: readonly TensorSpec[];
  readonly outputSpecs: readonly TensorSpec[];
  /** Which inputs need a gradient; others may be answered with null. */
  readonly needs: readonly boolean[];
}

/** One call while its forward runs. */
export class Call {
  /** Set once the call is recorded; faults that are told later can name it. */
  node: Node | null = null;
  /** The layer call inside which this call runs. */
  readonly parent: Node | null = currentParent();

  constructor(
    readonly op: string,
    readonly outputs: readonly TensorSpec[],
    /** The operands as the caller gave them: host values can be checked at once. */
    readonly operands: readonly unknown[],
  ) {}

  /**
   * What a fault of an index tensor in this call means. `indexed` says what the index at a position points into.
   */
  indexFault(indices: TensorSpec, indexed: (position: readonly number[]) => IndexedAxis): FaultReport {
    const { shape, dtype } = indices;
    const site = callSite();
    return {
      count: sizeOf(shape),
      raise: (flat, bits) => {
        const position = unravel(flat, shape);
        return this.indexError(position, dtype === 'uint32' ? bits : bits | 0, indexed(position), site);
      },
    };
  }

  /** The error for one index outside its range, with the history of the call. */
  indexError(
    position: number[],
    index: number,
    indexed: IndexedAxis,
    site = callSite(),
  ): IndexOutOfRangeError {
    const { name, of, axis, limit, mend } = indexed;
    const layer = this.parent?.operation.name;
    const made = layer
      ? `made by layer '${layer}' (call ${(this.parent?.index ?? 0) + 1})`
      : `made by op '${this.op}'`;
    return new IndexOutOfRangeError({
      op: this.op,
      rule: `index ${index} at position [${position.join(', ')}] of \`${name}\` is outside [0, ${limit}), the range of axis ${axis} of ${of}.\n  ${made}${site ? `, recorded at ${site}` : ''}`,
      mend,
      position,
      index,
      limit,
      axis,
      layer,
      history: this.node,
    });
  }
}

/** What an index points into, as error messages say it. */
export interface IndexedAxis {
  /** Name of the index input. */
  name: string;
  /** What is indexed, such as "`x` float32[10, 64]". */
  of: string;
  axis: number;
  /** Size of that axis. */
  limit: number;
  mend: string;
}

export interface OpDefinition<O extends object = object> {
  name: string;
  /**
   * Names of the tensor inputs. `indices:int32` gives the dtype that host values are uploaded in, a `?` at the end marks
   * an input that may be null. One name with a leading `...` takes a list of any length as first argument.
   */
  inputs: readonly string[];
  /** Shapes and dtypes of the outputs; pure, no GPU. An array makes an op with several outputs. */
  infer(inputs: readonly TensorSpec[], options: O): TensorSpec | TensorSpec[];
  /** Launches kernels. Ops may be used, too: they aren't recorded, and what they leave behind is freed. */
  forward(inputs: readonly Tensor[], options: O, call: Call): Tensor | Tensor[];
  /**
   * The vector-Jacobian product, written with ops, so that it can be differentiated again: a gradient (or null) for
   * each input. Null where the op has no gradient by its nature.
   */
  backward: ((cotangents: readonly Tensor[], saved: Saved, options: O) => readonly (Tensor | null)[]) | null;
  /** What backward reads: input and output positions. Default: all inputs, no outputs. */
  save?: { inputs?: readonly number[]; outputs?: readonly number[] };
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
    return dispatch(definition as OpDefinition, slots, operands, options);
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
      mend: 'put the settings into an options object, such as { axis: 0 }.',
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
      mend: `call ${op}([a, b], options).`,
    });
  }
  return { operands: list, options };
}

function isOptions(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !isSymbolic(value)
  );
}

function dispatch(
  op: OpDefinition,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
  options: object,
): unknown {
  const symbolic = operands.find(isSymbolic);
  if (symbolic) return graphOf(symbolic).call(op, operands, options);
  const inputs = toTensors(op.name, slots, operands);
  return execute(op, inputs, operands, options);
}

function execute(
  op: OpDefinition,
  inputs: readonly (Tensor | null)[],
  operands: readonly unknown[],
  options: object,
): Tensor | Tensor[] {
  const specs = op.infer(inputs as readonly TensorSpec[], options);
  const call = new Call(op.name, Array.isArray(specs) ? specs : [specs], operands);
  // Ops that a forward uses are its own business: no recorder and no layer hears of them.
  const forward = () => tidy(() => op.forward(inputs as readonly Tensor[], options, call));
  const result = withRecorders([], () => insideCall(null, forward));
  call.node = recordCall(op, inputs, Array.isArray(result) ? result : [result], options);
  return result;
}

/**
 * Tells active recorders, and the layer call around it, that `op` made `outputs` from `inputs`; null where no one
 * listens. For functions that bring their own gradient; ops are recorded by their dispatch.
 */
export function recordCall(
  op: OpDefinition,
  inputs: readonly (Tensor | null)[],
  outputs: readonly Tensor[],
  options: object,
): Node | null {
  const recorders = activeRecorders();
  const parent = currentParent();
  if (recorders.length === 0 && !parent) {
    rememberInputs(inputs, outputs);
    return null;
  }
  const recording = recorders[0]?.recording ?? 0;
  const node = new Node({
    operation: operationOf(op),
    inputs: inputs.filter((input) => input !== null).map((input) => inputRecord(input, recording)),
    outputs: outputs.map(({ shape, dtype }) => ({ shape, dtype })),
    options: options as Record<string, unknown>,
    parent,
    callSite: callSite(),
    recording,
  });
  outputs.forEach((output, i) => {
    // A kernel may hand back a tensor whose lack of history is the point (stopGradient): that stays.
    if (output.provenance.cause === 'unrecorded') {
      output.provenance = { cause: 'recorded', history: node.historyOf(i) };
    }
  });
  for (const recorder of recorders) recorder.record({ op, inputs, outputs, options, node });
  return node;
}

/** Identities alone: enough for `tape.explain` to follow a value through a call that it didn't see. */
function rememberInputs(inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void {
  const ids = inputs.filter((input) => input !== null).map((input) => input.id);
  for (const output of outputs) {
    const { provenance } = output;
    if (provenance.cause === 'unrecorded') output.provenance = { ...provenance, inputs: ids };
  }
}

const operations = new WeakMap<OpDefinition, Operation>();

/** The identity under which histories know an op. */
export function operationOf(op: OpDefinition): Operation {
  const known = operations.get(op);
  if (known) return known;
  const operation = { name: op.name, className: 'op' };
  operations.set(op, operation);
  return operation;
}

/** `input` as a node of `recording` remembers it. */
export function inputRecord(input: Tensor, recording: number): NodeInput {
  const history = input.kerasHistory;
  // Links stay inside one recording: a state carried from step to step would otherwise drag all its past along.
  const linked = history && history.node.recording === recording ? history : null;
  return { shape: input.shape, dtype: input.dtype, id: input.id, name: input.name, history: linked };
}

function graphOf(symbolic: SymbolicTensor) {
  return symbolic[symbolicGraph];
}

/** The specs of an op's float inputs must agree; used by ops without promotion. */
export function requireSameDType(op: string, a: TensorSpec, b: TensorSpec): void {
  if (a.dtype === b.dtype) return;
  throw new DTypeError({
    op,
    rule: 'its inputs must have one dtype.',
    received: `${formatSpec(a)} and ${formatSpec(b)}`,
    mend: `cast one of them: cast(x, '${a.dtype}').`,
  });
}
