/** @file Launches attention to a cache of keys and values, which new ones are written to in place. */
import { cachedAttention, type CachedAttentionOptions } from '../../../shaders/attention/cached.ts';
import {
  advanceCache,
  type AdvanceOptions,
  advanceWorkgroup,
  type AppendOptions,
  appendToCache,
  appendWorkgroup,
} from '../../../shaders/attention/cacheRows.ts';
import { mergeParts, type MergePartsOptions, mergeWorkgroup } from '../../../shaders/attention/mergeParts.ts';
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { AttentionSizes } from './attention.ts';
import { type DeviceProfile, profileOf } from '../selection/deviceProfile.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const floats = (width: 1 | 4) => (width === 4 ? 'vec4<f32>' : 'f32');
const held = ({ width, float16 }: { width: 1 | 4; float16: boolean }) =>
  float16 ? 'vec2<u32>' : floats(width);

const attend = defineKernel({
  name: 'cachedAttention',
  bindings: (options: CachedAttentionOptions): Bindings => {
    const { width, appends, split } = options;
    const access = appends ? 'read_write' : 'read';
    return {
      query: `read ${floats(width)}`,
      ...(appends ? { key: `read ${floats(width)}`, value: `read ${floats(width)}` } : {}),
      positions: 'read i32',
      keys: `${access} ${held(options)}`,
      values: `${access} ${held(options)}`,
      out: `write ${floats(width)}`,
      ...(split ? { stats: 'write vec2<f32>' } : {}),
    };
  },
  params: {
    count: 'u32',
    parts: 'u32',
    row_blocks: 'u32',
    rows: 'u32',
    sharing: 'u32',
    queries: 'u32',
    heads: 'u32',
    key_heads: 'u32',
    max_length: 'u32',
    // In units of the width.
    size: 'u32',
    value_size: 'u32',
    vectors: 'u32',
    value_vectors: 'u32',
    window: 'i32',
    scale: 'f32',
    softcap: 'f32',
    inverse_softcap: 'f32',
  },
  directives: laneDirectives,
  source: cachedAttention,
});

const merge = defineKernel({
  name: 'cachedAttention merge',
  bindings: ({ width }: MergePartsOptions): Bindings => ({
    partials: `read ${floats(width)}`,
    stats: 'read vec2<f32>',
    out: `write ${floats(width)}`,
  }),
  params: { count: 'u32', parts: 'u32', value_size: 'u32' },
  source: mergeParts,
});

const append = defineKernel({
  name: 'cachedAttention append',
  bindings: (options: AppendOptions): Bindings => ({
    source: `read ${floats(options.width)}`,
    positions: 'read i32',
    cache: `write ${held(options)}`,
  }),
  params: { count: 'u32', queries: 'u32', row_units: 'u32', max_length: 'u32' },
  source: appendToCache,
});

const advance = defineKernel({
  name: 'cache positions',
  bindings: ({ counted }: AdvanceOptions): Bindings => ({
    ...(counted ? { counts: 'read i32' as const } : {}),
    lengths: 'read_write i32',
    positions: 'write i32',
  }),
  params: { batch: 'u32', queries: 'u32', max_length: 'u32' },
  source: advanceCache,
  faults: true,
});

/** The largest size of a head. */
export const largestCachedHead = 512;
/** A window that hides nothing. */
const noWindow = 2 ** 30;

export interface CachedAttentionInput {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly positions: Tensor;
  /** Written in place. */
  readonly keys: Variable;
  readonly values: Variable;
  /** `keys` is the number of rows that the cache has room for. */
  readonly sizes: AttentionSizes;
  readonly scale: number;
  readonly window: number | null;
  readonly softcap: number | null;
}

/** The maximum number of workgroups that write the same new keys. */
const maxWriters = 4;

/** Writes keys and values to their positions, and returns the result for each query. */
export function cachedAttentionKernel(op: string, input: CachedAttentionInput, spec: TensorSpec): Tensor {
  const { query, key, value, positions, sizes } = input;
  const { device } = query;
  const { batch, queries, heads, keyHeads, size, valueSize } = sizes;
  const out = output(device, spec, op);
  if (batch === 0 || queries === 0 || heads === 0) return out;
  const keys = input.keys.writableStorage();
  const values = input.values.writableStorage();
  const float16 = input.keys.dtype === 'float16';
  const isVector = size % 4 === 0 && valueSize % 4 === 0 && [query, key, value, out].every(bindsAsVectors);
  const width: 1 | 4 = isVector ? 4 : 1;
  const sharing = heads / keyHeads;
  const rows = sharing * queries;
  const options = optionsFor(profileOf(device), input, { width, float16, rows });
  const rowBlocks = Math.ceil(rows / options.rows);
  if (!options.appends) {
    for (const [source, cache, length] of [
      [key, keys, size],
      [value, values, valueSize],
    ] as const) {
      const count = source.size / width;
      device.launch(append, {
        options: { width, float16 },
        bindings: { source: source.storage, positions: positions.storage, cache },
        params: { count, queries, row_units: (keyHeads * length) / width, max_length: sizes.keys },
        workgroups: Math.ceil(count / appendWorkgroup),
      });
    }
  }
  const parts = options.split ? partsOf(profileOf(device), sizes, rowBlocks) : 1;
  const lines = batch * queries * heads;
  const made = options.split
    ? {
        partials: output(device, { shape: [lines, parts, valueSize], dtype: 'float32' }, op),
        stats: output(device, { shape: [lines, parts, 2], dtype: 'float32' }, op),
      }
    : null;
  const count = batch * keyHeads * rowBlocks * parts;
  device.launch(attend, {
    options,
    bindings: {
      query: query.storage,
      ...(options.appends ? { key: key.storage, value: value.storage } : {}),
      positions: positions.storage,
      keys,
      values,
      out: (made?.partials ?? out).storage,
      ...(made ? { stats: made.stats.storage } : {}),
    },
    params: {
      count,
      parts,
      row_blocks: rowBlocks,
      rows,
      sharing,
      queries,
      heads,
      key_heads: keyHeads,
      max_length: sizes.keys,
      size: size / width,
      value_size: valueSize / width,
      vectors: Math.ceil(size / 4),
      value_vectors: Math.ceil(valueSize / 4),
      window: Math.min(input.window ?? noWindow, noWindow),
      scale: input.scale,
      softcap: input.softcap ?? 1,
      inverse_softcap: 1 / (input.softcap ?? 1),
    },
    workgroups: count,
    multiplications: lines * sizes.keys * (size + valueSize),
  });
  if (made) {
    const units = out.size / width;
    device.launch(merge, {
      options: { width },
      bindings: { partials: made.partials.storage, stats: made.stats.storage, out: out.storage },
      params: { count: units, parts, value_size: valueSize / width },
      workgroups: Math.ceil(units / mergeWorkgroup),
    });
    made.partials.dispose();
    made.stats.dispose();
  }
  return out;
}

function optionsFor(
  profile: DeviceProfile,
  { sizes, softcap }: CachedAttentionInput,
  { width, float16, rows }: { width: 1 | 4; float16: boolean; rows: number },
): CachedAttentionOptions {
  const { shared } = profile.lines;
  const largest = Math.ceil(Math.max(sizes.size, sizes.valueSize) / 4);
  const capacity = ([32, 64] as const).find((n) => largest <= n) ?? 128;
  // Software compiles long programs slowly.
  const maxRows = capacity === 128 || !shared ? 2 : 4;
  const rowsOfGroup = ([1, 2] as const).find((n) => rows <= n) ?? maxRows;
  const workgroup = shared ? 128 : 16;
  const rowBlocks = Math.ceil(rows / rowsOfGroup);
  return {
    width,
    float16,
    rows: rowsOfGroup,
    capacity,
    lanes: shared ? 4 : 1,
    workgroup,
    subgroups: shared && profile.subgroups,
    keys: 4,
    vectors: Math.ceil(sizes.valueSize / 4 / workgroup),
    softcap: softcap !== null,
    appends: rowBlocks <= maxWriters,
    split: partsOf(profile, sizes, rowBlocks) > 1,
  };
}

/** Workgroups that keep a GPU busy, and the fewest rows of a cache for which a part of them pays for the launch that adds up. */
const busyWorkgroups = 256;
const shortestPart = 256;

/** Returns how many workgroups share the keys of a row: the length of what a cache holds isn't known, only its room. */
function partsOf(
  { lines: { shared } }: DeviceProfile,
  { batch, keyHeads, keys }: AttentionSizes,
  rowBlocks: number,
): number {
  if (!shared) return 1;
  const wanted = Math.floor(busyWorkgroups / (batch * keyHeads * rowBlocks));
  const parts = Math.min(wanted, Math.floor(keys / shortestPart));
  // Two parts save less than the second launch costs.
  return parts >= 4 ? parts : 1;
}

/** Returns the positions [batch, queries] of the next rows, and adds their number to `lengths`. */
export function advanceKernel(
  lengths: Variable,
  counts: Tensor | null,
  queries: number,
  maxLength: number,
  fault: FaultReport,
): Tensor<'int32'> {
  const { device } = lengths;
  const [batch] = lengths.shape as [number];
  const positions = output(device, { shape: [batch, queries], dtype: 'int32' }, 'keyValueCache');
  if (sizeOf(positions.shape) === 0) return positions as Tensor<'int32'>;
  device.launch(advance, {
    options: { counted: counts !== null },
    bindings: {
      ...(counts ? { counts: counts.storage } : {}),
      lengths: lengths.writableStorage(),
      positions: positions.storage,
    },
    params: { batch, queries, max_length: maxLength },
    workgroups: Math.ceil(batch / advanceWorkgroup),
    fault,
  });
  return positions as Tensor<'int32'>;
}
