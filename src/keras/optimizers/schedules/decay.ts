/** @file Schedules that decay by a formula of the step (exponential, inverse time, polynomial) or in steps. */
import { checked, flag, notNegative, number, positive, requireOption } from '../optionKinds.ts';
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

export interface PiecewiseConstantDecayOptions extends ScheduleOptions {
  /** Steps in ascending order. A value applies up to and including its boundary. */
  boundaries: readonly number[];
  /** One more than there are boundaries. */
  values: readonly number[];
}

const table: Table<PiecewiseConstantDecayOptions> = () => ({
  boundaries: checked((op, what, given: readonly number[]) => {
    const ascending =
      Array.isArray(given) &&
      given.length > 0 &&
      given.every((b, i) => Number.isFinite(b) && (i === 0 || b > given[i - 1]));
    requireOption(op, what, given, ascending, 'a list of ascending numbers');
  }),
  values: {
    read: (given, { op, what, values: { boundaries } }) => {
      const count = (boundaries as readonly number[]).length + 1;
      const fits = Array.isArray(given) && given.length === count;
      requireOption(op, what, given, fits, 'a list with one number more than `boundaries`');
      return (given as unknown[]).map((value) => notNegative().read(value, { op, what, values: {} }));
    },
  },
  name: nameOf('PiecewiseConstant'),
});

/** One rate between boundaries. Errors: ValueError for options. */
export const piecewiseConstantDecay = /* @__PURE__ */ schedule(
  'PiecewiseConstantDecay',
  table,
  ({ boundaries, values }) =>
    (step) => {
      const at = boundaries.findIndex((boundary) => step <= boundary);
      return values.at(at < 0 ? -1 : at) as number;
    },
  ['boundaries', 'values', 'name'],
);
