/** @file Schedules that fall along a cosine. Source: Loshchilov and Hutter, SGDR, ICLR 2017. */
import type { Positions } from '../../../core/options.ts';
import { requireNotNegative, requireNumber, requireOption, requirePositive } from '../optionChecks.ts';
import { type LearningRateSchedule, makeSchedule, type ScheduleOptions } from './schedule.ts';

/** Options of `cosineDecay`. */
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

/** Half a cosine from the highest rate to `alpha` of it, after a linear warm-up. Errors: ValueError for options. */
export function cosineDecay(options: CosineDecayOptions): LearningRateSchedule;
export function cosineDecay(
  ...settings: Positions<
    CosineDecayOptions,
    ['initialLearningRate', 'decaySteps', 'alpha', 'name', 'warmupTarget', 'warmupSteps']
  >
): LearningRateSchedule;
export function cosineDecay(...args: unknown[]): LearningRateSchedule {
  const className = 'CosineDecay';
  const defaults = {
    initialLearningRate: undefined,
    decaySteps: undefined,
    alpha: 0,
    name: className,
    warmupTarget: null,
    warmupSteps: 0,
  };
  return makeSchedule<CosineDecayOptions>(className, defaults, args, {
    check: ({ initialLearningRate, decaySteps, alpha, warmupTarget, warmupSteps }) => {
      requireNotNegative(className, 'initialLearningRate', initialLearningRate);
      requirePositive(className, 'decaySteps', decaySteps);
      requireNotNegative(className, 'alpha', alpha);
      if (warmupTarget !== null) requireNotNegative(className, 'warmupTarget', warmupTarget);
      requireNotNegative(className, 'warmupSteps', warmupSteps);
    },
    rate: ({ initialLearningRate, decaySteps, alpha, warmupTarget, warmupSteps }, step) => {
      const warm = warmupTarget === null ? 0 : warmupSteps;
      const highest = warmupTarget ?? initialLearningRate;
      if (step < warm) return initialLearningRate + (highest - initialLearningRate) * (step / warm);
      const passed = Math.min(step - warm, decaySteps) / decaySteps;
      return highest * ((1 - alpha) * halfCosine(passed) + alpha);
    },
  });
}

/** Options of `cosineDecayRestarts`. */
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

/** Half cosines, each period from its highest rate. Errors: ValueError for options. */
export function cosineDecayRestarts(options: CosineDecayRestartsOptions): LearningRateSchedule;
export function cosineDecayRestarts(
  ...settings: Positions<
    CosineDecayRestartsOptions,
    ['initialLearningRate', 'firstDecaySteps', 'tMul', 'mMul', 'alpha', 'name']
  >
): LearningRateSchedule;
export function cosineDecayRestarts(...args: unknown[]): LearningRateSchedule {
  const className = 'CosineDecayRestarts';
  const defaults = {
    initialLearningRate: undefined,
    firstDecaySteps: undefined,
    tMul: 2,
    mMul: 1,
    alpha: 0,
    name: 'SGDRDecay',
  };
  return makeSchedule<CosineDecayRestartsOptions>(className, defaults, args, {
    check: ({ initialLearningRate, firstDecaySteps, tMul, mMul, alpha }) => {
      requireNotNegative(className, 'initialLearningRate', initialLearningRate);
      requirePositive(className, 'firstDecaySteps', firstDecaySteps);
      requireNumber(className, 'tMul', tMul, 'a number of at least 1', (n) => n >= 1);
      requireNotNegative(className, 'mMul', mMul);
      requireOption(className, 'alpha', alpha, alpha >= 0 && alpha <= 1, 'a number in [0, 1]');
    },
    rate: ({ initialLearningRate, firstDecaySteps, tMul, mMul, alpha }, step) => {
      const { period, passed } = periodAt(step / firstDecaySteps, tMul);
      return initialLearningRate * ((1 - alpha) * mMul ** period * halfCosine(passed) + alpha);
    },
  });
}

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
