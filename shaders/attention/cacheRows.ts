/** @file The rows of a cache of keys and values: which positions new ones get, and how they are written there. */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';

/** WGSL of `value`, a unit, as the cache holds it. */
export const stored = (value: string, float16: boolean) =>
  float16 ? `vec2<u32>(pack2x16float(${value}.xy), pack2x16float(${value}.zw))` : value;

export const appendWorkgroup = 64;

export type AppendOptions = { width: 1 | 4; float16: boolean };

/** Writes rows of `source` [batch, queries, key_heads, size] to their positions in `cache` [batch, max_length, key_heads, size]. */
export function appendToCache({ float16 }: AppendOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${appendWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${appendWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let row = i / params.row_units;
  let position = positions[row];
  if (position < 0 || position >= i32(params.max_length)) {
    return;
  }
  let value = source[i];
  let batch = row / params.queries;
  cache[(batch * params.max_length + u32(position)) * params.row_units + i % params.row_units] = ${stored('value', float16)};
}
`;
}

export const advanceWorkgroup = 64;

export type AdvanceOptions = { counted: boolean };

/**
 * Reserves rows of a cache: positions [batch, queries] of the next rows of each sequence, after its length in \`lengths\`, which grows by
 * their number. \`counts\` has the rows of each sequence, \`queries\` otherwise; further positions are -1. A sequence that doesn't fit, or
 * whose count isn't from 0 to \`queries\` or whose length is negative, is reported, has no positions, and keeps its length.
 */
export function advanceCache({ counted }: AdvanceOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${advanceWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let batch = flat_index(group, groups, local, ${advanceWorkgroup}u);
  if (batch >= params.batch) {
    return;
  }
  let length = lengths[batch];
#if ${counted}
  let given = counts[batch];
  let count = clamp(given, 0, i32(params.queries));
  let fits = length >= 0 && count <= i32(params.max_length) - length && given == count;
#else
  let count = i32(params.queries);
  let fits = length >= 0 && count <= i32(params.max_length) - length;
#endif
  // Of a length that the cache can't have, a sum might not be a number.
  let wanted = select(length, length + count, length >= 0 && length <= i32(params.max_length));
  if (fits) {
    lengths[batch] = length + count;
  } else {
#if ${counted}
    report_fault(2u * batch + u32(given == count), 2u * params.batch, bitcast<u32>(select(given, wanted, given == count)));
#else
    report_fault(2u * batch + 1u, 2u * params.batch, bitcast<u32>(wanted));
#endif
  }
  for (var i = 0; i < i32(params.queries); i++) {
    positions[batch * params.queries + u32(i)] = select(-1, length + i, fits && i < count);
  }
}
`;
}
