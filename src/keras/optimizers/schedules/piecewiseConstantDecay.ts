/** @file A piecewise constant schedule. */
import type { Positions } from '../../../core/options.ts';
import { requireNotNegative, requireOption } from '../optionChecks.ts';
import { type LearningRateSchedule, makeSchedule, type ScheduleOptions } from './schedule.ts';

/** Options of `piecewiseConstantDecay`. */
export interface PiecewiseConstantDecayOptions extends ScheduleOptions {
  /** Steps in ascending order. A value applies up to and including its boundary. */
  boundaries: readonly number[];
  /** One more than there are boundaries. */
  values: readonly number[];
}

/** One rate between boundaries. Errors: ValueError for options. */
export function piecewiseConstantDecay(options: PiecewiseConstantDecayOptions): LearningRateSchedule;
export function piecewiseConstantDecay(
  ...settings: Positions<PiecewiseConstantDecayOptions, ['boundaries', 'values', 'name']>
): LearningRateSchedule;
export function piecewiseConstantDecay(...args: unknown[]): LearningRateSchedule {
  const className = 'PiecewiseConstantDecay';
  const defaults = { boundaries: undefined, values: undefined, name: 'PiecewiseConstant' };
  return makeSchedule<PiecewiseConstantDecayOptions>(className, defaults, args, {
    check: ({ boundaries, values }) => {
      const ascending =
        Array.isArray(boundaries) &&
        boundaries.length > 0 &&
        boundaries.every((b, i) => Number.isFinite(b) && (i === 0 || b > boundaries[i - 1]));
      requireOption(className, 'boundaries', boundaries, ascending, 'a list of ascending numbers');
      const fits = Array.isArray(values) && values.length === boundaries.length + 1;
      requireOption(className, 'values', values, fits, 'a list with one number more than `boundaries`');
      for (const value of values) requireNotNegative(className, 'values', value);
    },
    rate: ({ boundaries, values }, step) => {
      const at = boundaries.findIndex((boundary) => step <= boundary);
      return values[at < 0 ? values.length - 1 : at] as number;
    },
  });
}
