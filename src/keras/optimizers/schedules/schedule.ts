/** @file LearningRateSchedule: a function of the step, evaluated on the host. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import type { Configured } from '../../namedObjects.ts';
import { requireKnownOptions } from '../../knownOptions.ts';

/** A schedule of the library's or of an app's own. */
export interface LearningRateSchedule extends Configured {
  /** The rate of the step that follows `step` others: the first is call(0). */
  call(step: number): number;
}

/** Options of every schedule. */
export interface ScheduleOptions {
  name?: string;
}

/** A schedule from its options, complete and checked, and its rule. */
export function makeSchedule<O extends object>(
  className: string,
  defaults: { readonly [K in keyof Required<O>]: O[K] | undefined },
  given: O,
  rule: { check: (options: Required<O>) => void; rate: (options: Required<O>, step: number) => number },
): LearningRateSchedule {
  if (typeof given !== 'object' || given === null) {
    throw new ValueError({
      op: className,
      rule: 'a schedule takes one object of options.',
      received: describe(given),
      hint: 'pass them by name: { initialLearningRate: 0.1, … }.',
    });
  }
  requireKnownOptions(className, given, Object.keys(defaults));
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { ...defaults, ...Object.fromEntries(set) } as Required<O>;
  const { name } = options as { name?: unknown };
  if (typeof name !== 'string') {
    throw new ValueError({
      op: className,
      rule: '`name` is a string.',
      received: `name: ${describe(name)}`,
      hint: 'leave it out for the default.',
    });
  }
  rule.check(options);
  return {
    className,
    call: (step) => rule.rate(options, step),
    getConfig: () => ({ ...options }),
  };
}
