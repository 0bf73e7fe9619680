/** @file Scales of axes: where a value stands, and which values are marked. */

export type ScaleKind = 'linear' | 'log';

export interface Scale {
  /** From 0 at the lowest value of the axis to 1 at its highest. */
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** A scale from `min` to `max` and, on an axis of numbers, to round values around them. At most `count` values are marked. */
export function scaleOf(kind: ScaleKind, min: number, max: number, count = 6): Scale {
  return kind === 'log' ? logScale(min, max, count) : linearScale(min, max, count);
}

function linearScale(min: number, max: number, count: number): Scale {
  const step = roundStep((max - min || Math.abs(max) || 1) / Math.max(1, count - 1));
  const low = Math.floor(min / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(max / step - 1e-9) * step);
  const marks = Math.round((high - low) / step);
  return {
    at: (value) => (value - low) / (high - low),
    ticks: Array.from({ length: marks + 1 }, (_, i) => exact(low + i * step)),
  };
}

/** A scale whose ends are `min` and `max` themselves, marked at round integers: for steps and epochs. */
export function integerScale(min: number, max: number, count: number): Scale {
  const high = Math.max(min + 1, max);
  const step = Math.max(1, roundStep((high - min) / Math.max(1, count)));
  const first = Math.ceil(min / step) * step;
  const marks = Math.max(0, Math.floor((high - first) / step + 1e-9));
  return {
    at: (value) => (value - min) / (high - min),
    ticks: Array.from({ length: marks + 1 }, (_, i) => exact(first + i * step)),
  };
}

/** 1, 2 or 5 times a power of ten: the least that isn't below `least`. */
function roundStep(least: number): number {
  const unit = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 5].find((digit) => digit * unit >= least * (1 - 1e-9)) ?? 10) as number) * unit;
}

/** Digits that marks begin with, and those for values that are near one another: decades would be mostly empty. */
const coarse = [1, 2, 5];
const fine = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const near = 5;

function logScale(min: number, max: number, count: number): Scale {
  const round = marksOf(Math.log10(min) - 1, Math.log10(max) + 1, max < near * min ? fine : coarse);
  const low = round.filter((mark) => mark <= min).at(-1) ?? min;
  const high = round.find((mark) => mark >= max && mark > low) ?? max;
  const [from, to] = [Math.log(low), Math.log(high)];
  return { at: (value) => (Math.log(value) - from) / (to - from), ticks: logTicks(low, high, count) };
}

function marksOf(from: number, to: number, beginnings: readonly number[]): number[] {
  const marks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++)
    for (const digit of beginnings) marks.push(Number(`${digit}e${power}`));
  return marks;
}

/** Few enough that each can be read: fewer digits first, then fewer powers of ten. */
function logTicks(low: number, high: number, count: number): number[] {
  const within = (beginnings: readonly number[]) =>
    marksOf(Math.log10(low), Math.log10(high), beginnings).filter((mark) => mark >= low && mark <= high);
  const candidates = high < near * low ? [fine, coarse, [1]] : [coarse, [1]];
  const fitting = candidates.map(within).find((marks) => marks.length <= count + 1 && marks.length > 1);
  if (fitting) return fitting;
  const powers = within([1]);
  const every = Math.ceil(powers.length / count);
  return powers.filter((_, i) => i % every === 0);
}

/** Without the last digits of a sum of steps. */
const exact = (value: number) => Number(value.toPrecision(12));
