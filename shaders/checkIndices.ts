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

/** Reads of an iteration: a loop costs software as much as a few reads. */
const readsPerIteration = 8;

export function checkIndices({ index, addressing, check, width }: CheckIndicesOptions): string {
  const vector = width === 4;
  const signed = vector ? 'vec4<i32>' : 'i32';
  const allowsNegative = index === 'i32' && check === 'above';
  const reads = Array.from({ length: readsPerIteration }, (_, i) => `signs |= signs_of(at + ${i}u);`);
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

// Sets the signs of indices outside: their own, or those of their distances to the last row. In software, comparisons take longer.
fn signs_of(at: u32) -> ${signed} {
  let given = bitcast<${signed}>(indices[at]);
  return ${allowsNegative ? '~given &' : 'given |'} (bitcast<i32>(limit_of(at)) - 1 - given);
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
  // Searches full vectors for an invalid index. What is read beyond the end may lead to a search below, which ignores it.
  var signs = ${signed}();
  for (var step = 0u; step < ${checkIndicesRun / width}u; step += ${readsPerIteration}u) {
    let at = first / ${width}u + step;
    ${reads.join('\n    ')}
  }
  var trouble = any(signs < ${signed}());
  // Then, in that vector only, finds its position.
  for (var step = 0u; trouble && step < ${checkIndicesRun}u; step++) {
    let position = first + step;
    if (position < params.positions) {
      let given = value_of(position);
      if ((bitcast<u32>(given) >= limit_of(position))${allowsNegative ? ' & (given >= 0)' : ''}) {
        report_fault(position, params.positions, bitcast<u32>(given));
        trouble = false;
      }
    }
  }
}
`;
}
