/** @file Findings about the curves of many steps: a loss that isn't finite, never changes, rises or jumps back and forth. */
import { short } from '../step/findings/facts.ts';
import type { Finding } from '../step/reportData.ts';
import type { RecordedStep } from './recordingData.ts';

/** A number of a step, by its index. */
interface Point {
  readonly step: number;
  readonly value: number;
}

/** Fewer steps show no trend. */
const fewest = 12;
/** With fewer steps, a trend may be the noise of batches, unless nearly every step follows it. */
const minNoisy = 32;
const steady = 0.9;
/** Losses that differ by less than this fraction are the same up to rounding. */
const rounding = 1e-6;
/** Factor by which a loss has to rise, or to come back after it fell. */
const rise = 1.5;
/** Fraction of what was gained that has to be lost again. */
const lost = 0.25;
/** Correlation of a loss with the one before it: -1 if it jumps back and forth, 0 for the noise of batches. */
const alternating = -0.75;
/** Fewer steps that jump may be the noise of batches. */
const minJumps = 20;
/** Size of jumps relative to the loss. */
const largeJump = 0.2;
/** A loss below this fraction of the first ones is learned, whether it jumps or not. */
const learned = 0.8;
/** Factor between the first and the last norms of a gradient that explodes from step to step. */
const explosion = 100;

/** Findings about the loss and the gradient norms among the numbers that the steps returned, the worst first. */
export function curveFindings(steps: readonly RecordedStep[]): Finding[] {
  const loss = curveOf(steps, nameOfLoss(steps));
  const broken = notFinite(loss);
  const finite = loss.filter(({ value }) => Number.isFinite(value));
  const found =
    finite.length < fewest
      ? []
      : (unchanged(finite) ?? rising(finite) ?? returning(finite) ?? jumping(finite) ?? []);
  return [...broken, ...found, ...gradientNorms(steps)];
}

/** Returns `loss`, or the only number that the steps return. */
function nameOfLoss(steps: readonly RecordedStep[]): string {
  const names = new Set(steps.flatMap(({ values }) => Object.keys(values)));
  return names.has('loss') || names.size !== 1 ? 'loss' : ([...names][0] ?? 'loss');
}

/** A value of null is one that isn't finite. Steps that threw have none. */
function curveOf(steps: readonly RecordedStep[], name: string): Point[] {
  return steps.flatMap(({ values }, step) =>
    name in values ? [{ step, value: values[name] ?? Number.NaN }] : [],
  );
}

function notFinite(loss: readonly Point[]): Finding[] {
  const first = loss.findIndex(({ value }) => !Number.isFinite(value));
  if (first < 0) return [];
  const { step } = loss[first] as Point;
  const count = loss.filter(({ value }) => !Number.isFinite(value)).length;
  const before = loss.slice(Math.max(0, first - 3), first).map(({ value }) => short(value));
  return [
    finding(
      'error',
      `The loss isn't finite ${first + count === loss.length ? `from step ${step} on` : `in ${count} steps, the first of which is step ${step}`}.`,
      before.length > 0
        ? `Before it was ${before.join(', ')}. ${grows(loss.slice(0, first)) ? 'It grew from step to step: the steps are too long.' : 'A single step made it so.'}`
        : 'It is so from the first step on: the data, the initial weights or the loss itself have such values.',
      `open step ${step}, whose report names the first call with a NaN or an infinity: await recording.open(${step}).`,
    ),
  ];
}

const grows = (points: readonly Point[]) =>
  points.length >= 3 &&
  points.slice(-3).every(({ value }, i, last) => i === 0 || value > 2 * (last[i - 1] as Point).value);

function unchanged(loss: readonly Point[]): Finding[] | null {
  const [low, high] = [minOf(loss), maxOf(loss)];
  if (high - low > rounding * Math.max(Math.abs(high), Math.abs(low))) return null;
  if (high === 0)
    return [
      finding(
        'warning',
        'The loss is 0 in every step.',
        'There is nothing to learn: predictions and targets are the same, or the loss is multiplied by 0.',
        'look at the targets, at sample weights and at masks.',
      ),
    ];
  return [
    finding(
      'error',
      `The loss never changes: it is ${short(high)} in all ${loss.length} steps.`,
      'No step changes what the loss depends on, or it depends on none of the weights that are trained.',
      'look at the report of any step: it names weights without a gradient, dead units, and updates of 0.',
    ),
  ];
}

/** The loss rises in nearly every step, or, over many steps, all of the last losses are above all of the first. */
function rising(loss: readonly Point[]): Finding[] | null {
  const quarter = Math.floor(loss.length / 4);
  const [first, last] = [loss.slice(0, quarter), loss.slice(-quarter)];
  const [before, after] = [median(first), median(last)];
  const ups = loss.filter(({ value }, i) => i > 0 && value > (loss[i - 1] as Point).value).length;
  const isTrend = loss.length >= minNoisy || ups >= steady * (loss.length - 1);
  const isAbove = minOf(last) > maxOf(first) && after - before > (rise - 1) * Math.abs(before);
  if (!isTrend || !isAbove) return null;
  return [
    finding(
      'error',
      `The loss rises: from about ${short(before)} in the first steps to ${short(after)} in the last.`,
      'Each step makes it worse. Steps that are too long do so, and steps in the wrong direction: a loss that is negated, or a gradient that is added.',
      'lower the learning rate by a factor of 10, or clip gradients (clipnorm). If it still rises, look at the sign of the loss.',
    ),
  ];
}

/** The loss fell, and came back. */
function returning(loss: readonly Point[]): Finding[] | null {
  if (loss.length < minNoisy) return null;
  const size = Math.max(6, Math.floor(loss.length / 8));
  const blocks = Array.from({ length: Math.floor(loss.length / size) }, (_, i) => {
    const end = loss.length - i * size;
    return loss.slice(end - size, end);
  }).reverse();
  const [first, last] = [blocks[0] as Point[], blocks.at(-1) as Point[]];
  const best = blocks.reduce((a, b) => (median(b) < median(a) ? b : a));
  const [from, low, now] = [median(first), median(best), median(last)];
  const since = blocks.slice(blocks.indexOf(best) + 1);
  const isRise =
    since.length >= 2 &&
    minOf(last) > maxOf(best) &&
    now - low > (rise - 1) * Math.abs(low) &&
    now - low > lost * (from - low) &&
    since.every((block, i) => i === 0 || median(block) > median(since[i - 1] as Point[]));
  if (!isRise) return null;
  const turn = best.at(-1)?.step;
  return [
    finding(
      'warning',
      `The loss fell to about ${short(low)}, and has risen to ${short(now)} since step ${turn}.`,
      'What was learned is being lost: steps are too long for where the weights are by then, or the data changed.',
      `lower the learning rate, or decay it by a schedule; clip gradients. Compare the reports of step ${turn} and of the last.`,
    ),
  ];
}

/** The second half of the losses jumps back and forth around a level that isn't lower than that of the first steps. */
function jumping(loss: readonly Point[]): Finding[] | null {
  const half = loss.slice(-Math.ceil(loss.length / 2));
  if (half.length < minJumps) return null;
  const quarter = Math.floor(loss.length / 4);
  const level = median(loss.slice(-quarter));
  const sizes = half.slice(1).map(({ step, value }, i) => ({
    step,
    value: Math.abs(value - (half[i] as Point).value),
  }));
  const isJumping =
    level >= learned * median(loss.slice(0, quarter)) &&
    median(sizes) > largeJump * Math.abs(level) &&
    correlation(half) < alternating;
  if (!isJumping) return null;
  return [
    finding(
      'warning',
      `The loss jumps back and forth between about ${short(minOf(half))} and ${short(maxOf(half))}, and doesn't fall.`,
      'A step goes to the other side of the valley, and the next one comes back: the steps are too long by a small factor. Two batches in turn, of which one is harder, look alike.',
      'lower the learning rate by a factor of 3 to 10.',
    ),
  ];
}

/** Returns the norms of gradients that a step returns by a name such as `gradientNorm`. */
function gradientNorms(steps: readonly RecordedStep[]): Finding[] {
  const names = new Set(steps.flatMap(({ values }) => Object.keys(values)));
  return [...names]
    .filter((name) => /grad/i.test(name))
    .flatMap((name) => {
      const norms = curveOf(steps, name).filter(({ value }) => Number.isFinite(value) && value > 0);
      if (norms.length < fewest) return [];
      const quarter = Math.floor(norms.length / 4);
      const [first, last] = [norms.slice(0, quarter), norms.slice(-quarter)];
      if (minOf(last) < explosion * maxOf(first)) return [];
      return [
        finding(
          'error',
          `Gradients explode from step to step: '${name}' is about ${short(median(first))} in the first steps, and ${short(median(last))} in the last.`,
          'Each step leads to a place with larger gradients, from where the next is longer.',
          'lower the learning rate, or clip gradients (clipnorm in the optimizer).',
        ),
      ];
    });
}

/** Returns the correlation of consecutive values. */
function correlation(points: readonly Point[]): number {
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length;
  const deviations = points.map(({ value }) => value - mean);
  const squares = deviations.reduce((sum, value) => sum + value * value, 0);
  const lagged = deviations.slice(1).reduce((sum, value, i) => sum + value * (deviations[i] as number), 0);
  return lagged / (squares || 1);
}

const minOf = (points: readonly Point[]) => Math.min(...points.map(({ value }) => value));
const maxOf = (points: readonly Point[]) => Math.max(...points.map(({ value }) => value));

function median(points: readonly Point[]): number {
  const sorted = points.map(({ value }) => value).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

function finding(severity: Finding['severity'], title: string, text: string, hint: string): Finding {
  return { kind: 'curve', severity, title, text, hint, callSite: null, layer: null, call: null, weights: [] };
}
