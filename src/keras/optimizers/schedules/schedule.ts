/** @file LearningRateSchedule: a function of the step, evaluated on the host. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import type { Configured } from '../../namedObjects.ts';
import { optionsOf } from '../../../core/options.ts';

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

/** A schedule from the arguments of its factory, complete and checked, and its rule. */
export function makeSchedule<O extends object>(
  className: string,
  defaults: { readonly [K in keyof Required<O>]: O[K] | undefined },
  args: readonly unknown[],
  rule: { check: (options: Required<O>) => void; rate: (options: Required<O>, step: number) => number },
): LearningRateSchedule {
  // Keras's order is that of the defaults.
  const names = Object.fromEntries(Object.keys(defaults).map((name) => [name, true]));
  const given = optionsOf(className, args, names);
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
