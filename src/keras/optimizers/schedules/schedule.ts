/** @file LearningRateSchedule: a function of the step, evaluated on the host. */
import type { Configured } from '../../namedObjects.ts';
import { declaring } from '../../options/maker.ts';
import type { Option } from '../../options/option.ts';
import { checked, requireOption } from '../optionKinds.ts';

export type { Table } from '../../options/maker.ts';

/** A schedule of the library or of an app. */
export interface LearningRateSchedule extends Configured {
  /** The rate of the step after `step` steps: the first is call(0). */
  call(step: number): number;
}

/** Options of every schedule. */
export interface ScheduleOptions {
  /** Its name in configurations. Default: the class's name. */
  name?: string;
}

/** Declares a schedule. */
export const schedule = /* @__PURE__ */ declaring<LearningRateSchedule>();

/** The kind of `name`. */
export const nameOf = (fallback: string): Option<string> =>
  checked((op, what, name) => requireOption(op, what, name, typeof name === 'string', 'a string'), fallback);
