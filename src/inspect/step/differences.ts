/** @file Compares the weights of two reports: those that both have, and those that only one has or that differ in shape. */
import type { ReportedWeight, StepReportData } from './reportData.ts';

/** A weight before and after; null where the other report has no such weight. */
export type WeightPair = readonly [before: ReportedWeight | null, after: ReportedWeight | null];

/**
 * Pairs the weights of two reports by name, without that of the model. Layers that weren't named have other numbers in each
 * model (`dense_1`, `dense_3`), so where the shapes are the same from the first weight to the last, they are paired in their
 * order.
 */
export function weightPairs(before: StepReportData, after: StepReportData): readonly WeightPair[] {
  if (shapesOf(before) === shapesOf(after))
    return before.weights.map((weight, i) => [weight, after.weights[i] ?? null]);
  const rest = new Map(after.weights.map((weight) => [ownName(after, weight), weight]));
  const pairs = before.weights.map((weight): WeightPair => {
    const name = ownName(before, weight);
    const other = rest.get(name) ?? null;
    rest.delete(name);
    return [weight, other];
  });
  return [...pairs, ...[...rest.values()].map((weight): WeightPair => [null, weight])];
}

/** Returns what differs between the models of two steps, in words; empty if the weights of both are the same ones. */
export function differencesOf(before: StepReportData, after: StepReportData): readonly string[] {
  return weightPairs(before, after).flatMap(([was, is]) => {
    if (!was || !is) {
      const [data, weight] = was ? [before, was] : [after, is as ReportedWeight];
      return [`only ${was ? 'before' : 'after'}: '${ownName(data, weight)}' [${weight.shape.join(', ')}]`];
    }
    const [from, to] = [was.shape.join(', '), is.shape.join(', ')];
    return from === to ? [] : [`'${ownName(before, was)}' is [${from}] before, and [${to}] after`];
  });
}

/** Returns whether the reports have a weight in common, or neither has any. */
export function areComparable(before: StepReportData, after: StepReportData): boolean {
  if (before.weights.length === 0 || after.weights.length === 0)
    return before.weights.length === after.weights.length;
  return weightPairs(before, after).some(([was, is]) => was && is);
}

const ownName = (data: StepReportData, { name }: ReportedWeight) =>
  name.startsWith(`${data.name}/`) ? name.slice(data.name.length + 1) : name;

const shapesOf = ({ weights }: StepReportData) => weights.map(({ shape }) => shape.join()).join(' ');
