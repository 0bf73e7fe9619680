/**
 * @file The gradient of attention. With P the weights, which are computed again from the statistics of the forward pass,
 * and dP = dout · valueᵀ: dS = P ∘ (dP - Σ dout ∘ out), dquery = scale · dS · key, dkey = scale · dSᵀ · query, dvalue =
 * Pᵀ · dout (FlashAttention-2: Dao, 2023). Two kernels: the queries' gradient, by tiles of queries, which begin with the sums
 * of their rows; and that of keys and values, by tiles of keys, each of which processes all queries of the heads that share it.
 * Where a device can't bind that many buffers, the sums take a launch of their own. No atomics: the same input gives the same
 * bits.
 */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import {
  type AttentionOptions,
  attentionTiles,
  baseOf,
  columnAt,
  eachColumn,
  eachResult,
  eachRow,
  entryPoint,
  keepScores,
  keyGradientTile,
  library,
  productOfRows,
  productWithRows,
  rowAt,
  rowsOf,
  lastKey,
  stepBase,
  tensors,
  writeRows,
} from './tile.ts';

export const sumsWorkgroup = 64;

export type AttentionSumsOptions = { width: 1 | 4 };

export type QueryGradientOptions = AttentionOptions & {
  /** Whether each tile computes the sums of its rows, and writes them for the gradient of keys; otherwise it reads them. */
  ownSums: boolean;
};

/** `sums_of(row, start)`: [largest score, 1 / sum of exponentials, Σ cotangent ∘ out, 0] of a query, whose values begin at `start`. */
const sumsOfRow = ({ width }: AttentionSumsOptions) => wgsl`
fn sums_of(row: u32, start: u32) -> vec4<f32> {
  var sum = 0.0;
  for (var k = 0u; k < params.value_size; k++) {
#if ${width === 4}
    sum += dot(cotangent[start + k], out[start + k]);
#else
    sum += cotangent[start + k] * out[start + k];
#endif
  }
  return vec4(stats[row].x, 1.0 / stats[row].y, sum, 0.0);
}
`;

/** The sums of each query of each head. One invocation each. */
export function attentionSums(options: AttentionSumsOptions): string {
  return wgsl`
${flatIndex}
${sumsOfRow(options)}
@compute @workgroup_size(${sumsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${sumsWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  // Rows of out and cotangent lie by [batch, query, head].
  let head = i % params.heads;
  let query = (i / params.heads) % params.queries;
  let batch = i / params.heads / params.queries;
  let row = (batch * params.heads + head) * params.queries + query;
  sums[row] = sums_of(row, i * params.value_size);
}
`;
}

/** Where the gradient of a tensor is written. */
const gradientOf = ({ name }: { name: string }, { joined }: AttentionOptions) =>
  joined ? 'joined_gradient' : `${name}_gradient`;

/** The weights P, and dS, of one score. */
const weigh = `
fn weight_of(score: f32, sums: vec4<f32>) -> f32 {
  return exp(score - sums.x) * sums.y;
}

fn score_gradient(score: f32, weight: f32, weight_gradient: f32, sums: vec4<f32>) -> f32 {
  return select(0.0, weight * (weight_gradient - sums.z) * params.scale, is_visible(score));
}
`;

export function attentionQueryGradient(options: QueryGradientOptions): string {
  const { size, ownSums } = options;
  const tile = attentionTiles[size];
  const { query, key, value, cotangent } = tensors;
  const differentiate = (j: number) =>
    eachRow(
      (i, c) => `{
      let score = scored(s_${j}.${c}, ${rowAt(tile, i)}, ${columnAt(tile, j)}, step_base);
      s_${j}.${c} = score_gradient(score, weight_of(score, sums_${i}), d_${j}.${c}, sums_${i});
    }`,
    );
  return wgsl`
${flatIndex}
${library([query, key, value, cotangent], options)}
${weigh}
${ownSums ? sumsOfRow(options) : ''}
${entryPoint(tile, 'heads')}
  let head = own_head;
  let key_head = head / (params.heads / params.key_heads);
  ${[query, key, value, cotangent].map(baseOf(options)).join('\n')}
  ${stepBase}
  let sums_base = (batch * params.heads + head) * params.queries;
#if ${ownSums}
  // No other workgroup has these rows. There are at least as many invocations as rows.
  let own_query = first_row + local;
  if (local < ${rowsOf(tile)}u && own_query < params.queries) {
    let start = cotangent_base + own_query * params.heads * params.value_size;
    sums[sums_base + own_query] = sums_of(sums_base + own_query, start);
  }
  storageBarrier();
#endif
  ${eachRow((i) => `let sums_${i} = sums[sums_base + min(${rowAt(tile, i)}, params.queries - 1u)];`)}
  ${eachResult((i, v) => `var result_${i}_${v} = vec4<f32>();`)}
  ${lastKey(options)}
  for (var first_column = 0u; first_column < end; first_column += ${tile.columns}u) {
    ${productOfRows(options, tile, query, key, 's')}
    ${productOfRows(options, tile, cotangent, value, 'd')}
    ${eachColumn(tile, differentiate)}
    workgroupBarrier();
    ${keepScores(tile, 's')}
    ${productWithRows(options, tile, key, 'result')}
  }
  ${writeRows(options, tile, query, gradientOf(query, options), 'result')}
}
`;
}

/** Rows are keys here, columns queries. */
export function attentionKeyGradient(options: AttentionOptions): string {
  const { size, shown } = options;
  const tile = keyGradientTile(size);
  const { query, key, value, cotangent } = tensors;
  const differentiate = (j: number) => `{
      let column = ${columnAt(tile, j)};
      let sums_of_query = sums[sums_base + min(column, params.queries - 1u)];
      ${eachRow(
        (i, c) => `{
        let score = scored(s_${j}.${c}, column, ${rowAt(tile, i)}, step_base);
        let weight = select(0.0, weight_of(score, sums_of_query), column < params.queries);
        s_${j}.${c} = weight;
        d_${j}.${c} = score_gradient(score, weight, d_${j}.${c}, sums_of_query);
      }`,
      )}
    }`;
  return wgsl`
${flatIndex}
${library([query, key, value, cotangent], options)}
${weigh}
${entryPoint(tile, 'key_heads')}
  let key_head = own_head;
  let sharing = params.heads / params.key_heads;
  ${[key, value].map(baseOf(options)).join('\n')}
  ${eachResult(
    (i, v) => `var key_result_${i}_${v} = vec4<f32>();
    var value_result_${i}_${v} = vec4<f32>();`,
  )}
#if ${shown}
  let begin_column = 0u;
#else
  let begin_column = max(first_row, params.later) - params.later;
#endif
  for (var member = 0u; member < sharing; member++) {
    let head = key_head * sharing + member;
    ${[query, cotangent].map(baseOf(options)).join('\n')}
    ${stepBase}
    let sums_base = (batch * params.heads + head) * params.queries;
    for (var first_column = begin_column; first_column < params.queries; first_column += ${tile.columns}u) {
      ${productOfRows(options, tile, key, query, 's')}
      ${productOfRows(options, tile, value, cotangent, 'd')}
      ${eachColumn(tile, differentiate)}
      workgroupBarrier();
      ${keepScores(tile, 's')}
      ${productWithRows(options, tile, cotangent, 'value_result')}
      workgroupBarrier();
      ${keepScores(tile, 'd')}
      ${productWithRows(options, tile, query, 'key_result')}
    }
  }
  ${writeRows(options, tile, key, gradientOf(key, options), 'key_result')}
  ${writeRows(options, tile, value, gradientOf(value, options), 'value_result')}
}
`;
}
