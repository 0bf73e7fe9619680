/** @file Runs the steps of a cell over a sequence, with masks. */
import type { Shape } from '../../../core/shape.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { greater } from '../../../ops/elementwise/comparison.ts';
import { zeros } from '../../../ops/creation/creation.ts';
import { cumsum } from '../../../ops/reductions/cumsum.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { flip } from '../../../ops/arrangement/flip.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { stack } from '../../../ops/arrangement/stack.ts';
import { unstack } from '../../../ops/arrangement/unstack.ts';
import { stepOf } from '../../../ops/recurrent/steps.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Steps } from './cell.ts';

export interface Run {
  /** [batch, time]: where it is false, states are carried over. */
  mask: Tensor | null;
  /** The states before the first step; null for those of `initialStates`. */
  states: readonly Tensor[] | null;
  initialStates(): readonly Tensor[];
  /** Whether `initialStates` are zeros. */
  startsAtZero: boolean;
  /** Whether the sequence is read from its end. */
  goBackwards: boolean;
  /** Whether to return every output, or only the last. */
  returnSequences: boolean;
  /** Whether to return the last states. */
  returnState: boolean;
  /** Whether outputs are zeros where the mask is false; otherwise they are those of the step before. */
  zeroOutputForMask: boolean;
  /** Shape of an output, with the batch. */
  outputShape: Shape;
}

export interface RunResult {
  /** All outputs in the order of the steps, [batch, time, size], or the last one, [batch, size]. */
  output: Tensor;
  /** Empty unless `returnState` is set. */
  states: readonly Tensor[];
}

/** Runs `steps` over x [batch, time, …]. Outputs are zeros before the first unmasked step. */
export function runSteps(steps: Steps, x: Tensor, run: Run): RunResult {
  const time = x.shape[1];
  if (time === 0) {
    const shape = run.outputShape.toSpliced(1, 0, ...(run.returnSequences ? [0] : []));
    return { output: zeros(shape), states: run.states ?? run.initialStates() };
  }
  const ordered = (sequence: Tensor) => (run.goBackwards ? flip(sequence, { axis: 1 }) : sequence);
  const mask = run.mask && ordered(cast(run.mask, { dtype: 'bool' }));
  const projected = steps.project(ordered(x));
  return steps.takeAll
    ? together(steps.takeAll, projected, mask, run)
    : oneByOne(steps.take, projected, mask, run);
}

function oneByOne(take: Steps['take'], projected: Tensor, mask: Tensor | null, run: Run): RunResult {
  const { returnSequences, zeroOutputForMask } = run;
  const masks = mask && unstack(alongOutputs(mask, run), { axis: 1 });
  const outputs: Tensor[] = [];
  let states = run.states ?? run.initialStates();
  unstack(projected, { axis: 1 }).forEach((input, t) => {
    const [output, ...next] = take(input, states) as [Tensor, ...Tensor[]];
    const counts = masks?.[t];
    const before = zeroOutputForMask ? undefined : outputs.at(-1);
    outputs.push(counts ? where(counts, output, before ?? 0) : output);
    states = counts ? next.map((state, i) => where(counts, state, states[i] as Tensor)) : next;
  });
  const output = returnSequences ? stack(outputs, { axis: 1 }) : (outputs.at(-1) as Tensor);
  return { output, states };
}

/** [batch, time] as [batch, time, 1, …], with the rank of the outputs. */
function alongOutputs(mask: Tensor, { outputShape }: Run): Tensor {
  return reshape(mask, { shape: [...mask.shape, ...outputShape.slice(1).fill(1)] });
}

function together(
  takeAll: NonNullable<Steps['takeAll']>,
  projected: Tensor,
  mask: Tensor | null,
  run: Run,
): RunResult {
  const { returnSequences, returnState, startsAtZero } = run;
  const initial = run.states ?? (startsAtZero ? null : run.initialStates());
  const sequences = takeAll(projected, initial, mask);
  const lasts = new Map<Tensor, Tensor>();
  const lastOf = (sequence: Tensor) => {
    const last = lasts.get(sequence) ?? stepOf(sequence, (sequence.shape[1] as number) - 1);
    lasts.set(sequence, last);
    return last;
  };
  const wanted = (sequence: Tensor) => (returnSequences ? sequence : lastOf(sequence));
  const output = wanted(sequences[0] as Tensor);
  const shown = mask && shownSteps(mask, initial === null, run);
  return {
    output: shown ? where(expandDims(wanted(shown), { axis: -1 }), output, 0) : output,
    states: returnState ? sequences.slice(1).map(lastOf) : [],
  };
}

/** Returns where outputs aren't zeros even though states are carried over; null if the states can be returned as they are. */
function shownSteps(mask: Tensor, fromZero: boolean, { zeroOutputForMask }: Run): Tensor | null {
  if (zeroOutputForMask) return mask;
  if (fromZero) return null;
  return greater(cumsum(cast(mask, { dtype: 'int32' }), { axis: 1 }), 0);
}
