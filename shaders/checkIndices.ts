/**
 * @file Reports the first out-of-range index, in a separate launch: for adapters where the reporting code has a cost even if
 * it never runs. A software rasterizer computes both sides of every branch, so a check inside a gather would cost time for
 * every element; here it does once per `run` indices.
 */
import { flatIndex } from './lib/indexing.ts';
import type { IndexAddressing, IndexCheck } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export type CheckIndicesOptions = {
  /** WGSL type of an index. */
  index: string;
  addressing: IndexAddressing;
  check: Exclude<IndexCheck, 'none'>;
  /** Indices per read: four if they have the same limit, and consist of whole vectors. */
  width: 1 | 4;
};

export const checkIndicesWorkgroup = 64;
/** Indices per invocation. */
export const checkIndicesRun = 64;

export function checkIndices({ index, addressing, check, width }: CheckIndicesOptions): string {
  const vector = width === 4;
  const word = vector ? 'vec4<u32>' : 'u32';
  const counts = (value: string) =>
    index === 'i32' && check === 'above' ? ` & (${value} >= ${vector ? 'vec4<i32>' : 'i32'}(0))` : '';
  return wgsl`
${flatIndex}

fn limit_of(position: u32) -> u32 {
#if ${addressing === 'coordinates'}
  let axis = position % params.span;
  return params.sizes[axis / 4u][axis % 4u];
#else
  return params.limit;
#endif
}

fn value_of(position: u32) -> ${index} {
#if ${vector}
  return indices[position / 4u][position % 4u];
#else
  return indices[position];
#endif
}

@compute @workgroup_size(${checkIndicesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flat_index(group, groups, local, ${checkIndicesWorkgroup}u) * ${checkIndicesRun}u;
  if (first >= params.positions) {
    return;
  }
  // Searches full vectors for an invalid index; positions beyond the end read the last one.
  let last = (params.positions - 1u) / ${width}u;
  var trouble = false;
  for (var step = 0u; step < ${checkIndicesRun / width}u; step++) {
    let at = min(first / ${width}u + step, last);
    let given = indices[at];
    // As unsigned numbers, negative indices lie above every limit.
    let outside = (bitcast<${word}>(given) >= ${word}(limit_of(at)))${counts('given')};
    trouble = trouble | any(outside);
  }
  // Then, in that vector only, finds its position.
  for (var step = 0u; trouble && step < ${checkIndicesRun}u; step++) {
    let position = first + step;
    if (position < params.positions) {
      let given = value_of(position);
      if ((bitcast<u32>(given) >= limit_of(position))${counts('given').replace(/vec4<(.*?)>/, '$1')}) {
        report_fault(position, params.positions, bitcast<u32>(given));
        trouble = false;
      }
    }
  }
}
`;
}
