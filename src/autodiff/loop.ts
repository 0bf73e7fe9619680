/**
 * @file Loops over flat lists of tensors, on which `scan` is built. Tapes record a loop as one call; its gradient is a loop
 * in the other direction, so that derivatives of every order exist.
 */
import { isFloating } from '../core/dtype.ts';
import { add } from '../ops/elementwise/arithmetic.ts';
import { fill } from '../ops/creation/creation.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { activeRecorders, unrecorded } from '../ops/define/recorders.ts';
import { reshape } from '../ops/arrangement/reshape.ts';
import type { SeedNotes } from '../ops/define/seeds.ts';
import { slice } from '../ops/arrangement/slice.ts';
import { stack } from '../ops/arrangement/stack.ts';
import { output } from '../kernels/launch/output.ts';
import { disposing, tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Variable } from '../tensor/variable.ts';
import { wholeWords } from '../webgpu/storage.ts';
import { compileCompared } from './compile.ts';
import { OutsideUse, undone } from './outsideUse.ts';
import { Tape } from './recordedCalls.ts';
import { recordFunction, type SavedValues } from './recordFunction.ts';

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
  /** The seeds that each step draws again; null to draw new ones. */
  readonly seeds: readonly SeedNotes[] | null;
}

/** A loop that has run. */
interface Trace extends Step {
  /** The carries before each step, stacked; empty if nothing records. */
  readonly before: Tensors;
  /** What the body uses from outside. */
  readonly use: OutsideUse;
  /** Variables that the body assigns; none if nothing records. */
  readonly states: readonly State[];
  readonly seeds: readonly SeedNotes[];
}

/** A variable that the body assigns. */
interface State {
  /** The position of its first value among what `use` keeps. */
  readonly value: number;
  /** Its values before each step, stacked. */
  readonly before: Tensor;
}

/** Up to this many steps, capturing costs more than it saves. */
const fewSteps = 3;

/** Runs `loop`, and records it as one call. `ys` are stacked along a new first axis. */
export function runLoop(loop: Loop): Step {
  const isRecorded = activeRecorders().length > 0;
  const use = new OutsideUse(isRecorded);
  const trace = unrecorded(() => tidy(() => forward(loop, use)));
  recordLoop(loop, trace);
  // What the gradient needs, the tapes have saved.
  for (const tensor of [...trace.before, ...trace.states.map(({ before }) => before)]) tensor.dispose();
  use.release();
  return { carry: trace.carry, ys: trace.ys };
}

function recordLoop(loop: Loop, { carry, ys, before, use, states, seeds }: Trace): void {
  const constants = use.sources;
  const inputs = [...loop.carry, ...loop.xs, ...constants];
  const outputs = [...carry, ...ys, ...before];
  recordFunction({
    name: loop.name,
    inputs,
    outputs,
    save: {
      inputs: loop.xs.map((_, i) => loop.carry.length + i),
      outputs: before.map((_, i) => carry.length + ys.length + i),
    },
    keep: [...use.kept, ...states.map(({ before }) => before)],
    backward: (cotangents, saved) =>
      backward(loop, { use, states, seeds, constants, results: ys.length }, cotangents, saved),
  });
}

function forward(loop: Loop, use: OutsideUse): Trace {
  const { body, carry: init, xs, length, reverse, seeds } = loop;
  // Copies, so that the body may also use the originals as tensors from outside.
  let carry: Tensors = init.map((tensor) => identity(tensor));
  const ys: Tensors[] = new Array(length);
  const before: Tensors[] = new Array(length);
  const begins: SeedNotes[] = new Array(length);
  const observed = (given: Tensors, x: Tensors) => use.observe(() => body(given, x));
  if (length === 0)
    return { ...undone(() => withoutSteps(observed, carry, xs, use.keeps)), use, states: [], seeds: [] };
  const compiled = compileCompared(
    (given: Tensors, x: Tensors) => body(given, x),
    { name: 'scan' },
    { isScheduled: false },
  );
  let states: StateSteps[] = [];
  try {
    for (let k = 0; k < length; k++) {
      const t = reverse ? length - 1 - k : k;
      const isFirst = k === 0;
      begins[t] = seeds?.[t] ?? (isFirst ? use.seeds : use.seeds.again());
      for (const { variable, steps } of states) steps[t] = copyOf(variable);
      const isCaptured = !isFirst && length > fewSteps && !use.sawAbstract;
      const given = carry;
      const step = tidy(() => {
        const x = xs.map((all) => stepOf(all, t));
        const run = () => (isCaptured ? compiled(given, x) : observed(given, x));
        const after = seeds ? (begins[t] as SeedNotes).replay(run) : run();
        // Copies: a body may return its arguments.
        return { carry: after.carry.map((y) => identity(y)), ys: after.ys.map((y) => identity(y)) };
      });
      if (isFirst)
        states = use.assigned.map(({ variable, value }) => firstStep(use, variable, value, t, length));
      if (use.keeps) before[t] = given;
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
    before: use.keeps ? stacked(before) : [],
    use,
    states: states.map(({ value, steps }) => ({ value, before: stack(steps) })),
    seeds: begins,
  };
}

/** A variable that the body assigns, with its values before each step so far. */
interface StateSteps {
  readonly variable: Variable;
  readonly value: number;
  readonly steps: Tensor[];
}

/** Returns a variable that step `t`, the first, assigned; what it was before is among what `use` keeps. */
function firstStep(
  use: OutsideUse,
  variable: Variable,
  value: number,
  t: number,
  length: number,
): StateSteps {
  const steps: Tensor[] = new Array(length);
  steps[t] = identity(use.kept[value] as Tensor);
  return { variable, value, steps };
}

/** A copy: replays write the variable in place, which sharing its values would prevent. */
function copyOf({ device, storage, bytes, shape, dtype }: Variable): Tensor {
  const copy = output(device, { shape, dtype }, 'scan');
  if (bytes > 0) device.copy(storage, copy.storage, wholeWords(bytes));
  return copy;
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

/** What the gradient of a loop knows of it. */
interface Recorded extends Pick<Trace, 'use' | 'states' | 'seeds'> {
  /** Tensors from outside that get a gradient. */
  readonly constants: Tensors;
  /** The number of stacked results. */
  readonly results: number;
}

/** Returns the cotangents of carry, xs and constants: the loop in the other direction, which computes each step again. */
function backward(
  loop: Loop,
  { use, states, seeds, constants: all, results }: Recorded,
  cotangents: Tensors,
  { inputs: savedInputs, outputs: savedOutputs, kept, needs }: SavedValues,
): (Tensor | null)[] {
  const { body, length, reverse } = loop;
  const [carries, inputs] = [loop.carry.length, loop.xs.length];
  const xs = savedInputs.slice(carries, carries + inputs);
  const isNeeded = needs.slice(carries + inputs);
  const constants = all.filter((_, i) => isNeeded[i]);
  const before = savedOutputs.slice(carries + results);
  const floats = (tensors: readonly (Tensor | null)[]) =>
    tensors.filter((tensor): tensor is Tensor => tensor !== null && isFloating(tensor.dtype));
  const dCarry = floats(cotangents.slice(0, carries));
  const dYs = floats(cotangents.slice(carries, carries + results));
  const dBefore = floats(cotangents.slice(carries + results));
  const stateSteps = kept.slice(kept.length - states.length);
  const outside = kept.slice(0, kept.length - states.length);
  const stepBack = (state: Tensors, x: Tensors): Step => {
    const [own, rest] = [x.slice(0, carries + inputs), x.slice(carries + inputs)];
    const outputGradients = [...state.slice(0, dCarry.length), ...rest.slice(0, dYs.length)];
    const ofBefore = rest.slice(dYs.length, dYs.length + dBefore.length);
    const values = [...outside];
    states.forEach(({ value }, i) => {
      values[value] = rest[dYs.length + dBefore.length + i] as Tensor;
    });
    const gradients = use.rerun(values, () =>
      disposing(new Tape(), (tape) => {
        const sources = [...floats(own), ...constants];
        tape.watch(sources);
        const after = body(own.slice(0, carries), own.slice(carries));
        const targets = floats([...after.carry, ...after.ys]);
        return tape.gradients(targets, sources, {
          outputGradients,
          unconnectedGradients: 'zero',
        }) as Tensor[];
      }),
    );
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
    xs: [...before, ...xs, ...dYs, ...dBefore, ...stateSteps],
    length,
    reverse: !reverse,
    seeds,
  });
  const ofCarry = spreadOver(loop.carry, carry);
  const totals = carry.slice(dCarry.length);
  let next = 0;
  const ofConstants = all.map((_, i) => (isNeeded[i] ? (totals[next++] as Tensor) : null));
  return [...ofCarry, ...spreadOver(xs, ys), ...ofConstants];
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
