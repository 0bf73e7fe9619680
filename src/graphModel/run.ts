/** @file Runs the nodes of a graph, each after those that it reads, and frees what nothing reads any more. */
import { FormatError, ValueError } from '../core/errors.ts';
import { keep, outsideScopes, tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Call, type Outputs } from './call.ts';
import { type GraphNode, orderOf, type Source } from './graphDef.ts';
import { opNamed } from './ops/index.ts';
import { type Made, Value } from './value.ts';

/** The outputs of nodes that are known before a run: the weights, and the inputs. */
export type Known = ReadonlyMap<GraphNode, Value>;

/** A run that waits for values of the device at each yield. */
type Waiting<T> = Generator<Promise<unknown>, T, unknown>;

/** A branch that wasn't taken has no value. */
type Slot = Value | null;

/**
 * Returns the tensors of `outputs`, which are the caller's. Errors: ValueError if an operation waits for values of the device; those of
 * operations.
 */
export function run(outputs: readonly Source[], known: Known): Tensor[] {
  const steps = new Run(outputs, known).steps();
  try {
    const step = steps.next();
    if (step.done) return step.value;
    // It may reject after nobody waits for it.
    step.value.catch(() => {});
  } finally {
    steps.return([]);
  }
  throw new ValueError({
    op: 'execute',
    rule: 'a graph runs at once if no shape in it depends on values of the device.',
    received: 'one that has to read values',
    hint: 'call executeAsync, which waits for them.',
  });
}

/** As `run`, and waits where an operation needs values of the device. */
export async function runAsync(outputs: readonly Source[], known: Known): Promise<Tensor[]> {
  const steps = new Run(outputs, known).steps();
  try {
    let step = outsideScopes(() => steps.next());
    while (!step.done) {
      const waited = await step.value;
      step = outsideScopes(() => steps.next(waited));
    }
    return step.value;
  } finally {
    steps.return([]);
  }
}

class Run {
  readonly #made = new Map<GraphNode, readonly Slot[]>();
  readonly #readers = new Map<GraphNode, Map<number, number>>();
  readonly #order: readonly GraphNode[];

  constructor(
    private readonly outputs: readonly Source[],
    private readonly known: Known,
  ) {
    const nodes = outputs.map(({ node }) => node);
    this.#order = orderOf(nodes, new Set(known.keys()));
    const computed = this.#order.filter((node) => !known.has(node));
    for (const source of [...computed.flatMap(({ inputs }) => inputs), ...outputs]) this.#count(source);
  }

  *steps(): Waiting<Tensor[]> {
    try {
      for (const node of this.#order) {
        const value = this.known.get(node);
        if (value) this.#made.set(node, [value]);
        else yield* this.#runNode(node);
      }
      return this.outputs.map((source) => this.#result(source));
    } finally {
      for (const slots of this.#made.values()) for (const slot of slots) slot?.end();
    }
  }

  #count({ node, index }: Source): void {
    const counts = this.#readers.get(node) ?? new Map<number, number>();
    this.#readers.set(node, counts);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }

  *#runNode(node: GraphNode): Waiting<void> {
    const inputs = node.inputs.map((source) => this.#read(source));
    const slots = yield* this.#outputsOf(node, inputs);
    const readers = this.#readers.get(node);
    for (const [i, slot] of slots.entries()) slot?.await(readers?.get(i) ?? 0);
    this.#made.set(node, slots);
    for (const input of inputs) input?.release();
    // What nothing reads is freed at once.
    for (const slot of slots) slot?.release(0);
  }

  *#outputsOf(node: GraphNode, inputs: readonly Slot[]): Waiting<readonly Slot[]> {
    if (node.op === 'Merge') return merged(inputs);
    const values = inputs.filter((input) => input !== null);
    // Nodes of a branch that wasn't taken don't run.
    if (values.length < inputs.length) return [];
    if (node.op === 'Switch') return yield* this.#switched(values as [Value, Value]);
    const op = opNamed(node.op);
    if (!op) throw missing(node);
    for (const at of op.host ?? []) {
      const value = values.at(at);
      if (value && !value.host) value.host = yield* read(value);
    }
    const call = new Call(node, values);
    const small = op.onHost ? call.onHost() : null;
    const known = small && op.onHost ? op.onHost(small) : null;
    if (known) return wrapped(known, values);
    const outputs = tidy((): Outputs | { promise: Promise<Outputs> } => {
      const made = op.run(call);
      return made instanceof Promise ? { promise: made } : made;
    });
    if (!('promise' in outputs)) return wrapped(outputs, values);
    return wrapped((yield outputs.promise) as Outputs, values);
  }

  /** The branch of TensorFlow 1: its value is at output 0 or 1. */
  *#switched([value, condition]: [Value, Value]): Waiting<readonly Slot[]> {
    condition.host ??= yield* read(condition);
    const isTaken = condition.host.values[0] !== 0;
    return isTaken ? [null, value] : [value, null];
  }

  #read({ node, index }: Source): Slot {
    const slots = this.#made.get(node) ?? [];
    const slot = slots[index];
    // A node of a branch that wasn't taken has none.
    if (slot !== undefined || slots.length === 0) return slot ?? null;
    throw new FormatError({
      op: node.attributes.place,
      rule: 'a node reads an output that another has.',
      received: `output ${index} of ${slots.length}`,
      hint: 'the model may be made for training: convert one for inference.',
    });
  }

  #result(source: Source): Tensor {
    const slot = this.#read(source);
    if (slot) return slot.leave();
    throw new ValueError({
      op: source.node.attributes.place,
      rule: 'an output is in a branch that was taken.',
      received: 'one of the other branch',
      hint: 'ask for the node that joins the branches.',
    });
  }
}

/** The error for an input, which is the only node without an operation. */
function missing({ name, attributes }: GraphNode): ValueError {
  return new ValueError({
    op: attributes.place,
    rule: 'a run has a tensor for each input that its outputs need.',
    received: `none for '${name}'`,
    hint: `pass it by name: { '${name}': x }.`,
  });
}

/** The value of the branch that was taken, and its position. */
function merged(inputs: readonly Slot[]): readonly Slot[] {
  const taken = inputs.findIndex((input) => input !== null);
  if (taken < 0) return [];
  return [inputs[taken] as Value, new Value({ values: [taken], shape: [], dtype: 'int32' }, true)];
}

function* read(value: Value): Waiting<NonNullable<Value['host']>> {
  const data = (yield value.tensor.data()) as ArrayLike<number>;
  return { values: Array.from(data), shape: value.shape, dtype: value.dtype };
}

/** Outputs as values. What a node passes on stays the value that it was. */
function wrapped(outputs: Outputs, inputs: readonly Value[]): readonly Value[] {
  const all = Array.isArray(outputs) ? (outputs as readonly Made[]) : [outputs as Made];
  return all.map((made) => inputs.find((input) => input.holds(made)) ?? new Value(owned(made), true));
}

/** Nodes free their outputs themselves. */
const owned = (made: Made): Made => ('values' in made ? made : keep(made));
