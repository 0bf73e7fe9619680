/** @file Launches topK: sorted runs, then merges in pairs until one run of each row is left. */
import { mergeRuns, runLength, sortRuns, type TopKOptions, topKWorkgroup } from '../../shaders/topK.ts';
import { wgslType } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { ascendingKeys } from './keys.ts';
import { output } from './output.ts';

const params = {
  count: 'u32',
  n: 'u32',
  k: 'u32',
  runs: 'u32',
  cover: 'u32',
  keep: 'u32',
  runs_out: 'u32',
  keep_out: 'u32',
} as const;

const written = ({ type, last }: TopKOptions): Bindings =>
  last ? { x: `read ${type}`, values: `write ${type}`, indices: 'write i32' } : { out: 'write vec2<u32>' };

const runsKernel = defineKernel({
  name: 'topK runs',
  bindings: (options: TopKOptions): Bindings => ({ x: `read ${options.type}`, ...written(options) }),
  params,
  source: sortRuns,
});

const mergeKernel = defineKernel({
  name: 'topK merge',
  bindings: (options: TopKOptions): Bindings => ({ entries: 'read vec2<u32>', ...written(options) }),
  params,
  source: mergeRuns,
});

/** Sorted runs of each row. */
interface Level {
  runs: number;
  /** Elements of a row that a run stands for. */
  cover: number;
  /** Entries that a run keeps. */
  keep: number;
}

/** [values, indices] of the k largest elements of each row of `x`, into tensors of `specs`. */
export function topKKernel(x: Tensor, k: number, specs: readonly TensorSpec[]): Tensor[] {
  const { device } = x;
  const n = x.shape.at(-1) as number;
  const rows = sizeOf(x.shape.slice(0, -1));
  const [values, indices] = specs.map((spec) => output(device, spec, 'topK')) as [Tensor, Tensor];
  if (values.size === 0) return [values, indices];

  const step = (entries: Tensor | null, from: Level, to: Level): Tensor | null => {
    const last = to.runs === 1;
    const out = last ? null : output(device, { shape: [rows, to.runs, to.keep, 2], dtype: 'uint32' }, 'topK');
    const count = rows * (entries ? from.runs * from.keep : n);
    device.launch(entries ? mergeKernel : runsKernel, {
      options: { type: wgslType(x.dtype), key: ascendingKeys[x.dtype], last },
      bindings: {
        ...(entries ? { entries: entries.storage } : {}),
        ...(last || !entries ? { x: x.storage } : {}),
        ...(out ? { out: out.storage } : { values: values.storage, indices: indices.storage }),
      },
      params: { count, n, k, ...from, runs_out: to.runs, keep_out: to.keep },
      workgroups: Math.ceil(count / topKWorkgroup),
    });
    return out;
  };

  let level: Level = { runs: Math.ceil(n / runLength), cover: runLength, keep: Math.min(k, runLength) };
  let entries = step(null, level, level);
  while (entries) {
    const next: Level = {
      runs: Math.ceil(level.runs / 2),
      cover: level.cover * 2,
      keep: Math.min(k, level.keep * 2),
    };
    entries = step(entries, level, next);
    level = next;
  }
  return [values, indices];
}
