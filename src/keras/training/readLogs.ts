/** @file Reads the results of metrics, all in one readback. */
import { cast } from '../../ops/elementwise/cast.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Logs } from './batch.ts';

/** Results that are not read yet: one tensor on the device, and the names of its values. */
export interface PendingLogs {
  readonly values: Tensor | null;
  /** The name of each value. */
  readonly names: readonly string[];
}

/** Joins results, sorted by name. The values of a non-scalar result are named `name_0`, `name_1`, and so on. */
export function joinLogs(results: Readonly<Record<string, Tensor>>): PendingLogs {
  const entries = Object.entries(results).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const names = entries.flatMap(([name, { size, shape }]) =>
    shape.length === 0 ? [name] : Array.from({ length: size }, (_, i) => `${name}_${i}`),
  );
  if (names.length === 0) return { values: null, names };
  const flat = () => entries.map(([, value]) => reshape(cast(value, 'float32'), { shape: [value.size] }));
  return { values: keep(tidy(() => concat(flat(), { axis: 0 }))), names };
}

/** Returns all results in one tensor; undefined if there are none. */
export function joinPending(tensors: readonly Tensor[]): Tensor | undefined {
  return tensors.length > 1 ? keep(concat([...tensors], { axis: 0 })) : tensors[0];
}

/** Reads all of `pending` and frees it. Errors: faults of earlier work. */
export async function readLogs(...pending: PendingLogs[]): Promise<Logs[]> {
  const tensors = pending.flatMap(({ values }) => values ?? []);
  const joined = joinPending(tensors);
  try {
    const data = joined ? await joined.data() : [];
    let next = 0;
    return pending.map(({ names }) =>
      Object.fromEntries(names.map((name) => [name, data[next++] as number])),
    );
  } finally {
    for (const values of tensors) values.dispose();
    joined?.dispose();
  }
}
