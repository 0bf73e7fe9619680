/** @file What training finds in a model, and in what its methods are given. */
import { membersOf } from '../layers/base/findInProperties.ts';
import { Metric } from '../metrics/metric.ts';
import { isBatchIterable } from './data/iterableSource.ts';
import type { Data } from './openData.ts';

/** Metrics that a layer has as properties. */
export function metricsIn(layer: object): Metric<never>[] {
  return membersOf(layer, (value): value is Metric<never> => value instanceof Metric);
}

/** Batches come with their targets: what stands second are then the options. */
export function split<O extends object>(
  x: unknown,
  y: unknown,
  options: O | undefined,
): { data: Data | null; settings: O } {
  const isSecond = options === undefined && isBatchIterable(x) && y !== null;
  if (isSecond) return { data: null, settings: y as O };
  return { data: y as Data | null, settings: options ?? ({} as O) };
}
