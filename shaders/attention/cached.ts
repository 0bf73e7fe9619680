/**
 * @file Attention of new queries to the keys and values of a cache, [batch, max_length, key_heads, size]. Each query has a position, that
 * of its own key: it sees the keys up to there, the last `window` of them. Positions are data, so that a recorded launch serves each
 * step of a generation. A negative position, or one beyond the cache, sees nothing, and its result is 0.
 *
 * A workgroup computes `rows` rows, queries of heads that share keys, and reads each key and value once for all of them. It goes
 * through the keys a block at a time with an online softmax (Milakov and Gimelshein, 2018): first `lanes` invocations share a key, and
 * each has several keys at once; then each invocation sums one vector of the values over a slice of the block. With `split`, several
 * workgroups share the keys of a row (Dao et al., "Flash-Decoding", 2023), and `mergeParts` adds up what they found.
 *
 * With `appends`, the workgroup first writes new keys and values to their positions. Where several workgroups read the same key, each
 * of them writes it, with equal values.
 */
import { flatIndex } from '../lib/indexing.ts';
import { foldLanes, type LaneLayout, laneParameters } from '../lib/lanes.ts';
import { mathFunctions, preciseTanh } from '../lib/math.ts';
import { components, each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { stored } from './cacheRows.ts';

export type CachedAttentionOptions = {
  /** Elements of a read: sizes are multiples of it. */
  width: 1 | 4;
  /** Whether the cache holds float16; only with a width of 4. */
  float16: boolean;
  rows: 1 | 2 | 4;
  /** The largest number of vectors of four elements in a query, a key or a value. */
  capacity: 32 | 64 | 128;
  lanes: 1 | 4;
  workgroup: number;
  subgroups: boolean;
  /** Keys that an invocation reads at once. */
  keys: number;
  /** Vectors of a result that an invocation sums; 1 only if a workgroup has as many invocations as a value has vectors. */
  vectors: number;
  softcap: boolean;
  appends: boolean;
  split: boolean;
};

/** `<name>_at(row, v)`: vector v of a row of `<size>` units; elements beyond its end are zeros. */
function reader(name: string, size: string, { width, float16 }: { width: 1 | 4; float16: boolean }): string {
  const element = (c: number) =>
    `select(0.0, ${name}[start + min(first + ${c}u, last)], first + ${c}u <= last)`;
  return wgsl`
fn ${name}_at(row: u32, v: u32) -> vec4<f32> {
#if ${float16}
  let words = ${name}[row * params.${size} + v];
  return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
#elif ${width === 4}
  return ${name}[row * params.${size} + v];
#else
  let start = row * params.${size};
  let first = 4u * v;
  let last = params.${size} - 1u;
  return vec4<f32>(${range(4).map(element).join(', ')});
#endif
}
`;
}

const floats = (count: 1 | 2 | 4) => (count === 1 ? 'f32' : `vec${count}<f32>`);

export function cachedAttention(options: CachedAttentionOptions): string {
  const { width, float16, rows, capacity, lanes, workgroup, subgroups, vectors, softcap, appends, split } =
    options;
  const [ofKeys, ofAll]: [LaneLayout, LaneLayout] = [
    { lanes, order: 'rows', workgroup, subgroups: subgroups && lanes > 1 },
    { lanes: workgroup, order: 'rows', workgroup, subgroups },
  ];
  const [T, I, B] = [
    floats(rows),
    rows === 1 ? 'i32' : `vec${rows}<i32>`,
    rows === 1 ? 'bool' : `vec${rows}<bool>`,
  ];
  const [allRows, allKeys, allVectors] = [range(rows), range(options.keys), range(vectors)];
  /** Where the keys of an invocation are apart, and the number of keys of a block. */
  const slots = workgroup / lanes;
  const block = slots * options.keys;
  const reads = range(4);
  const row = (r: number) => (rows === 1 ? '' : `.${components[r]}`);
  const joinedAs = (type: string, value: (r: number) => string) =>
    rows === 1 ? value(0) : `${type}(${allRows.map(value).join(', ')})`;
  const joined = (value: (r: number) => string) => joinedAs(T, value);
  const nested = (combine: string, value: (r: number) => string) =>
    allRows.map(value).reduce((all, one) => `${combine}(${all}, ${one})`);
  const folded = (name: string, value: string, { subgroups: shuffled }: LaneLayout, lane: string) =>
    `fold_${name}(${value}, local, ${lane}${shuffled ? ', subgroup_size' : ''})`;
  const capped = (score: string) =>
    softcap ? `params.softcap * ${preciseTanh(`${score} * params.inverse_softcap`)}` : score;
  const lineOf = (key: string) => `((batch * params.max_length + ${key}) * params.key_heads + key_head)`;
  const copyUnits = (
    from: string,
    to: string,
    size: string,
  ) => `for (var unit = local; unit < params.${size}; unit += ${workgroup}u) {
        let value_of_unit = ${from}[((batch * params.queries + i) * params.key_heads + key_head) * params.${size} + unit];
        ${to}[${lineOf('u32(position)')} * params.${size} + unit] = ${stored('value_of_unit', float16)};
      }`;
  const target = (r: number) => (split ? `(at_${r} * params.parts + part)` : `at_${r}`);
  return wgsl`
const LOWEST = -3.4028234e38;
const NOWHERE = 0x7fffffff;

var<workgroup> query_rows: array<vec4<f32>, ${rows * capacity}>;
var<workgroup> weights: array<${T}, ${block}>;
#if ${vectors === 1}
var<workgroup> shares: array<vec4<f32>, ${workgroup}>;
#endif
${flatIndex}
${mathFunctions(capped('score'))}
${reader('query', 'size', { width, float16: false })}
${reader('keys', 'size', options)}
${reader('values', 'value_size', options)}
fn larger(a: ${T}, b: ${T}) -> ${T} {
  return max(a, b);
}

fn add_sums(a: ${T}, b: ${T}) -> ${T} {
  return a + b;
}
${foldLanes('score', T, 'add_sums', ofKeys)}
${foldLanes('largest', T, 'larger', ofAll)}
${foldLanes('sum', T, 'add_sums', ofAll)}
fn position_of(row: u32, batch: u32) -> i32 {
  let position = positions[batch * params.queries + min(row, params.rows - 1u) / params.sharing];
  return select(-1, max(-1, position), row < params.rows && position < i32(params.max_length));
}

// The first key that a query at \`position\` sees.
fn first_key(position: i32) -> i32 {
  return select(NOWHERE, max(0, position - params.window + 1), position >= 0);
}

fn write(row: u32, v: u32, value: vec4<f32>) {
  if (v >= params.value_vectors) {
    return;
  }
#if ${width === 4}
  out[row * params.value_size + v] = value;
#else
  for (var c = 0u; c < min(4u, params.value_size - 4u * v); c++) {
    out[row * params.value_size + 4u * v + c] = value[c];
  }
#endif
}

@compute @workgroup_size(${workgroup})
fn main(
  ${laneParameters(ofAll)}
) {
  let index = flat_group(group, groups);
  if (index >= params.count) {
    return;
  }
  let part = index % params.parts;
  let first_row = (index / params.parts) % params.row_blocks * ${rows}u;
  let key_head = index / (params.parts * params.row_blocks) % params.key_heads;
  let batch = index / (params.parts * params.row_blocks * params.key_heads);
  ${each(
    allRows,
    (r) => `let position_${r} = position_of(first_row + ${r}u, batch);
  let row_${r} = min(first_row + ${r}u, params.rows - 1u);
  let at_${r} = (batch * params.queries + row_${r} / params.sharing) * params.heads + key_head * params.sharing + row_${r} % params.sharing;`,
  )}
  let seen = ${joinedAs(I, (r) => `position_${r}`)};
  let last = ${nested('max', (r) => `position_${r}`)};
  let start = ${nested('min', (r) => `first_key(position_${r})`)};
#if ${split}
  let per_part = (u32(max(0, last - start + 1)) + params.parts - 1u) / params.parts;
  let begin = u32(start) + part * per_part;
  let end = min(begin + per_part, u32(last + 1));
#else
  let begin = u32(start);
  let end = u32(last + 1);
#endif
#if ${appends}
  for (var i = 0u; i < params.queries; i++) {
    let position = positions[batch * params.queries + i];
    if (position >= 0 && u32(position) >= begin && u32(position) < end) {
      ${copyUnits('key', 'keys', 'size')}
      ${copyUnits('value', 'values', 'value_size')}
    }
  }
  storageBarrier();
#endif
  for (var v = local; v < params.vectors; v += ${workgroup}u) {
    ${each(allRows, (r) => `query_rows[${r * capacity}u + v] = params.scale * query_at(at_${r}, v);`)}
  }
  workgroupBarrier();
  let lane = local % ${lanes}u;
  let slot = local / ${lanes}u;
#if ${vectors === 1}
  let slices = ${workgroup}u / params.value_vectors;
  let vector = local % params.value_vectors;
  let slice = local / params.value_vectors;
#else
  let slices = 1u;
  let vector = local;
  let slice = 0u;
#endif
  var largest = ${T}(LOWEST);
  var total = ${T}();
  ${each(allRows, (r) => each(allVectors, (v) => `var result_${r}_${v} = vec4<f32>();`))}
  for (var first = begin; first < end; first += ${block}u) {
    let held = min(${block}u, end - first);
    ${each(
      allKeys,
      (k) => `var score_${k} = ${T}();
    let line_${k} = ${lineOf(`first + min(slot + ${k * slots}u, held - 1u)`)};`,
    )}
    for (var v = lane; v < params.vectors; v += ${lanes}u) {
      ${each(allKeys, (k) => `let key_${k} = keys_at(line_${k}, v);`)}
      ${each(
        allRows,
        (r) => `let query_${r} = query_rows[${r * capacity}u + v];
      ${each(allKeys, (k) => `score_${k}${row(r)} += dot(query_${r}, key_${k});`)}`,
      )}
    }
    ${
      lanes === 1
        ? ''
        : each(
            allKeys,
            (k) =>
              `${subgroups ? '' : 'workgroupBarrier();\n    '}score_${k} = ${folded('score', `score_${k}`, ofKeys, 'lane')};`,
          )
    }
    var found = largest;
    ${each(
      allKeys,
      (k) => `{
      let key = i32(first + slot + ${k * slots}u);
      let sees = (${I}(key) <= seen) & (${I}(key) > seen - ${I}(params.window)) & ${B}(key < i32(end));
      score_${k} = select(${T}(LOWEST), ${joined((r) => capped(`score_${k}${row(r)}`))}, sees);
      found = max(found, score_${k});
    }`,
    )}
    found = ${folded('largest', 'found', ofAll, 'local')};
    let shrink = exp(largest - found);
    largest = found;
    total *= shrink;
    if (lane == 0u) {
      ${each(
        allKeys,
        (k) => `{
        let weight = select(exp(score_${k} - largest), ${T}(), score_${k} == ${T}(LOWEST));
        weights[slot + ${k * slots}u] = weight;
        total += weight;
      }`,
      )}
    }
    workgroupBarrier();
    ${each(allRows, (r) => each(allVectors, (v) => `result_${r}_${v} *= shrink${row(r)};`))}
    for (var k = select(held, slice, slice < slices); k < held; k += 4u * slices) {
      ${each(
        reads,
        (j) => `let held_${j} = min(k + ${j}u * slices, held - 1u);
      let value_line_${j} = ${lineOf(`first + held_${j}`)};
      ${each(allVectors, (v) => `let value_${j}_${v} = values_at(value_line_${j}, vector + ${v * workgroup}u);`)}`,
      )}
      ${each(
        reads,
        (j) => `let weight_${j} = select(${T}(), weights[held_${j}], k + ${j}u * slices < held);
      ${each(allRows, (r) => each(allVectors, (v) => `result_${r}_${v} += weight_${j}${row(r)} * value_${j}_${v};`))}`,
      )}
    }
    workgroupBarrier();
  }
  total = ${folded('sum', 'total', ofAll, 'local')};
#if ${split}
  let scale = ${T}(1.0);
#else
  // Without keys, the result is 0; NaN remains.
  let scale = select(1.0 / total, ${T}(), total == ${T}());
#endif
  ${each(allRows, (r) => {
    const results =
      vectors === 1
        ? `workgroupBarrier();
  shares[local] = result_${r}_0;
  workgroupBarrier();
  if (local < params.value_vectors && first_row + ${r}u < params.rows) {
    var sum = shares[local];
    for (var s = 1u; s < slices; s++) {
      sum += shares[local + s * params.value_vectors];
    }
    write(${target(r)}, local, scale${row(r)} * sum);
  }`
        : `if (first_row + ${r}u < params.rows) {
    ${each(allVectors, (v) => `write(${target(r)}, local + ${v * workgroup}u, scale${row(r)} * result_${r}_${v});`)}
  }`;
    if (!split) return results;
    return `${results}
  if (local == 0u && first_row + ${r}u < params.rows) {
    stats[${target(r)}] = vec2<f32>(largest${row(r)}, total${row(r)});
  }`;
  })}
}
`;
}
