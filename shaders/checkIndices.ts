/**
 * @file Reports the first index outside its range, on its own: for adapters where the code that reports costs though it
 * never runs. A software rasteriser computes both sides of every branch, so that a check inside a gather would cost once
 * an element; here it costs once in `run` indices.
 */
import { flatIndex } from './lib/indexing.ts';
import type { IndexAddressing, IndexCheck } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export type CheckIndicesOptions = {
  /** WGSL type of an index. */
  index: string;
  addressing: IndexAddressing;
  check: Exclude<IndexCheck, 'none'>;
};

export const checkIndicesWorkgroup = 64;
/** Indices that an invocation looks at. */
export const checkIndicesRun = 32;

export function checkIndices({ index, addressing, check }: CheckIndicesOptions): string {
  const counts = index === 'i32' && check === 'above' ? 'index >= 0 && ' : '';
  return wgsl`
${flatIndex}
const NONE = 0xffffffffu;

fn limit_of(position: u32) -> u32 {
#if ${addressing === 'coordinates'}
  let axis = position % params.span;
  return params.sizes[axis / 4u][axis % 4u];
#else
  return params.limit;
#endif
}

@compute @workgroup_size(${checkIndicesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let start = flat_index(group, groups, local, ${checkIndicesWorkgroup}u) * ${checkIndicesRun}u;
  var found = NONE;
  // Backwards, so that the lowest position is the last to be kept.
  for (var step = ${checkIndicesRun}u; step > 0u; step--) {
    let position = start + step - 1u;
    if (position < params.positions) {
      let index = indices[position];
      // As unsigned numbers, negative indices lie above every limit.
      found = select(found, position, ${counts}bitcast<u32>(index) >= limit_of(position));
    }
  }
  if (found != NONE) {
    report_fault(found, params.positions, bitcast<u32>(indices[found]));
  }
}
`;
}
