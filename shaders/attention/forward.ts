/**
 * @file Attention: softmax(scale · query · keyᵀ + bias) · value, one workgroup per tile of queries of one head. It processes
 * the keys a tile at a time and keeps, for each query, the largest score so far and the sum of exponentials relative to it
 * (online softmax: Milakov and Gimelshein, 2018), so that scores are never stored (FlashAttention-2: Dao, 2023).
 *
 * Shapes: query [batch, queries, heads, size], key [batch, keys, key_heads, size], value [batch, keys, key_heads,
 * value_size] → out [batch, queries, heads, value_size] and stats [batch, heads, queries], the largest score and the sum. All three
 * may be one tensor, [batch, length, heads + 2 key_heads, size].
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
  foldRows,
  keepScores,
  library,
  productOfRows,
  productWithRows,
  rowAt,
  lastKey,
  stepBase,
  tensors,
  writeRows,
} from './tile.ts';

export function attention(options: AttentionOptions): string {
  const { size } = options;
  const tile = attentionTiles[size];
  const { query, key, value, out } = tensors;
  const score = (j: number) =>
    eachRow(
      (i, c) => `s_${j}.${c} = scored(s_${j}.${c}, ${rowAt(tile, i)}, ${columnAt(tile, j)}, step_base);`,
    );
  return wgsl`
${flatIndex}
${library([query, key, value], options)}
${foldRows(tile, 'largest_of_row', (a, b) => `max(${a}, ${b})`)}
${foldRows(tile, 'sum_of_row', (a, b) => `${a} + ${b}`)}
${entryPoint(tile, 'heads')}
  let head = own_head;
  let key_head = head / (params.heads / params.key_heads);
  ${[query, key, value].map(baseOf(options)).join('\n')}
  ${stepBase}
  var largest = vec4<f32>(BEYOND);
  var total = vec4<f32>();
  ${eachResult((i, v) => `var result_${i}_${v} = vec4<f32>();`)}
  ${lastKey(options)}
  for (var first_column = 0u; first_column < end; first_column += ${tile.columns}u) {
    ${productOfRows(options, tile, query, key, 's')}
    ${eachColumn(tile, score)}
    var found = largest;
    ${eachColumn(tile, (j) => `found = max(found, s_${j});`)}
    found = largest_of_row(found, row_group, column_group);
    let shrink = exp(largest - found);
    largest = found;
    total *= shrink;
    ${eachColumn(
      tile,
      (j) => `s_${j} = exp(s_${j} - largest);
      total += s_${j};`,
    )}
    ${keepScores(tile, 's')}
    ${eachResult((i, v, c) => `result_${i}_${v} *= shrink.${c};`)}
    ${productWithRows(options, tile, value, 'result')}
  }
  total = sum_of_row(total, row_group, column_group);
  let scale = 1.0 / total;
  ${eachResult((i, v, c) => `result_${i}_${v} *= scale.${c};`)}
  ${baseOf(options)(out)}
  ${writeRows(options, tile, out, 'out', 'result')}
  if (column_group == 0u) {
    ${eachRow(
      (i, c) => `{
      let row = ${rowAt(tile, i)};
      if (row < params.queries) {
        stats[(batch * params.heads + head) * params.queries + row] = vec2(largest.${c}, total.${c});
      }
    }`,
    )}
  }
}
`;
}
