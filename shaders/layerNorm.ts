/**
 * @file layerNorm along one axis of x seen as [outer, n, inner]: (x - mean) / √(variance + epsilon), times gamma and plus beta
 * where they are given, [n] each. Each line of n elements belongs to `lanes` invocations, which sweep over it three times:
 * for the mean, for the squared deviations from it, and to write; later sweeps find it in the cache.
 *
 * The line's first element is taken off all others, so that a mean that is large against the deviations costs no digits.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, laneIndices, type LineOrder } from './lib/lanes.ts';
import { lineElements } from './lib/lines.ts';
import { wgsl } from './lib/wgsl.ts';

export type LayerNormOptions = {
  gamma: boolean;
  beta: boolean;
  lanes: number;
  order: LineOrder;
  /** Elements at once: neighbours of one line in rows (gamma and beta are read likewise), of four lines in columns. */
  width: 1 | 4;
  workgroup: number;
};

export function layerNorm(options: LayerNormOptions): string {
  const { gamma, beta, lanes, order, width } = options;
  const value = `(x[i] - pivot - mean) * ${gamma ? '(scale * T(gamma[k]))' : 'scale'}${beta ? ' + T(beta[k])' : ''}`;
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('sum', 'T', 'add_elements', options)}
@compute @workgroup_size(${options.workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(options)}
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let n = select(0u, params.n, line < params.count);
  let pivot = ${order === 'rows' && width === 4 ? 'T(x[start].x)' : 'x[start]'};
  var sum = T();
  for (var k = lane; k < n; k += ${lanes}u) {
    sum += x[start + k * params.inner] - pivot;
  }
  // Above the pivot.
  let mean = join_sum(fold_sum(sum, local, lane)) / params.length;
  var squares = T();
  for (var k = lane; k < n; k += ${lanes}u) {
    let deviation = x[start + k * params.inner] - pivot - mean;
    squares += deviation * deviation;
  }
  let variance = join_sum(fold_sum(squares, local, lane)) / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
    out[i] = ${value};
  }
}
`;
}
