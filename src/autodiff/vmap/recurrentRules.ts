/** @file Batching rules of recurrent steps. Examples that share weights are one batch; otherwise ops compute each step. */
import { sigmoid } from '../../ops/activations/activations.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { split } from '../../ops/arrangement/split.ts';
import { fill } from '../../ops/creation/creation.ts';
import { tanh } from '../../ops/elementwise/hyperbolic.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { stepOf, whereCounts } from '../../ops/recurrent/steps.ts';
import { sum } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { merged } from './arrangementRules.ts';
import type { BatchingRule, MappedCall } from './mappedCall.ts';

type Optional = Tensor | null;

/** Steps whose weights are the operands 1 to `lastWeight`; `byOps` computes the op for one example, composed of simpler ops. */
function steps(
  lastWeight: number,
  byOps: (inputs: readonly Optional[], units: number) => readonly Tensor[],
): BatchingRule {
  return (call) => {
    const weights = call.inputs.map((_, i) => i).slice(1, lastWeight + 1);
    const time = call.shape(0)[1] as number;
    if (weights.some((i) => call.isMapped(i)) && time > 0)
      return call.ofAll(byOps(call.inputs, call.result.at(-1) as number));
    return merged(call, operandsOf(call, weights));
  };
}

/** Returns all operands for all examples, except the weights. Where these differ there are no steps, and their sum will do. */
const operandsOf = (call: MappedCall, weights: readonly number[]): Optional[] =>
  call.inputs.map((input, i) => {
    if (!input || !weights.includes(i)) return input && call.spread(i);
    return call.isMapped(i) ? sum(call.spread(i), { axis: 0 }) : input;
  });

/** Runs `step` for each step of `gates`, and stacks its results along axis 1. */
function allSteps(gates: Tensor, step: (x: Tensor, t: number) => readonly Tensor[]): Tensor[] {
  const time = gates.shape[1] as number;
  const found = Array.from({ length: time }, (_, t) => step(stepOf(gates, t), t));
  return (found[0] as readonly Tensor[]).map((_, i) =>
    stack(
      found.map((parts) => parts[i] as Tensor),
      { axis: 1 },
    ),
  );
}

const initialOf = (state: Optional, gates: Tensor, units: number): Tensor =>
  state ?? fill([gates.shape[0] as number, units], 0);

/** See lstmSteps. */
export const lstms: BatchingRule = steps(1, ([gates, kernel, h, c, mask], units) => {
  let state = initialOf(h as Optional, gates as Tensor, units);
  let cell = initialOf(c as Optional, gates as Tensor, units);
  return allSteps(gates as Tensor, (x, t) => {
    const counts = stepOf(mask as Optional, t);
    const total = add(x, matMul(state, kernel as Tensor));
    const [i, f, g, o] = split(total, { numOrSizeSplits: 4, axis: -1 }) as unknown as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const [written, remembered, candidate, shown] = [sigmoid(i), sigmoid(f), tanh(g), sigmoid(o)];
    const trace = concat([written, remembered, candidate, shown, cell], { axis: -1 });
    const next = add(mul(remembered, cell), mul(written, candidate));
    state = whereCounts(counts, mul(shown, tanh(next)), state);
    cell = whereCounts(counts, next, cell);
    return [state, cell, whereCounts(counts, trace, 0)];
  });
});

/** See gruSteps. */
export const grus: BatchingRule = steps(2, ([gates, kernel, bias, h, mask], units) => {
  let state = initialOf(h as Optional, gates as Tensor, units);
  const thirds = (x: Tensor) =>
    split(x, { numOrSizeSplits: 3, axis: -1 }) as unknown as [z: Tensor, r: Tensor, g: Tensor];
  return allSteps(gates as Tensor, (x, t) => {
    const counts = stepOf(mask as Optional, t);
    const product = matMul(state, kernel as Tensor);
    const [xz, xr, xg] = thirds(x);
    const [uz, ur, inner] = thirds(bias ? add(product, bias) : product);
    const [update, reset] = [sigmoid(add(xz, uz)), sigmoid(add(xr, ur))];
    const candidate = tanh(add(xg, mul(reset, inner)));
    const trace = concat([update, reset, candidate, inner, state], { axis: -1 });
    state = whereCounts(counts, add(mul(update, state), mul(sub(1, update), candidate)), state);
    return [state, whereCounts(counts, trace, 0)];
  });
});
