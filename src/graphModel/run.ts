/** @file Runs the nodes of a graph, each after those that it reads, and frees what nothing reads any more. */
import { FormatError, ValueError } from '../core/errors.ts';
import { Pacer } from '../core/pacer.ts';
import { keep, outsideScopes, tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Call, type Outputs } from './call.ts';
import { type GraphNode, orderOf, type Source } from './graphDef.ts';
import type { HostValues } from './hostValues.ts';
import type { Flow } from './flow.ts';
import { calledBy, type GraphFunction, isCaller } from './functions.ts';
import { inputsOf, type Loop } from './loops.ts';
import { opNamed } from './ops/index.ts';
import { type Made, Value } from './value.ts';

/** What is known before a run, by node: the weights and the inputs; in a turn of a loop, its variables. */
export interface Known {
  get(node: GraphNode): readonly Slot[] | undefined;
}

/** What a node reads of the device. */
interface Wait {
  readonly node: GraphNode;
  readonly read: () => Promise<unknown>;
}

/** A run that needs values of the device at each yield, or begins a turn of a loop or a function there (null). */
type Waiting<T> = Generator<Wait | null, T, unknown>;

/** How many turns and calls of functions a run may take while JavaScript waits: far more than a model makes. */
const maxTurns = 2 ** 18;

/** A branch that wasn't taken has no value. */
export type Slot = Value | null;

/**
 * Returns the tensors of `outputs`, which are the caller's. Errors: ValueError if an operation waits for values of the device; those of
 * operations.
 */
export function run(outputs: readonly Source[], known: Known, flow: Flow): Tensor[] {
  const steps = new Run(outputs, known, flow).tensors();
  try {
    let step = steps.next();
    for (let turns = 0; !step.done && step.value === null; turns++) {
      if (turns === maxTurns) throw endless();
      step = steps.next();
    }
    if (step.done) return step.value;
    throw new ValueError({
      op: 'execute',
      rule: 'a graph runs at once if no shape in it depends on values of the device.',
      received: `one in which ${(step.value as Wait).node.attributes.place} reads values`,
      hint: 'call executeAsync, which waits for them.',
    });
  } finally {
    steps.return([]);
  }
}

/** As `run`, and waits where an operation needs values of the device. Errors: also the reason of `signal`. */
export async function runAsync(
  outputs: readonly Source[],
  known: Known,
  flow: Flow,
  signal: AbortSignal | undefined,
): Promise<Tensor[]> {
  const pacer = new Pacer(signal);
  const steps = new Run(outputs, known, flow).tensors();
  try {
    let step = outsideScopes(() => steps.next());
    while (!step.done) {
      const pause = pacer.step();
      if (pause) await pause;
      const waited = await step.value?.read();
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
  /** The last values of the variables of loops. */
  readonly #ends = new Map<Loop, readonly Slot[]>();

  constructor(
    private readonly outputs: readonly Source[],
    private readonly known: Known,
    private readonly flow: Flow,
  ) {
    const nodes = outputs.map(({ node }) => node);
    const isKnown = (node: GraphNode) => known.get(node) !== undefined;
    this.#order = orderOf(nodes, isKnown, (node) => inputsOf(node, flow.loops));
    const computed = this.#order.filter((node) => !isKnown(node));
    for (const source of [...computed.flatMap((node) => inputsOf(node, flow.loops)), ...outputs])
      this.#count(source);
  }

  /** The outputs, as tensors of the caller. */
  *tensors(): Waiting<Tensor[]> {
    const slots = yield* this.values();
    try {
      return slots.map((slot, i) => slot?.leave() ?? notTaken(this.outputs[i] as Source));
    } finally {
      for (const slot of slots) slot?.release();
    }
  }

  /** The outputs, which the caller releases. */
  *values(): Waiting<Slot[]> {
    let isDone = false;
    try {
      for (const node of this.#order) {
        const slots = this.known.get(node);
        if (slots) this.#add(node, slots);
        else yield* this.#runNode(node);
      }
      const values = this.outputs.map((source) => this.#read(source));
      isDone = true;
      return values;
    } finally {
      for (const slot of [...this.#ends.values()].flat()) slot?.release();
      if (!isDone) for (const slot of [...this.#made.values()].flat()) slot?.end();
    }
  }

  #add(node: GraphNode, slots: readonly Slot[]): void {
    const readers = this.#readers.get(node);
    for (const [i, slot] of slots.entries()) slot?.await(readers?.get(i) ?? 0);
    this.#made.set(node, slots);
  }

  #count({ node, index }: Source): void {
    const counts = this.#readers.get(node) ?? new Map<number, number>();
    this.#readers.set(node, counts);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }

  *#runNode(node: GraphNode): Waiting<void> {
    const inputs = inputsOf(node, this.flow.loops).map((source) => this.#read(source));
    const slots = yield* this.#outputsOf(node, inputs);
    this.#add(node, slots);
    for (const input of inputs) input?.release();
    // What nothing reads is freed at once.
    for (const slot of slots) slot?.release(0);
  }

  *#outputsOf(node: GraphNode, inputs: readonly Slot[]): Waiting<readonly Slot[]> {
    if (node.op === 'Merge') return merged(inputs);
    const values = inputs.filter((input) => input !== null);
    // Nodes of a branch that wasn't taken don't run.
    if (values.length < inputs.length) return [];
    if (node.op === 'Switch') return yield* this.#switched(node, requireTwo(node, values));
    const exit = this.flow.loops.get(node);
    if (exit) return [(yield* this.#endsOf(exit.loop, values))[exit.variable] ?? null];
    if (isCaller(node)) return yield* this.#called(node, values);
    const op = opNamed(node.op);
    if (!op) throw missing(node);
    for (const at of op.host ?? []) {
      const value = values.at(at);
      if (value) yield* hostOf(node, value);
    }
    const call = new Call(node, values);
    const small = op.onHost ? call.onHost() : null;
    const known = small && op.onHost ? op.onHost(small) : null;
    if (known) return wrapped(known, values);
    const { runAsync } = op;
    if (runAsync) return wrapped((yield { node, read: () => runAsync(call) }) as Outputs, values);
    return wrapped(
      tidy(() => op.run(call)),
      values,
    );
  }

  /** The branch of TensorFlow 1: its value is at output 0 or 1. */
  *#switched(node: GraphNode, [value, condition]: [Value, Value]): Waiting<readonly Slot[]> {
    return (yield* holds(node, condition)) ? [null, value] : [value, null];
  }

  /** Runs a loop, whose nodes after it share the last values. */
  *#endsOf(loop: Loop, entered: readonly Value[]): Waiting<readonly Slot[]> {
    const known = this.#ends.get(loop);
    if (known) return known;
    const ends = yield* this.#turns(loop, entered);
    this.#ends.set(loop, ends);
    return ends;
  }

  *#turns({ enters, variables, condition }: Loop, entered: readonly Value[]): Waiting<readonly Slot[]> {
    const outside = new Map(enters.map((enter, i) => [enter, [entered[i] as Value]]));
    const inside = (wanted: readonly Source[], values: readonly Slot[]) => {
      const own = new Map<GraphNode, readonly Slot[]>(outside);
      for (const [i, { merge, body }] of variables.entries()) {
        own.set(merge, [values[i] as Slot]);
        own.set(body, [null, values[i] as Slot]);
      }
      return this.#inside(wanted, own);
    };
    const next = variables.map((variable) => variable.next);
    return yield* repeated(
      variables.map(({ enter }) => outside.get(enter)?.[0] ?? null),
      function* (held) {
        const [isOn = null] = yield* inside([condition], held);
        return yield* isTrue(condition.node, isOn);
      },
      (held) => inside(next, held),
    );
  }

  /** Runs what a node of TensorFlow 2 calls: a branch, a loop, or a function by itself. */
  *#called(node: GraphNode, values: readonly Value[]): Waiting<readonly Slot[]> {
    const functions = calledBy(node, this.flow.functions);
    const [first, second] = functions as [GraphFunction, GraphFunction];
    const call = ({ inputs, outputs }: GraphFunction, given: readonly Slot[]) =>
      this.#inside(outputs, new Map(inputs.map((input, i) => [input, [given[i] as Slot]])));
    let made: readonly Slot[];
    yield null;
    if (functions.length === 1) made = yield* call(first, values);
    else if (node.op.endsWith('If')) {
      const [condition, ...given] = values as [Value, ...Value[]];
      made = yield* call((yield* holds(node, condition)) ? first : second, given);
    } else {
      made = yield* repeated(
        values,
        function* (held) {
          const [isOn = null] = yield* call(first, held);
          return yield* isTrue(node, isOn);
        },
        (held) => call(second, held),
      );
    }
    for (const slot of made) slot?.handOver();
    return made;
  }

  /** The values of `wanted`, which the caller releases, in a graph where `own` is known, too. */
  #inside(wanted: readonly Source[], own: ReadonlyMap<GraphNode, readonly Slot[]>): Waiting<Slot[]> {
    const known: Known = { get: (node) => own.get(node) ?? this.known.get(node) };
    return new Run(wanted, known, this.flow).values();
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
}

/** The values after the last turn, which the caller releases. It begins with `first`. */
function* repeated(
  first: readonly Slot[],
  isOn: (held: readonly Slot[]) => Waiting<boolean>,
  next: (held: readonly Slot[]) => Waiting<Slot[]>,
): Waiting<readonly Slot[]> {
  let held = first;
  for (const slot of held) slot?.await(1);
  try {
    while (yield* isOn(held)) {
      yield null;
      const made = yield* next(held);
      for (const slot of held) slot?.release();
      held = made;
    }
    const ends = held;
    held = [];
    return ends;
  } finally {
    for (const slot of held) slot?.release();
  }
}

function notTaken({ node }: Source): never {
  throw new ValueError({
    op: node.attributes.place,
    rule: 'an output is in a branch that was taken.',
    received: 'one of the other branch',
    hint: 'ask for the node that joins the branches.',
  });
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

/** Whether a condition holds, which is released. */
function* isTrue(node: GraphNode, condition: Slot): Waiting<boolean> {
  try {
    return condition !== null && (yield* holds(node, condition));
  } finally {
    condition?.release();
  }
}

/** Whether a value stands for true: a scalar that isn't 0 or, as in TensorFlow, any tensor with elements. */
function* holds(node: GraphNode, value: Value): Waiting<boolean> {
  const { values, shape } = yield* hostOf(node, value);
  return shape.length === 0 ? values[0] !== 0 : values.length > 0;
}

function requireTwo({ attributes }: GraphNode, values: readonly Value[]): [Value, Value] {
  if (values.length === 2) return values as [Value, Value];
  throw new FormatError({
    op: attributes.place,
    rule: 'a branch reads a value and a condition.',
    received: `${values.length} inputs`,
    hint: 'the file is damaged or not of TF.js: convert the model again.',
  });
}

function endless(): ValueError {
  return new ValueError({
    op: 'execute',
    rule: `loops and functions of a graph take at most ${maxTurns} turns and calls while JavaScript waits.`,
    received: 'more',
    hint: 'the condition of a loop may never fail: check the inputs; or call executeAsync, which a signal can end.',
  });
}

/** The values of a tensor that `node` needs, which are read once. */
function* hostOf(node: GraphNode, value: Value): Waiting<HostValues> {
  if (value.host) return value.host;
  const data = (yield { node, read: () => value.tensor.data() }) as ArrayLike<number>;
  value.host = { values: Array.from(data), shape: value.shape, dtype: value.dtype };
  return value.host;
}

/** Outputs as values. What a node passes on stays the value that it was. */
function wrapped(outputs: Outputs, inputs: readonly Value[]): readonly Value[] {
  const all = Array.isArray(outputs) ? (outputs as readonly Made[]) : [outputs as Made];
  return all.map((made) => inputs.find((input) => input.holds(made)) ?? new Value(owned(made), true));
}

/** Nodes free their outputs themselves. */
const owned = (made: Made): Made => (made instanceof Tensor ? keep(made) : made);
