/**
 * @file Reports the first out-of-range index, in a separate launch: for adapters where the reporting code has a cost even if
 * it never runs. A software rasterizer computes both sides of every branch, so a check inside a gather would cost time for
 * every element; here it does once per `checkedPerInvocation` indices.
 */
import { flatIndex } from './lib/indexing.ts';
import type { IndexCheck } from './lib/indices.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type CheckIndicesOptions = {
  /** WGSL type of an index. */
  index: string;
  check: Exclude<IndexCheck, 'none'>;
  /** Successive indices have the limits `sizes`, cyclically: this many. */
  limits: number;
  /** Indices per read: four if they consist of whole vectors, which have the same limits. */
  width: 1 | 4;
};

export const checkIndicesWorkgroup = 64;
/** Indices per invocation. */
export const checkedPerInvocation = 64;

/** Reads of an iteration: a loop costs software as much as a few reads. */
const readsPerIteration = 8;

export function checkIndices({ index, check, limits, width }: CheckIndicesOptions): string {
  const vector = width === 4;
  const signed = vector ? 'vec4<i32>' : 'i32';
  const allowsNegative = index === 'i32' && check === 'above';
  const limitOf = (position: string) =>
    `params.sizes[${position} % ${limits}u / 4u][${position} % ${limits}u % 4u]`;
  const reads = repeat(readsPerIteration, (i) => `signs |= signs_of(at + ${i}u);`);
  return wgsl`
${flatIndex}

// Sets the signs of indices outside: their own, or those of their distances to the last row. In software, comparisons take longer.
fn signs_of(at: u32) -> ${signed} {
  let given = bitcast<${signed}>(indices[at]);
  return ${allowsNegative ? '~given &' : 'given |'} (bitcast<${signed}>(${vector ? 'params.sizes[0]' : limitOf('at')}) - 1 - given);
}

@compute @workgroup_size(${checkIndicesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flat_index(group, groups, local, ${checkIndicesWorkgroup}u) * ${checkedPerInvocation}u;
  if (first >= params.positions) {
    return;
  }
  // Searches full vectors for an invalid index. What is read beyond the end may lead to a search below, which ignores it.
  var signs = ${signed}();
  for (var step = 0u; step < ${checkedPerInvocation / width}u; step += ${readsPerIteration}u) {
    let at = first / ${width}u + step;
    ${reads}
  }
  let trouble = any(signs < ${signed}());
  // Then, in that vector only, finds its position.
  for (var step = 0u; trouble && step < ${checkedPerInvocation}u; step++) {
    let position = first + step;
    let given = indices[position${vector ? ' / 4u][position % 4u' : ''}];
    if ((position < params.positions) & (bitcast<u32>(given) >= ${limitOf('position')})${allowsNegative ? ' & (given >= 0)' : ''}) {
      report_fault(position, params.positions, bitcast<u32>(given));
      break;
    }
  }
}
`;
}
