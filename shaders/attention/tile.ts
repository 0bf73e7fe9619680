/**
 * @file Common code of the attention kernels: how a workgroup's tile is divided among its invocations, how rows of the
 * tensors are read, and the two matmuls. A tile is `rows` queries against `columns` keys at a time, or keys against queries.
 *
 * An invocation computes the scores of four rows and a few columns, and eight dimensions of its four rows' results. In the
 * generated code `<name>_<j>` holds the scores of column j, one row per component, and `<name>_<i>_<v>` vector v of row i.
 *
 * All kernels use one array in workgroup memory, `memory`. Rows are staged with a vector of padding, so that adjacent
 * invocations, which read adjacent rows, cause no bank conflicts.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';

export type AttentionOptions = {
  /** The largest head size of queries, keys and values that fits in a tile. */
  size: 32 | 64 | 128 | 256;
  /** Elements per read: sizes are multiples of it. */
  width: 1 | 4;
  /** Whether there is a bias, added to the scores (float32), or a mask, which hides keys (bool). */
  shown: boolean;
  /** Whether queries, keys and values are one tensor, `joined`: the heads of all three, one after another, for each position. */
  joined: boolean;
};

/** How a tile is divided among the invocations of a workgroup. */
export interface AttentionTile {
  /** Invocations along the rows (each has four rows) and along the columns. */
  readonly rowGroups: number;
  readonly columnGroups: number;
  /** Columns at a time. */
  readonly columns: number;
}

/** Chosen so that the scores of one step and the rows staged with them fit in 16 KiB. */
export const attentionTiles: Readonly<Record<AttentionOptions['size'], AttentionTile>> = {
  32: { rowGroups: 16, columnGroups: 4, columns: 16 },
  64: { rowGroups: 16, columnGroups: 8, columns: 32 },
  128: { rowGroups: 8, columnGroups: 16, columns: 64 },
  256: { rowGroups: 8, columnGroups: 32, columns: 64 },
};

/** For the gradient of keys and values: fewer scores, since the results take twice the registers. */
export const keyGradientTile = (size: AttentionOptions['size']): AttentionTile => {
  const tile = attentionTiles[size];
  return { ...tile, columns: Math.min(tile.columns, 2 * tile.columnGroups) };
};

export const rowsOf = ({ rowGroups }: AttentionTile) => rowGroups * 4;
const workgroupOf = ({ rowGroups, columnGroups }: AttentionTile) => rowGroups * columnGroups;

/** Vectors of a row that are staged together for `productOfRows`, without and with padding. */
const depth = 8;
const paddedDepth = depth + 1;
/** Vectors reserved for kept scores, behind which rows are staged; and the total number of vectors. */
const scoreVectors = 512;
const stagedVectors = 512;

/** The columns of an invocation. */
const ownColumns = ({ columns, columnGroups }: AttentionTile) => range(columns / columnGroups);
/** The vectors of a result's row that an invocation computes. */
const ownVectors = range(2);
const ownRows = range(4);

/** A tensor that is read by rows: [batch, length, heads, size]. */
export interface RowTensor {
  readonly name: string;
  /** Names of the parameters with its rows, its heads and the size of a row. */
  readonly rows: 'queries' | 'keys';
  readonly heads: 'heads' | 'key_heads';
  readonly size: 'size' | 'value_size';
  /** The heads before its own in a joined tensor; null if it is never part of one. */
  readonly after: string | null;
}

const queryLike = { rows: 'queries', heads: 'heads' } as const;
const keyLike = { rows: 'keys', heads: 'key_heads' } as const;
export const tensors = {
  query: { name: 'query', ...queryLike, size: 'size', after: '0u' },
  key: { name: 'key', ...keyLike, size: 'size', after: 'params.heads' },
  value: { name: 'value', ...keyLike, size: 'value_size', after: '(params.heads + params.key_heads)' },
  out: { name: 'out', ...queryLike, size: 'value_size', after: null },
  cotangent: { name: 'cotangent', ...queryLike, size: 'value_size', after: null },
} as const satisfies Record<string, RowTensor>;

/** Elements, in units of the width, between adjacent rows of a head. */
function rowStep({ heads, size, after }: RowTensor, joined: boolean): string {
  const all = joined && after !== null ? '(params.heads + 2u * params.key_heads)' : `params.${heads}`;
  return `${all} * params.${size}`;
}

/** `<name>_at(base, row, column)`: a vector of a row; zeros outside. Without branches, so that several loads are in flight. */
function reader(tensor: RowTensor, { width, joined }: AttentionOptions): string {
  const { name, rows, size, after } = tensor;
  const source = joined && after !== null ? 'joined' : name;
  const element = (c: number) =>
    `select(0.0, ${source}[start + min(first + ${c}u, last)], is_inside && first + ${c}u <= last)`;
  return wgsl`
fn ${name}_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * ${4 / width}u;
  let last = params.${size} - 1u;
  let is_inside = row < params.${rows};
  let start = base + min(row, params.${rows} - 1u) * ${rowStep(tensor, joined)};
#if ${width === 4}
  return select(vec4<f32>(), ${source}[start + min(first, last)], is_inside && first <= last);
#else
  return vec4(${[0, 1, 2, 3].map(element).join(', ')});
#endif
}
`;
}

/** Declares `<tensor>_base`, where the rows of this head begin. */
export const baseOf =
  ({ joined }: AttentionOptions) =>
  (tensor: RowTensor): string => {
    const { name, rows, heads, size, after } = tensor;
    const head = heads === 'heads' ? 'head' : 'key_head';
    if (joined && after !== null)
      return `let ${name}_base = batch * params.${rows} * ${rowStep(tensor, true)} + (${after} + ${head}) * params.${size};`;
    return `let ${name}_base = (batch * params.${rows} * params.${heads} + ${head}) * params.${size};`;
  };

/** Declares workgroup memory, readers of the tensors `read`, and `scored`, which computes scores from products. */
export function library(read: readonly RowTensor[], options: AttentionOptions): string {
  const { shown } = options;
  return wgsl`
// Finite, so that no difference is infinite minus infinite. A hidden key has a weight where all are hidden; one beyond the
// end never has.
const HIDDEN = -2.3819763e38;
const BEYOND = -3.4028234e38;

var<workgroup> memory: array<vec4<f32>, ${scoreVectors + stagedVectors}>;
${each(read, (tensor) => reader(tensor, options))}
fn scored(product: f32, query: u32, key: u32, base: u32) -> f32 {
  var score = product * params.scale;
#if ${shown}
  let word = shown[base + query * params.query_step + key * params.key_step];
  let masked = select(score, HIDDEN, word == 0u);
  score = select(score + bitcast<f32>(word), masked, params.shown_is_mask == 1u);
#endif
  score = select(score, HIDDEN, key > query + params.later);
  return select(BEYOND, score, key < params.keys);
}

fn is_visible(score: f32) -> bool {
  return score > 0.5 * HIDDEN;
}
`;
}

/** Declares `end`, the end of the keys that this tile of queries sees. With a mask, a query that sees none attends to all. */
export const lastKey = ({ size, shown }: AttentionOptions) =>
  shown
    ? 'let end = params.keys;'
    : `let end = min(params.keys, first_row + ${rowsOf(attentionTiles[size])}u + params.later);`;

/** Declares `step_base`, where bias or mask of this head begins. */
export const stepBase = 'let step_base = batch * params.batch_step + head * params.head_step;';

/** The rows and columns of an invocation: adjacent invocations have adjacent rows. */
function ownPlace({ rowGroups }: AttentionTile): string {
  return `let row_group = local % ${rowGroups}u;
  let column_group = local / ${rowGroups}u;`;
}

/** The row of component i. */
export const rowAt = ({ rowGroups }: AttentionTile, i: number) => `first_row + row_group + ${i * rowGroups}u`;
/** The column of score j. */
export const columnAt = ({ columnGroups }: AttentionTile, j: number) =>
  `first_column + column_group + ${j * columnGroups}u`;

/** `fragment` for each column of an invocation. */
export const eachColumn = (tile: AttentionTile, fragment: (j: number) => string) =>
  each(ownColumns(tile), fragment);
/** `fragment` for each row. */
export const eachRow = (fragment: (i: number, component: string) => string) =>
  each(ownRows, (i) => fragment(i, components[i] as string));
/** `fragment` for each vector of the result. */
export const eachResult = (fragment: (i: number, v: number, component: string) => string) =>
  eachRow((i, component) => each(ownVectors, (v) => fragment(i, v, component)));

/**
 * Copies `count` vectors of a tensor's rows to `memory`, with coalesced reads. Vectors are read several at a time; a vector
 * of single elements takes four loads already.
 */
function stage(
  { width }: AttentionOptions,
  tile: AttentionTile,
  { name }: RowTensor,
  { count, perRow, at, first, column }: Staging,
): string {
  const workgroup = workgroupOf(tile);
  const copy = (place: string) => `{
      let place = ${place};
      let row = place / ${perRow}u;
      let vector = place % ${perRow}u;
      memory[${at}] = ${name}_at(${name}_base, ${first} + row, ${column});
    }`;
  if (width === 1)
    return `for (var place_of = local; place_of < ${count}u; place_of += ${workgroup}u) ${copy('place_of')}`;
  return repeat(count / workgroup, (t) => copy(`local + ${t * workgroup}u`));
}

interface Staging {
  /** A multiple of the workgroup. */
  count: number;
  perRow: number;
  /** The target index, from `row` and `vector`. */
  at: string;
  /** The first row. */
  first: string;
  /** The vector of the row to read, from `vector`. */
  column: string;
}

/**
 * `into_<j>`: the products of `a`'s rows from first_row on with `b`'s from first_column on. Leaves `memory` in use.
 */
export function productOfRows(
  options: AttentionOptions,
  tile: AttentionTile,
  a: RowTensor,
  b: RowTensor,
  into: string,
): string {
  const { width } = options;
  const { rowGroups, columnGroups, columns } = tile;
  const rows = rowsOf(tile);
  const chunk = (first: string, count: number, offset: number): Staging => ({
    count: count * depth,
    perRow: depth,
    at: `${offset}u + row * ${paddedDepth}u + vector`,
    first,
    column: 'chunk + vector',
  });
  const lineOf = (group: string, groups: number, offset: number) => (k: number) =>
    `(${group} + ${k * groups}u) * ${paddedDepth}u + ${offset}u`;
  const rowLine = lineOf('row_group', rowGroups, 0);
  const columnLine = lineOf('column_group', columnGroups, rows * paddedDepth);
  const multiply = (c: string) => `{
        let line = vec4(${ownRows.map((i) => `a_${i}.${c}`).join(', ')});
        ${eachColumn(tile, (j) => `${into}_${j} += line * b_${j}.${c};`)}
      }`;
  return wgsl`${eachColumn(tile, (j) => `var ${into}_${j} = vec4<f32>();`)}
  for (var chunk = 0u; chunk * ${4 / width}u < params.${a.size}; chunk += ${depth}u) {
    workgroupBarrier();
    ${stage(options, tile, a, chunk('first_row', rows, 0))}
    ${stage(options, tile, b, chunk('first_column', columns, rows * paddedDepth))}
    workgroupBarrier();
    for (var k = 0u; k < ${depth}u; k++) {
      ${eachRow((i) => `let a_${i} = memory[${rowLine(i)} + k];`)}
      ${eachColumn(tile, (j) => `let b_${j} = memory[${columnLine(j)} + k];`)}
      ${each(components, multiply)}
    }
  }`;
}

/** Stores `from_<j>` for productWithRows. All invocations must have finished reading `memory`. */
export function keepScores(tile: AttentionTile, from: string): string {
  const { rowGroups, columnGroups } = tile;
  return eachColumn(
    tile,
    (j) => `memory[(column_group + ${j * columnGroups}u) * ${rowGroups}u + row_group] = ${from}_${j};`,
  );
}

/** Adds to `into_<i>_<v>` the kept scores times `b`'s rows from first_column on. Begins with a barrier. */
export function productWithRows(
  options: AttentionOptions,
  tile: AttentionTile,
  b: RowTensor,
  into: string,
): string {
  const { rowGroups, columnGroups, columns } = tile;
  const perRow = options.size / 4;
  const staged = Math.min(columns, stagedVectors / perRow);
  const staging: Staging = {
    count: staged * perRow,
    perRow,
    at: `${scoreVectors}u + place`,
    first: 'first_column + begin',
    column: 'vector',
  };
  const vector = (v: number) =>
    `memory[${scoreVectors}u + k * ${perRow}u + column_group + ${v * columnGroups}u]`;
  return wgsl`for (var begin = 0u; begin < ${columns}u; begin += ${staged}u) {
    workgroupBarrier();
    ${stage(options, tile, b, staging)}
    workgroupBarrier();
    for (var k = 0u; k < ${staged}u; k++) {
      let weights = memory[(begin + k) * ${rowGroups}u + row_group];
      ${each(ownVectors, (v) => `let b_${v} = ${vector(v)};`)}
      ${eachResult((i, v, c) => `${into}_${i}_${v} += weights.${c} * b_${v};`)}
    }
  }`;
}

/** Writes `from_<i>_<v>` to the rows of `out`, which has the layout of `tensor`. */
export function writeRows(
  { width, joined }: AttentionOptions,
  tile: AttentionTile,
  tensor: RowTensor,
  out: string,
  from: string,
): string {
  const { name, rows, size } = tensor;
  const vector = (i: number, v: number) => {
    const first = `first + ${(v * tile.columnGroups * 4) / width}u`;
    if (width === 4) {
      return `if (${first} < params.${size}) {
        ${out}[start + ${first}] = ${from}_${i}_${v};
      }`;
    }
    return repeat(
      4,
      (c) => `if (${first} + ${c}u < params.${size}) {
        ${out}[start + ${first} + ${c}u] = ${from}_${i}_${v}.${components[c]};
      }`,
    );
  };
  return eachRow(
    (i) => `{
    let row = ${rowAt(tile, i)};
    let first = column_group * ${4 / width}u;
    if (row < params.${rows}) {
      let start = ${name}_base + row * ${rowStep(tensor, joined)};
      ${each(ownVectors, (v) => vector(i, v))}
    }
  }`,
  );
}

/** Declares `<name>(value)`, which combines the values of all invocations of a row by `combine`, and returns it to each. */
export function foldRows(
  tile: AttentionTile,
  name: string,
  combine: (a: string, b: string) => string,
): string {
  const { rowGroups, columnGroups } = tile;
  const at = (group: string) => `memory[${scoreVectors}u + ${group} * ${rowGroups}u + row_group]`;
  return wgsl`
fn ${name}(value: vec4<f32>, row_group: u32, column_group: u32) -> vec4<f32> {
  workgroupBarrier();
  ${at('column_group')} = value;
  workgroupBarrier();
  var folded = ${at('0u')};
  for (var k = 1u; k < ${columnGroups}u; k++) {
    folded = ${combine('folded', at('k'))};
  }
  return folded;
}
`;
}

/** The start of the entry point: declares `tile`, `head`, `batch` and the invocation's position. */
export function entryPoint(tile: AttentionTile, heads: 'heads' | 'key_heads'): string {
  const workgroup = workgroupOf(tile);
  return `@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let index = flat_group(group, groups);
  if (index >= params.count) {
    return;
  }
  // Where a query sees no later keys, the last tiles of queries take longest: they begin.
  let tile = params.tiles - 1u - index % params.tiles;
  let own_head = (index / params.tiles) % params.${heads};
  let batch = index / params.tiles / params.${heads};
  let first_row = tile * ${rowsOf(tile)}u;
  ${ownPlace(tile)}`;
}
