/** @file Steps that are too long or too short for the loss, for any optimizer. */
import type { Finding, ReportedTensor } from '../reportData.ts';
import { type Facts, type Rule, short } from './facts.ts';
import { isNeverNegative } from './lossSign.ts';

/**
 * From this fraction of the loss on, an expected decrease overshoots. Of a quadratic L ≥ 0 with the expected decrease d, the loss
 * after the step is at least L·(1 − d / 2L)²: more than before if d > 4L.
 */
const overshooting = 4;

/** An update below this fraction of the norm of its weight is too small to matter within many thousand steps. */
const tinyUpdate = 1e-6;
/** |gradient|·|weight| as a fraction of the loss: from 1 on, the weights are far from where the loss is flat. */
const steep = 1;

export const learningRate: Rule = (facts) => {
  const loss = lossOf(facts);
  const value = facts.data.loss;
  const stepped = facts.trained.filter(({ expectedChange }) => expectedChange !== null);
  if (!loss || value === null || value <= 0 || stepped.length === 0 || stepped.length < facts.trained.length)
    return [];
  return [...overshoot(facts, loss, value), ...crawl(facts, value)];
};

/** Returns the loss that all gradients are of. */
function lossOf(facts: Facts): ReportedTensor | undefined {
  const call = facts.call(facts.trained[0]?.path[0]?.call ?? null);
  return call && facts.outputsOf(call)[0];
}

function overshoot(facts: Facts, loss: ReportedTensor, value: number): Finding[] {
  const decrease = -facts.trained.reduce((sum, { expectedChange }) => sum + (expectedChange ?? 0), 0);
  const ratio = decrease / value;
  if (!(ratio > overshooting) || !isNeverNegative(facts, loss)) return [];
  const growth = (1 - ratio / 2) ** 2;
  return [
    {
      kind: 'update',
      severity: 'warning',
      title: `The step is too long: along its gradient the loss would fall by ${short(ratio)} times its value, and it can't fall below 0.`,
      text: `The loss is ${short(value)}; gradient times update is ${short(-decrease)}. Such a step jumps over the minimum to its other side: if the loss is curved like a parabola, it is at least ${short(growth)} times as large afterwards. From step to step it then goes up and down, or grows, often without becoming NaN.`,
      hint: `divide the learning rate by ${short(ratio)} or more. Clipping gradients (clipnorm) or a warm-up helps where only the first steps are like this.`,
      weights: [],
      ...facts.at(facts.call(loss.maker)),
    },
  ];
}

function crawl(facts: Facts, value: number): Finding[] {
  const kernels = facts.trained.filter(({ shape, values }) => shape.length > 1 && values?.norm);
  const ratios = kernels.map(({ update, values }) => (update?.norm ?? 0) / (values?.norm ?? 1));
  const largest = Math.max(...ratios);
  const sizes = kernels.map(
    ({ gradientValues, values }) => (gradientValues?.norm ?? 0) * (values?.norm ?? 0),
  );
  if (kernels.length === 0 || largest === 0 || largest > tinyUpdate || Math.max(...sizes) < steep * value)
    return [];
  return [
    {
      kind: 'update',
      severity: 'warning',
      title: `The step is tiny: it changes every kernel by at most ${short(largest)} of its size.`,
      text: `At this pace it takes a million steps or more to change the weights by their own size, though the gradients are not small (together ${short(facts.data.gradientNorm)}). About a thousandth for each step is usual.`,
      hint: 'raise the learning rate: 0.001 for Adam, 0.01 for SGD. A schedule that begins near 0 looks the same: inspect a later step.',
      weights: kernels.map(({ name }) => name),
      ...facts.at(undefined),
    },
  ];
}
