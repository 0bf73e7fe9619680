/** @file Schedules that fall along a cosine. Source: Loshchilov and Hutter, SGDR, ICLR 2017. */
import { fraction, notNegative, positive, within } from '../optionKinds.ts';
import { nameOf, schedule, type ScheduleOptions, type Table } from './schedule.ts';

export interface CosineDecayOptions extends ScheduleOptions {
  /** The learning rate at the first step. */
  initialLearningRate: number;
  /** Steps until the rate is lowest, not counting the warm-up. */
  decaySteps: number;
  /** The lowest rate, as a fraction of the highest. Default 0. */
  alpha?: number;
  /** The rate at the end of a linear warm-up, where the decay starts. Default null: no warm-up. */
  warmupTarget?: number | null;
  /** Steps of the warm-up, before those of the decay. Default 0. */
  warmupSteps?: number;
}

const cosineTable: Table<CosineDecayOptions> = () => ({
  initialLearningRate: notNegative(),
  decaySteps: positive(),
  alpha: notNegative(0),
  name: nameOf('CosineDecay'),
  warmupTarget: notNegative(null),
  warmupSteps: notNegative(0),
});

/** Half a cosine from the highest rate to `alpha` of it, after a linear warm-up. Errors: ValueError for options. */
export const cosineDecay = /* @__PURE__ */ schedule(
  'CosineDecay',
  cosineTable,
  ({ initialLearningRate, decaySteps, alpha, warmupTarget, warmupSteps }) =>
    (step) => {
      const warm = warmupTarget === null ? 0 : warmupSteps;
      const highest = warmupTarget ?? initialLearningRate;
      if (step < warm) return initialLearningRate + (highest - initialLearningRate) * (step / warm);
      const passed = Math.min(step - warm, decaySteps) / decaySteps;
      return highest * ((1 - alpha) * halfCosine(passed) + alpha);
    },
  ['initialLearningRate', 'decaySteps', 'alpha', 'name', 'warmupTarget', 'warmupSteps'],
);

export interface CosineDecayRestartsOptions extends ScheduleOptions {
  /** The learning rate at the first step. */
  initialLearningRate: number;
  /** Steps of the first period. */
  firstDecaySteps: number;
  /** Length of each period relative to the one before. Default 2. */
  tMul?: number;
  /** The highest rate of each period relative to the one before. Default 1. */
  mMul?: number;
  /** The lowest rate, as a fraction of the initial one. Default 0. */
  alpha?: number;
}

const restartsTable: Table<CosineDecayRestartsOptions> = () => ({
  initialLearningRate: notNegative(),
  firstDecaySteps: positive(),
  tMul: within('a number of at least 1', (n) => n >= 1, 2),
  mMul: notNegative(1),
  alpha: fraction(0),
  name: nameOf('SGDRDecay'),
});

/** Half cosines, each period from its highest rate. Errors: ValueError for options. */
export const cosineDecayRestarts = /* @__PURE__ */ schedule(
  'CosineDecayRestarts',
  restartsTable,
  ({ initialLearningRate, firstDecaySteps, tMul, mMul, alpha }) =>
    (step) => {
      const { period, passed } = periodAt(step / firstDecaySteps, tMul);
      return initialLearningRate * ((1 - alpha) * mMul ** period * halfCosine(passed) + alpha);
    },
  ['initialLearningRate', 'firstDecaySteps', 'tMul', 'mMul', 'alpha', 'name'],
);

/** Returns the period that contains `time` (in lengths of the first period), and the fraction of it that has passed. */
function periodAt(time: number, growth: number): { period: number; passed: number } {
  if (growth === 1) return { period: Math.floor(time), passed: time - Math.floor(time) };
  const begin = (period: number) => (1 - growth ** period) / (1 - growth);
  // The logarithm may fall just short of an integer where a period begins.
  let period = Math.floor(Math.log(1 - time * (1 - growth)) / Math.log(growth));
  if (begin(period + 1) <= time) period++;
  return { period, passed: (time - begin(period)) / growth ** period };
}

/** From 1 to 0. */
function halfCosine(passed: number): number {
  return 0.5 * (1 + Math.cos(Math.PI * passed));
}
