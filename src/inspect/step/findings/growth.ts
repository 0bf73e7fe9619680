/** @file Values and gradients that grow or shrink from call to call of a layer, such as the steps of a recurrent one. */
import type { ReportedCall } from '../reportData.ts';
import { type Facts, short } from './facts.ts';

/** The smallest number of calls of one op in one layer that count as steps. */
const minSteps = 5;

/** A sequence of norms, and the factor by which it changes from one to the next. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  readonly steps: number;
  /** The geometric mean of the factors. */
  readonly factor: number;
}

/** Returns the trend of positive finite norms; null if there are too few. */
export function trendOf(norms: readonly (number | null | undefined)[]): Trend | null {
  const known = norms.filter((norm): norm is number => typeof norm === 'number' && norm > 0);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined || known.length < minSteps) return null;
  const steps = known.length - 1;
  return { first, last, steps: known.length, factor: Math.exp((Math.log(last) - Math.log(first)) / steps) };
}

/** Returns the calls of the same op in the same layer with results of the same shape, in their order. */
export function stepsLike(facts: Facts, call: ReportedCall): ReportedCall[] {
  const shape = facts.outputsOf(call)[0]?.shape.join();
  return facts.data.calls.filter(
    (other) =>
      other.op === call.op &&
      other.layer === call.layer &&
      !other.backward === !call.backward &&
      facts.outputsOf(other)[0]?.shape.join() === shape,
  );
}

/** Returns a text about values that grew from step to step before `call`; null if they didn't. */
export function growthIn(facts: Facts, call: ReportedCall): string | null {
  const before = stepsLike(facts, call).filter(({ id }) => id < call.id);
  const trend = trendOf(before.map((step) => facts.outputsOf(step)[0]?.values?.norm));
  if (!trend || trend.factor < 1.2 || trend.last < 1e3 * trend.first) return null;
  return `Before it, ${call.backward ? 'gradients' : 'values'} grow by a factor of ${short(trend.factor)} at each of ${trend.steps} steps, from ${short(trend.first)} to ${short(trend.last)}: they explode.`;
}
