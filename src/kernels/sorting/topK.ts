/** @file Launches topK: each row is split into runs, whose k largest elements are merged in pairs until one run is left. */
import { topK, type TopKOptions, topKWorkgroup } from '../../../shaders/topK.ts';
import { wgslType } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { ascendingKey } from './keys.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'topK',
  bindings: ({ job, type, width, last }: TopKOptions): Bindings => ({
    ...(job === 'merge' ? { entries: 'read vec2<u32>' } : {}),
    ...(job !== 'merge' || last ? { x: `read ${width === 4 ? `vec4<${type}>` : type}` } : {}),
    ...(last ? { values: `write ${type}`, indices: 'write i32' } : { out: 'write vec2<u32>' }),
  }),
  params: {
    count: 'u32',
    n: 'u32',
    k: 'u32',
    runs: 'u32',
    cover: 'u32',
    keep: 'u32',
    runs_out: 'u32',
    keep_out: 'u32',
  },
  source: topK,
});

/** Sorted runs of each row. */
interface Level {
  runs: number;
  /** Elements of a row that a run covers. */
  cover: number;
  /** Entries that a run keeps. */
  keep: number;
}

/** Elements of a sorted run: few, since each is compared with all others of its run. */
const sortedRun = 64;
/** Capacities of an invocation's list of the largest elements so far. For a larger k, runs are sorted. */
const listCapacities = [1, 4, 16];
/** The minimum number of elements of a run with selection. */
const shortestSelection = 64;

/** How the first runs are made: by selection into a list of capacity `room`, or by sorting. */
export type TopKAlgorithm = { kind: 'select'; room: number; runs: Level } | { kind: 'sort'; runs: Level };

function selectTopK(
  { rows, n, k }: { rows: number; n: number; k: number },
  { topK }: AdapterProfile,
): TopKAlgorithm {
  const runsOf = (cover: number): Level => ({ runs: Math.ceil(n / cover), cover, keep: Math.min(k, cover) });
  const room = listCapacities.find((capacity) => capacity >= k);
  if (room === undefined) return { kind: 'sort', runs: runsOf(sortedRun) };
  const wanted = Math.ceil(topK.busyInvocations / rows);
  const runs = Math.max(1, Math.min(wanted, Math.floor(n / shortestSelection)));
  return { kind: 'select', room, runs: runsOf(Math.ceil(n / runs / 4) * 4) };
}

/** Returns [values, indices] of the k largest elements of each row of `x`, into tensors of `specs`. */
export function topKKernel(
  x: Tensor,
  k: number,
  specs: readonly [TensorSpec, TensorSpec],
): [values: Tensor, indices: Tensor] {
  const { device } = x;
  const n = x.shape.at(-1) as number;
  const rows = sizeOf(x.shape.slice(0, -1));
  const values = output(device, specs[0], 'topK');
  const indices = output(device, specs[1], 'topK');
  if (values.size === 0) return [values, indices];

  const width = n % 4 === 0 && bindsAsVectors(x) ? 4 : 1;
  const launch = (
    stage: { job: TopKOptions['job']; room: number; count: number },
    entries: Tensor | null,
    from: Level,
    to: Level,
  ): Tensor | null => {
    const { job, room, count } = stage;
    const last = to.runs === 1;
    const out = last ? null : output(device, { shape: [rows, to.runs, to.keep, 2], dtype: 'uint32' }, 'topK');
    device.launch(kernel, {
      options: { job, type: wgslType(x.dtype), key: ascendingKey(x.dtype), width, room, last },
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

  const algorithm = selectTopK({ rows, n, k }, profileOf(device));
  let level = algorithm.runs;
  const start =
    algorithm.kind === 'select'
      ? ({ job: 'select', room: algorithm.room, count: rows * level.runs } as const)
      : ({ job: 'sort', room: 0, count: rows * n } as const);
  let entries = launch(start, null, level, level);
  while (entries) {
    const count = rows * level.runs * level.keep;
    const next: Level = {
      runs: Math.ceil(level.runs / 2),
      cover: level.cover * 2,
      keep: Math.min(k, level.keep * 2),
    };
    entries = launch({ job: 'merge', room: 0, count }, entries, level, next);
    level = next;
  }
  return [values, indices];
}
