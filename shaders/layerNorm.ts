/**
 * @file layerNorm along one axis of x seen as [outer, n, inner]: (x - mean) / √(variance + epsilon), times gamma and plus beta
 * where they are given, [n] each. Each line of n elements belongs to `lanes` invocations, which sweep over it three times:
 * for the mean, for the squared deviations from it, and to write; later sweeps find it in the cache.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, laneIndices, type LineOrder } from './lib/lanes.ts';
import { wgsl } from './lib/wgsl.ts';

export type LayerNormOptions = {
  gamma: boolean;
  beta: boolean;
  lanes: number;
  order: LineOrder;
};

export const layerNormWorkgroup = 256;

export function layerNorm({ gamma, beta, lanes, order }: LayerNormOptions): string {
  const layout = { lanes, order, workgroup: layerNormWorkgroup };
  const value = `(x[i] - mean) * ${gamma ? '(scale * gamma[k])' : 'scale'}${beta ? ' + beta[k]' : ''}`;
  return wgsl`
${flatIndex}
fn plus(a: f32, b: f32) -> f32 {
  return a + b;
}
${foldLanes('sum', 'f32', 'plus', layout)}
@compute @workgroup_size(${layerNormWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(layout)}
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let n = select(0u, params.n, line < params.count);
  var sum = 0.0;
  for (var k = lane; k < n; k += ${lanes}u) {
    sum += x[start + k * params.inner];
  }
  let mean = fold_sum(sum, local, lane) / f32(params.n);
  var squares = 0.0;
  for (var k = lane; k < n; k += ${lanes}u) {
    let deviation = x[start + k * params.inner] - mean;
    squares += deviation * deviation;
  }
  let variance = fold_sum(squares, local, lane) / f32(params.n);
  let scale = inverseSqrt(variance + params.epsilon);
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
    out[i] = ${value};
  }
}
`;
}
