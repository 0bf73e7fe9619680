/**
 * @file Cross-entropy over a vocabulary of which one block of logits [rows, n] exists at a time, from the column `first` on.
 *
 * - `statistics`: updates the statistics of each row with the block: its largest logit m, Σ e^(logit - m), Σ logit, and the
 *   logit of the row's label. Lanes share a row.
 * - `losses`: from the statistics of all blocks, the loss of each row and its log-sum-exp.
 * - `gradient`: replaces the logits of a block by their gradients.
 *
 * With the smoothing ε, the vocabulary's size V and the factor z of the squared log-sum-exp L, a loss is
 * L - (1 - ε) logit[label] - ε / V Σ logit + z L². Rows with a negative label, or with the label `ignored`, have a loss of 0.
 *
 * Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Szegedy et al., "Rethinking the Inception
 * architecture", 2016, for smoothing; Chowdhery et al., "PaLM", 2022, for z.
 */
import { flatIndex } from './lib/indexing.ts';
import { folded, foldLanes, type LaneLayout, laneIndices, laneParameters } from './lib/lanes.ts';
import { lowest } from './lib/lines.ts';
import { mathFunctions, preciseExp, preciseLog } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type VocabularyStatisticsOptions = LaneLayout;

export function vocabularyStatistics(options: VocabularyStatisticsOptions): string {
  const { lanes, workgroup } = options;
  const [own, before, after] = ['largest - all_largest', 'known.x - top', 'all_largest - top'].map((x) =>
    preciseExp(x),
  );
  const step = preciseExp('value - next');
  const drop = preciseExp('largest - next');
  return wgsl`
${flatIndex}
${mathFunctions(`${own} ${before} ${after} ${step} ${drop}`)}
fn larger(a: f32, b: f32) -> f32 {
  return max(a, b);
}

fn add_sums(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return a + b;
}
${foldLanes('largest', 'f32', 'larger', options)}
${foldLanes('sums', 'vec2<f32>', 'add_sums', options)}
@compute @workgroup_size(${workgroup})
fn main(
  ${laneParameters(options)}
) {
  ${laneIndices(options)}
  let row = min(line, params.rows - 1u);
  let start = row * params.n;
  var largest = ${lowest};
  var sum = 0.0;
  var total = 0.0;
  for (var k = lane; k < params.n; k += ${lanes}u) {
    let value = logits[start + k];
    let next = max(largest, value);
    // NaN stays NaN.
    sum = sum * ${drop} + ${step};
    total += value;
    largest = next;
  }
  let all_largest = ${folded('largest', 'largest', options)};
  let sums = ${folded('sums', `vec2<f32>(sum * ${own}, total)`, options)};
  if (lane == 0u && line < params.rows) {
    let place = bitcast<u32>(labels[row]) - params.first;
    let label_logit = select(0.0, logits[start + min(place, params.n - 1u)], place < params.n);
    if (params.first == 0u) {
      statistics[row] = vec4<f32>(all_largest, sums.x, sums.y, label_logit);
    } else {
      let known = statistics[row];
      let top = max(known.x, all_largest);
      let scaled = known.y * ${before} + sums.x * ${after};
      statistics[row] = vec4<f32>(top, scaled, known.z + sums.y, known.w + label_logit);
    }
  }
}
`;
}

export const vocabularyWorkgroup = 64;

export function vocabularyLosses(): string {
  const logarithm = preciseLog('known.y');
  return wgsl`
${flatIndex}
${mathFunctions(logarithm)}
@compute @workgroup_size(${vocabularyWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let row = flat_index(group, groups, local, ${vocabularyWorkgroup}u);
  if (row >= params.rows) {
    return;
  }
  let known = statistics[row];
  let log_sum = known.x + ${logarithm};
  let smoothed = (1.0 - params.smoothing) * known.w + params.smoothing * (known.z / params.vocabulary);
  let loss = log_sum - smoothed + params.z * log_sum * log_sum;
  log_sums[row] = log_sum;
  losses[row] = select(loss, 0.0, labels[row] < 0 || labels[row] == params.ignored);
}
`;
}

export function vocabularyGradient(): string {
  const probability = preciseExp('logits[i] - log_sum');
  return wgsl`
${flatIndex}
${mathFunctions(probability)}
@compute @workgroup_size(${vocabularyWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${vocabularyWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let row = i / params.n;
  let label = labels[row];
  let log_sum = log_sums[row];
  let is_label = bitcast<u32>(label) == params.first + i % params.n;
  let target_share = params.smoothing / params.vocabulary + select(0.0, 1.0 - params.smoothing, is_label);
  let derivative = (1.0 + 2.0 * params.z * log_sum) * ${probability} - target_share;
  logits[i] = select(dy[row] * derivative, 0.0, label < 0 || label == params.ignored);
}
`;
}
