/** @file Steps over a sequence, with masks: what a recurrent layer does with its cell. */
import { cast } from '../../../ops/cast.ts';
import { zeros } from '../../../ops/creation.ts';
import { cumsum } from '../../../ops/cumsum.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { flip } from '../../../ops/flip.ts';
import { greater } from '../../../ops/comparison.ts';
import { slice } from '../../../ops/slice.ts';
import { squeeze } from '../../../ops/squeeze.ts';
import { stack } from '../../../ops/stack.ts';
import { unstack } from '../../../ops/unstack.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { StepOrder, Steps } from './cell.ts';

export interface Run extends StepOrder {
  /** Whether every output is asked for, or the last alone. */
  returnSequences: boolean;
  /** Whether outputs are zeros where the mask is false; otherwise they are those of the step before. */
  zeroOutputForMask: boolean;
  outputSize: number;
  /** Whether the states before the first step are zeros. */
  fromZero: boolean;
}

export interface RunResult {
  /** [batch, time, size] in the order of the steps, or the last, [batch, size]. */
  output: Tensor;
  states: readonly Tensor[];
}

/** Runs `steps` over x [batch, time, …]. Before the first step that counts, outputs are zeros. */
export function runSteps(steps: Steps, x: Tensor, states: readonly Tensor[], run: Run): RunResult {
  const [batch, time] = x.shape as [number, number];
  if (time === 0) {
    const { returnSequences, outputSize } = run;
    return { output: zeros(returnSequences ? [batch, 0, outputSize] : [batch, outputSize]), states };
  }
  const projected = steps.project(x);
  const mask = run.mask && cast(run.mask, { dtype: 'bool' });
  return steps.takeAll
    ? together(steps.takeAll(projected, states, { ...run, mask }), { ...run, mask })
    : oneByOne(steps, projected, states, { ...run, mask });
}

function oneByOne(steps: Steps, projected: Tensor, initial: readonly Tensor[], run: Run): RunResult {
  const { goBackwards, returnSequences, zeroOutputForMask } = run;
  const inOrder = (slices: Tensor[]) => (goBackwards ? slices.reverse() : slices);
  const inputs = inOrder(unstack(projected, { axis: 1 }));
  const masks = run.mask && inOrder(unstack(expandDims(run.mask, { axis: -1 }), { axis: 1 }));
  const outputs: Tensor[] = [];
  let states = initial;
  inputs.forEach((input, t) => {
    const [output, ...next] = steps.take(input, states) as [Tensor, ...Tensor[]];
    const counts = masks?.[t];
    const before = zeroOutputForMask ? undefined : outputs.at(-1);
    outputs.push(counts ? where(counts, output, before ?? 0) : output);
    states = counts ? next.map((state, i) => where(counts, state, states[i] as Tensor)) : next;
  });
  const output = returnSequences ? stack(outputs, { axis: 1 }) : (outputs.at(-1) as Tensor);
  return { output, states };
}

/** What all steps at once gave: there, outputs are states, and carried over like them. */
function together({ outputs, states }: { outputs: Tensor; states: readonly Tensor[] }, run: Run): RunResult {
  const { mask, goBackwards, returnSequences, zeroOutputForMask, fromZero } = run;
  const last = () =>
    squeeze(slice(outputs, { begin: [0, (outputs.shape[1] as number) - 1, 0], size: [-1, 1, -1] }), {
      axis: 1,
    });
  if (!mask || (fromZero && !zeroOutputForMask))
    return { output: returnSequences ? outputs : last(), states };
  const ordered = goBackwards ? flip(mask, { axis: 1 }) : mask;
  const counts = zeroOutputForMask
    ? ordered
    : greater(cumsum(cast(ordered, { dtype: 'int32' }), { axis: 1 }), 0);
  const shown = where(expandDims(counts, { axis: -1 }), outputs, 0);
  outputs = shown;
  return { output: returnSequences ? shown : last(), states };
}
