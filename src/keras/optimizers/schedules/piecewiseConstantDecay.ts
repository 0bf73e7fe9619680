/** @file A piecewise constant schedule. */
import { checked, notNegative, requireOption } from '../optionKinds.ts';
import { nameOf, schedule, type ScheduleOptions, type Table } from './schedule.ts';

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
