/** @file Reads the results of metrics, all in one readback. */
import type { Shape } from '../../core/shape.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Logs } from './batch.ts';

/** Results that are not read yet: one tensor on the device, and the name and shape of each result in it. */
export interface PendingLogs {
  readonly values: Tensor | null;
  readonly entries: readonly (readonly [name: string, shape: Shape])[];
}

/** Joins results, sorted by name. */
export function joinLogs(results: Readonly<Record<string, Tensor>>): PendingLogs {
  const sorted = Object.entries(results).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const entries = sorted.map(([name, { shape }]) => [name, shape] as const);
  const flat = sorted.filter(([, { size }]) => size > 0);
  if (flat.length === 0) return { values: null, entries };
  const parts = () => flat.map(([, value]) => reshape(cast(value, 'float32'), { shape: [value.size] }));
  return { values: keep(tidy(() => concat(parts(), { axis: 0 }))), entries };
}

/** Returns all results in one tensor; undefined if there are none. */
export function joinPending(tensors: readonly Tensor[]): Tensor | undefined {
  return tensors.length > 1 ? keep(concat([...tensors], { axis: 0 })) : tensors[0];
}

/** Reads all of `pending` and frees it: numbers, and nested lists of results that aren't scalars. Errors: faults of earlier work. */
export async function readLogs(...pending: PendingLogs[]): Promise<Logs[]> {
  const tensors = pending.flatMap(({ values }) => values ?? []);
  const joined = joinPending(tensors);
  try {
    const data = joined ? await joined.data() : [];
    let next = 0;
    const read = ([n, ...inner]: Shape): unknown =>
      n === undefined ? data[next++] : Array.from({ length: n }, () => read(inner));
    return pending.map(
      ({ entries }) => Object.fromEntries(entries.map(([name, shape]) => [name, read(shape)])) as Logs,
    );
  } finally {
    for (const values of tensors) values.dispose();
    joined?.dispose();
  }
}
