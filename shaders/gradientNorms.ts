/**
 * @file Norms of gradients, for clipping, in two passes: sums of squares of chunks, for several gradients per launch; and
 * for each gradient (or for all together) the factor that clips it. All orders are fixed: same input, same bits.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, type LaneLayout, laneIndices } from './lib/lanes.ts';
import { finite, isNan, mathFunctions, nanValue } from './lib/math.ts';
import { accumulatorState, findMember, gradientOf } from './optimizer.ts';
import { wgsl } from './lib/wgsl.ts';

/** Vectors of one chunk. A chunk is within one gradient, and each gradient has at least one. */
export const chunkVectors = 1024;

export type ChunkOptions = {
  gradients: number;
  /** Where accumulated earlier gradients are, which are added first: a role of the packed block, a separate binding, or none. */
  accumulator: number | 'separate' | 'none';
  scaled: boolean;
  lanes: number;
  workgroup: number;
};

/** Numbers that are summed before their sum is added to the rest, to keep the error of long sums small. */
const block = 32;

/** Sums of squares of chunks. A missing gradient has sums of 0. */
export function squareChunks(options: ChunkOptions): string {
  const { gradients, accumulator, scaled, lanes, workgroup } = options;
  const layout: LaneLayout = { lanes, order: 'rows', workgroup, subgroups: false };
  const earlier =
    accumulator === 'separate'
      ? `${accumulatorState}_of[j]`
      : `block[params.starts[member / 4u][member % 4u] + j + ${accumulator}u * params.stride]`;
  return wgsl`
${flatIndex}
${gradientOf(gradients)}
fn add(a: f32, b: f32) -> f32 {
  return a + b;
}

fn square_at(member: u32, j: u32, size: u32) -> f32 {
  var g = gradient_of(member, j);
#if ${scaled}
  g /= params.loss_scale;
#endif
#if ${accumulator !== 'none'}
  g = (g + ${earlier}) / params.accumulation_steps;
#endif
  // Words after the last value are not part of the gradient.
  let first = 4u * j;
  g = select(vec4<f32>(0.0), g, vec4<u32>(first, first + 1u, first + 2u, first + 3u) < vec4<u32>(size));
  return dot(g, g);
}

${foldLanes('line', 'f32', 'add', layout)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(layout)}
  let chunk = line;
  ${findMember(gradients)}
  let size = params.sizes[member / 4u][member % 4u];
  let there = line < params.count && (params.present & (1u << member)) != 0u;
  let begin = (chunk - params.chunks[member / 4u][member % 4u]) * ${chunkVectors}u;
  let end = select(0u, min((size + 3u) / 4u, begin + ${chunkVectors}u), there);
  var total = 0.0;
  var first = begin + lane;
  while (first < end) {
    let stop = min(end, first + ${block * lanes}u);
    var sum = 0.0;
    for (var j = first; j < stop; j += ${lanes}u) {
      sum += square_at(member, j, size);
    }
    total += sum;
    first += ${block * lanes}u;
  }
  let folded = fold_line(total, local, lane);
  if (lane == 0u && line < params.count) {
    sums[params.first_chunk + line] = folded;
  }
}
`;
}

export type ScaleOptions = {
  /** One factor for all gradients instead of one for each. */
  global: boolean;
  lanes: number;
  workgroup: number;
};

/**
 * Factors that limit norms to `params.clip`. A NaN norm makes its gradients NaN, as does an infinite global norm (Keras's
 * `clip_by_global_norm`).
 */
export function clipScales({ global, lanes, workgroup }: ScaleOptions): string {
  const layout: LaneLayout = { lanes, order: 'rows', workgroup, subgroups: false };
  return wgsl`
${flatIndex}
${mathFunctions('', [isNan, finite, nanValue])}
fn add(a: f32, b: f32) -> f32 {
  return a + b;
}

${foldLanes('line', 'f32', 'add', layout)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(layout)}
  let there = line < params.count;
#if ${global}
  let begin = 0u;
  let end = select(0u, params.chunks, there);
#else
  let begin = first_chunks[min(line, params.count - 1u)];
  let end = select(0u, first_chunks[min(line, params.count - 1u) + 1u], there);
#endif
  var total = 0.0;
  var first = begin + lane;
  while (first < end) {
    let stop = min(end, first + ${block * lanes}u);
    var sum = 0.0;
    for (var c = first; c < stop; c += ${lanes}u) {
      sum += sums[c];
    }
    total += sum;
    first += ${block * lanes}u;
  }
  let squared = fold_line(total, local, lane);
  if (lane == 0u && there) {
    let norm = sqrt(squared);
    let scale = select(1.0, params.clip / norm, norm > params.clip);
#if ${global}
    scales[line] = select(nan_value(), scale, is_finite(squared));
#else
    scales[line] = select(scale, nan_value(), is_nan(squared));
#endif
  }
}
`;
}
