/** @file Factories of metric classes, and their options. */
import { completeOptions } from '../knownOptions.ts';
import type { Metric } from './metric.ts';

/** What a metric is called. */
export interface MetricNames {
  /** The class by its Keras name. */
  className: string;
  /** The name of an object that was given none. Default: the class's in snake case. */
  label?: string;
  /** Other names under which `metricOf` knows it. */
  aliases?: readonly string[];
}

/** Makes a metric of options; carries the names by which it is found. */
export interface ClassMaker<Args extends unknown[], M = Metric> {
  (...args: Args): M;
  readonly names: MetricNames;
}

/** A function in place of `new`. */
/* @__NO_SIDE_EFFECTS__ */
export function classMaker<Args extends unknown[], M>(
  Class: (new (...args: Args) => M) & { readonly className: string },
  names: Omit<MetricNames, 'className'> = {},
): ClassMaker<Args, M> {
  const make = (...args: Args): M => new Class(...args);
  return Object.assign(make, { names: { className: Class.className, ...names } });
}

/** The options of a metric, with `defaults` for those that are missing. Errors: ValueError for an unknown option. */
export function metricOptions<O extends object>(op: string, given: O, defaults: Required<O>): Required<O> {
  return completeOptions(op, given, defaults, { more: ['name'] });
}
