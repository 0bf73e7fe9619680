/** @file Schedules that decay by a formula of the step: exponential, inverse time, polynomial. */
import type { Positions } from '../../../core/options.ts';
import { requireBoolean, requireNotNegative, requireNumber, requirePositive } from '../optionChecks.ts';
import { type LearningRateSchedule, makeSchedule, type ScheduleOptions } from './schedule.ts';

/** Options of decays with a rate. */
export interface DecayOptions extends ScheduleOptions {
  /** The learning rate at the first step. */
  initialLearningRate: number;
  /** Steps after which the rate has decayed once. */
  decaySteps: number;
  /** Decay over `decaySteps` steps, as in the schedule's formula. */
  decayRate: number;
  /** Whether to decay only every `decaySteps` steps. Default false. */
  staircase?: boolean;
}

function checkDecay(op: string) {
  return ({ initialLearningRate, decaySteps, decayRate, staircase }: Required<DecayOptions>) => {
    requireNotNegative(op, 'initialLearningRate', initialLearningRate);
    requirePositive(op, 'decaySteps', decaySteps);
    requireNotNegative(op, 'decayRate', decayRate);
    requireBoolean(op, 'staircase', staircase);
  };
}

function decays({ decaySteps, staircase }: Required<DecayOptions>, step: number): number {
  const decays = step / decaySteps;
  return staircase ? Math.floor(decays) : decays;
}

const decayDefaults = (name: string) => ({
  initialLearningRate: undefined,
  decaySteps: undefined,
  decayRate: undefined,
  staircase: false,
  name,
});

/** initialLearningRate · decayRate^(step / decaySteps). Errors: ValueError for options. */
export function exponentialDecay(options: DecayOptions): LearningRateSchedule;
export function exponentialDecay(
  ...settings: Positions<
    DecayOptions,
    ['initialLearningRate', 'decaySteps', 'decayRate', 'staircase', 'name']
  >
): LearningRateSchedule;
export function exponentialDecay(...args: unknown[]): LearningRateSchedule {
  const className = 'ExponentialDecay';
  return makeSchedule<DecayOptions>(className, decayDefaults(className), args, {
    check: checkDecay(className),
    rate: (o, step) => o.initialLearningRate * o.decayRate ** decays(o, step),
  });
}

/** initialLearningRate / (1 + decayRate · step / decaySteps). Errors: ValueError for options. */
export function inverseTimeDecay(options: DecayOptions): LearningRateSchedule;
export function inverseTimeDecay(
  ...settings: Positions<
    DecayOptions,
    ['initialLearningRate', 'decaySteps', 'decayRate', 'staircase', 'name']
  >
): LearningRateSchedule;
export function inverseTimeDecay(...args: unknown[]): LearningRateSchedule {
  const className = 'InverseTimeDecay';
  return makeSchedule<DecayOptions>(className, decayDefaults(className), args, {
    check: checkDecay(className),
    rate: (o, step) => o.initialLearningRate / (1 + o.decayRate * decays(o, step)),
  });
}

/** Options of `polynomialDecay`. */
export interface PolynomialDecayOptions extends ScheduleOptions {
  /** The learning rate at the first step. */
  initialLearningRate: number;
  /** Steps until `endLearningRate` is reached. */
  decaySteps: number;
  /** The lowest rate. Default 0.0001. */
  endLearningRate?: number;
  /** Exponent of the curve. Default 1: a straight line. */
  power?: number;
  /** Whether to restart with a longer period at the end. Default false: the rate stays constant. */
  cycle?: boolean;
}

/**
 * (initialLearningRate - endLearningRate) · (1 - step / decaySteps)^power + endLearningRate. Errors: ValueError for
 * options.
 */
export function polynomialDecay(options: PolynomialDecayOptions): LearningRateSchedule;
export function polynomialDecay(
  ...settings: Positions<
    PolynomialDecayOptions,
    ['initialLearningRate', 'decaySteps', 'endLearningRate', 'power', 'cycle', 'name']
  >
): LearningRateSchedule;
export function polynomialDecay(...args: unknown[]): LearningRateSchedule {
  const className = 'PolynomialDecay';
  const defaults = {
    initialLearningRate: undefined,
    decaySteps: undefined,
    endLearningRate: 0.0001,
    power: 1,
    cycle: false,
    name: className,
  };
  return makeSchedule<PolynomialDecayOptions>(className, defaults, args, {
    check: ({ initialLearningRate, decaySteps, endLearningRate, power, cycle }) => {
      requireNotNegative(className, 'initialLearningRate', initialLearningRate);
      requirePositive(className, 'decaySteps', decaySteps);
      requireNotNegative(className, 'endLearningRate', endLearningRate);
      requireNumber(className, 'power', power, 'a finite number', () => true);
      requireBoolean(className, 'cycle', cycle);
    },
    rate: ({ initialLearningRate, decaySteps, endLearningRate, power, cycle }, step) => {
      const cycles = cycle && step > 0 ? Math.ceil(step / decaySteps) : 1;
      const passed = Math.min(step, decaySteps * cycles) / (decaySteps * cycles);
      return (initialLearningRate - endLearningRate) * (1 - passed) ** power + endLearningRate;
    },
  });
}
