/** @file Schedules that decay by a formula of the step: exponential, inverse time, polynomial. */
import { flag, notNegative, number, positive } from '../optionKinds.ts';
import { nameOf, schedule, type ScheduleOptions, type Table } from './schedule.ts';

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

const decayTable =
  (name: string): Table<DecayOptions> =>
  () => ({
    initialLearningRate: notNegative(),
    decaySteps: positive(),
    decayRate: notNegative(),
    staircase: flag(false),
    name: nameOf(name),
  });

function decays({ decaySteps, staircase }: Required<DecayOptions>, step: number): number {
  const decays = step / decaySteps;
  return staircase ? Math.floor(decays) : decays;
}

/** initialLearningRate · decayRate^(step / decaySteps). Errors: ValueError for options. */
export const exponentialDecay = /* @__PURE__ */ schedule(
  'ExponentialDecay',
  decayTable('ExponentialDecay'),
  (o) => (step) => o.initialLearningRate * o.decayRate ** decays(o, step),
  ['initialLearningRate', 'decaySteps', 'decayRate', 'staircase', 'name'],
);

/** initialLearningRate / (1 + decayRate · step / decaySteps). Errors: ValueError for options. */
export const inverseTimeDecay = /* @__PURE__ */ schedule(
  'InverseTimeDecay',
  decayTable('InverseTimeDecay'),
  (o) => (step) => o.initialLearningRate / (1 + o.decayRate * decays(o, step)),
  ['initialLearningRate', 'decaySteps', 'decayRate', 'staircase', 'name'],
);

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

const polynomialTable: Table<PolynomialDecayOptions> = () => ({
  initialLearningRate: notNegative(),
  decaySteps: positive(),
  endLearningRate: notNegative(0.0001),
  power: number({ default: 1 }),
  cycle: flag(false),
  name: nameOf('PolynomialDecay'),
});

/**
 * (initialLearningRate - endLearningRate) · (1 - step / decaySteps)^power + endLearningRate. Errors: ValueError for
 * options.
 */
export const polynomialDecay = /* @__PURE__ */ schedule(
  'PolynomialDecay',
  polynomialTable,
  ({ initialLearningRate, decaySteps, endLearningRate, power, cycle }) =>
    (step) => {
      const cycles = cycle && step > 0 ? Math.ceil(step / decaySteps) : 1;
      const passed = Math.min(step, decaySteps * cycles) / (decaySteps * cycles);
      return (initialLearningRate - endLearningRate) * (1 - passed) ** power + endLearningRate;
    },
  ['initialLearningRate', 'decaySteps', 'endLearningRate', 'power', 'cycle', 'name'],
);
