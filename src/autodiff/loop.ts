/**
 * @file Loops over flat lists of tensors, on which `scan` is built. Tapes record a loop as one call; its gradient is a loop
 * in the other direction, so that derivatives of every order exist.
 */
import { isFloating } from '../core/dtype.ts';
import { add } from '../ops/arithmetic.ts';
import { fill } from '../ops/creation.ts';
import { identity } from '../ops/identity.ts';
import {
  activeRecorders,
  isAbstract,
  nextRecording,
  type RecordedCall,
  type Recorder,
  withRecorders,
} from '../ops/recorders.ts';
import { reshape } from '../ops/reshape.ts';
import { replaySeeds, seedPosition } from '../ops/seeds.ts';
import { slice } from '../ops/slice.ts';
import { stack } from '../ops/stack.ts';
import { disposing, tidy } from '../tensor/scope.ts';
import { alias, type Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { compileCompared } from './compile.ts';
import { Tape } from './recordedCalls.ts';
import { recordFunction } from './recordFunction.ts';

type Tensors = readonly Tensor[];

interface Step {
  readonly carry: Tensors;
  readonly ys: Tensors;
}

/** A loop to run. */
interface Loop {
  readonly name: string;
  /** One step: the carry after it, and its outputs. */
  body(carry: Tensors, x: Tensors): Step;
  readonly carry: Tensors;
  /** The first axis of each counts the steps. */
  readonly xs: Tensors;
  readonly length: number;
  readonly reverse: boolean;
  /** The seed position at which each step begins; null to draw new seeds. */
  readonly seeds: readonly number[] | null;
}

/** A loop that has run. */
interface Trace extends Step {
  /** The carries before each step, stacked; empty if nothing records. */
  readonly before: Tensors;
  /** Variables and other float tensors (as aliases) from outside that the body uses; empty if nothing records. */
  readonly constants: Tensors;
  readonly seeds: readonly number[];
}

/** Up to this many steps, capturing costs more than it saves. */
const fewSteps = 3;

/** Runs `loop`, and records it as one call. `ys` are stacked along a new first axis. */
export function runLoop(loop: Loop): Step {
  const isRecorded = activeRecorders().length > 0;
  const trace = withRecorders([], () => tidy(() => forward(loop, isRecorded)));
  const { carry, ys, before, constants } = trace;
  recordLoop(loop, trace);
  // What the gradient needs, the tapes have saved.
  for (const tensor of [...before, ...constants]) if (!(tensor instanceof Variable)) tensor.dispose();
  return { carry, ys };
}

function recordLoop(loop: Loop, { carry, ys, before, constants, seeds }: Trace): void {
  const inputs = [...loop.carry, ...loop.xs, ...constants];
  const outputs = [...carry, ...ys, ...before];
  recordFunction({
    name: loop.name,
    inputs,
    outputs,
    save: {
      inputs: inputs.map((_, i) => i).slice(loop.carry.length),
      outputs: before.map((_, i) => carry.length + ys.length + i),
    },
    backward: (cotangents, savedInputs, savedOutputs) =>
      backward(loop, seeds, ys.length, cotangents, savedInputs, savedOutputs),
  });
}

function forward({ body, carry: init, xs, length, reverse, seeds }: Loop, isRecorded: boolean): Trace {
  const usage = new OutsideUsage(isRecorded);
  // Copies, so that the body may also use the originals as tensors from outside.
  let carry: Tensors = init.map((tensor) => identity(tensor));
  const ys: Tensors[] = new Array(length);
  const before: Tensors[] = new Array(length);
  const begins: number[] = new Array(length);
  const observed = (given: Tensors, x: Tensors) => usage.observe([...given, ...x], () => body(given, x));
  if (length === 0)
    return { ...withoutSteps(observed, carry, xs, isRecorded), constants: usage.floats, seeds: begins };
  const compiled = compileCompared(
    (given: Tensors, x: Tensors) => body(given, x),
    { name: 'scan' },
    { isScheduled: false },
  );
  try {
    for (let k = 0; k < length; k++) {
      const t = reverse ? length - 1 - k : k;
      begins[t] = seeds?.[t] ?? seedPosition();
      const isCaptured = k > 0 && length > fewSteps && !usage.sawAbstract;
      const given = carry;
      const step = tidy(() => {
        const x = xs.map((all) => stepOf(all, t));
        const run = () => (isCaptured ? compiled(given, x) : observed(given, x));
        const after = seeds ? replaySeeds(begins[t] as number, run) : run();
        // Copies: a body may return its arguments.
        return { carry: after.carry.map((y) => identity(y)), ys: after.ys.map((y) => identity(y)) };
      });
      if (isRecorded) before[t] = given;
      else for (const tensor of given) tensor.dispose();
      carry = step.carry;
      ys[t] = step.ys;
    }
  } finally {
    compiled.dispose();
  }
  return {
    carry,
    ys: stacked(ys),
    before: isRecorded ? stacked(before) : [],
    constants: usage.floats,
    seeds: begins,
  };
}

/** Returns the results of a loop without steps. Their shapes are found by a step on zeros. */
function withoutSteps(
  body: (carry: Tensors, x: Tensors) => Step,
  carry: Tensors,
  xs: Tensors,
  isRecorded: boolean,
): Pick<Trace, 'carry' | 'ys' | 'before'> {
  const zeros = xs.map(({ shape, dtype }) => fill(shape.slice(1), 0, { dtype }));
  const none = ({ shape, dtype }: Tensor) => fill([0, ...shape], 0, { dtype });
  const { ys } = body(carry, zeros);
  return { carry, ys: ys.map(none), before: isRecorded ? carry.map(none) : [] };
}

/** Returns the cotangents of carry, xs and constants: the loop in the other direction, which computes each step again. */
function backward(
  loop: Loop,
  seeds: readonly number[],
  results: number,
  cotangents: Tensors,
  savedInputs: Tensors,
  savedOutputs: Tensors,
): (Tensor | null)[] {
  const { body, length, reverse } = loop;
  const [carries, inputs] = [loop.carry.length, loop.xs.length];
  const xs = savedInputs.slice(carries, carries + inputs);
  const constants = savedInputs.slice(carries + inputs);
  const before = savedOutputs.slice(-carries);
  const floats = (tensors: readonly (Tensor | null)[]) =>
    tensors.filter((tensor): tensor is Tensor => tensor !== null && isFloating(tensor.dtype));
  const dCarry = floats(cotangents.slice(0, carries));
  const dYs = floats(cotangents.slice(carries, carries + results));
  const dBefore = floats(cotangents.slice(carries + results));
  const stepBack = (state: Tensors, x: Tensors): Step => {
    const [own, rest] = [x.slice(0, carries + inputs), x.slice(carries + inputs)];
    const outputGradients = [...state.slice(0, dCarry.length), ...rest.slice(0, dYs.length)];
    const ofBefore = rest.slice(dYs.length);
    const sources = [...floats(own), ...constants];
    const gradients = disposing(new Tape(), (tape) => {
      tape.watch(sources);
      const after = body(own.slice(0, carries), own.slice(carries));
      const targets = floats([...after.carry, ...after.ys]);
      return tape.gradients(targets, sources, { outputGradients, unconnectedGradients: 'zero' }) as Tensor[];
    });
    const totals = state.slice(dCarry.length);
    const ofConstants = gradients.slice(gradients.length - constants.length);
    return {
      carry: [
        ...ofBefore.map((g, i) => add(g, gradients[i] as Tensor)),
        ...totals.map((total, i) => add(total, ofConstants[i] as Tensor)),
      ],
      ys: gradients.slice(dCarry.length, gradients.length - constants.length),
    };
  };
  const { carry, ys } = runLoop({
    name: loop.name,
    body: stepBack,
    carry: [...dCarry, ...constants.map(({ shape }) => fill(shape, 0))],
    xs: [...before, ...xs, ...dYs, ...dBefore],
    length,
    reverse: !reverse,
    seeds,
  });
  const ofCarry = spreadOver(loop.carry, carry);
  return [...ofCarry, ...spreadOver(xs, ys), ...carry.slice(dCarry.length)];
}

/** Returns `gradients`, one for each float of `tensors`; null for the others. */
function spreadOver(tensors: Tensors, gradients: Tensors): (Tensor | null)[] {
  let next = 0;
  return tensors.map(({ dtype }) => (isFloating(dtype) ? (gradients[next++] as Tensor) : null));
}

/** Returns step `t` of a tensor whose first axis counts the steps. */
function stepOf(all: Tensor, t: number): Tensor {
  const [, ...shape] = all.shape;
  const begin = all.shape.map((_, i) => (i === 0 ? t : 0));
  return reshape(slice(all, { begin, size: [1, ...shape] }), { shape });
}

/** Returns the outputs of all steps, of which there is at least one, stacked. */
function stacked(steps: readonly Tensors[]): Tensor[] {
  return (steps[0] as Tensors).map((_, i) => stack(steps.map((step) => step[i] as Tensor)));
}

/** Collects the tensors from outside that recorded calls use. */
class OutsideUsage implements Recorder {
  readonly recording = nextRecording();
  readonly #made = new Set<number>();
  readonly #used = new Map<number, Tensor>();

  /** Runs `body`, whose own tensors don't count as from outside. */
  observe<T>(own: Tensors, body: () => T): T {
    for (const { id } of own) this.#made.add(id);
    return withRecorders([this], body);
  }

  /** Whether the body uses a mapped tensor from outside. Calls that are given one are never captured. */
  sawAbstract = false;

  /** `keeps`: whether to collect tensors, or only to look for abstract ones. */
  constructor(readonly keeps: boolean) {}

  get floats(): Tensor[] {
    return [...this.#used.values()];
  }

  record({ inputs, outputs }: RecordedCall): void {
    for (const { id } of outputs) this.#made.add(id);
    for (const input of inputs) {
      if (!input || this.#made.has(input.id)) continue;
      this.sawAbstract ||= isAbstract(input);
      const isNew = this.keeps && isFloating(input.dtype) && !this.#used.has(input.id);
      // The handle may belong to a tape and be freed with it.
      if (isNew) this.#used.set(input.id, input instanceof Variable ? input : alias(input));
    }
  }
}
