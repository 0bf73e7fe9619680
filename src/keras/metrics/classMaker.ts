/** @file Factories of metric classes, and their options. */
import { byPosition, plainOptions } from '../../core/options.ts';
import { completeOptions } from '../knownOptions.ts';
import { requireFloat32 } from '../losses/lossChecks.ts';
import type { Metric } from './metric.ts';

/** The names of a metric. */
export interface MetricNames {
  /** Keras's name of the class. */
  className: string;
  /** Default name of metric objects. Default: the class name in snake case. */
  label?: string;
  /** Other names that `metricOf` accepts. */
  aliases?: readonly string[];
}

/** Creates a metric from options; has the names by which it is found. */
export interface ClassMaker<Args extends unknown[], M = Metric> {
  (...args: Args): M;
  readonly names: MetricNames;
}

/** A factory function for a metric class. */
/* @__NO_SIDE_EFFECTS__ */
export function classMaker<Args extends unknown[], M>(
  Class: (new (...args: Args) => M) & { readonly className: string },
  names: Omit<MetricNames, 'className'> = {},
): ClassMaker<Args, M> {
  const make = (...args: Args): M =>
    new Class(...([byPosition(Class.className, args, [])] as unknown[] as Args));
  return Object.assign(make, { names: { className: Class.className, ...names } });
}

/** The options of a metric, without `dtype`. Errors: ValueError for anything but an object, and for another dtype. */
export function settingsOf<O extends { name?: string; dtype?: string | null }>(
  className: string,
  all: O,
): Omit<O, 'dtype'> {
  const { dtype, ...settings } = plainOptions(className, all);
  requireFloat32(className, dtype, className.endsWith('IoU') ? ['float32', 'int32'] : ['float32']);
  return settings;
}

/** The options of a metric, with `defaults` for those that are missing. Errors: ValueError for an unknown option. */
export function metricOptions<O extends object>(op: string, given: O, defaults: Required<O>): Required<O> {
  return completeOptions(op, given, defaults, { more: ['name'] });
}
