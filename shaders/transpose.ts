/**
 * @file Transposes that move the innermost axis: a tile is read along the innermost axis of `x` and written along that
 * of `out`, through workgroup memory, so that both sides are coalesced.
 *
 * The axes are [batch, columns, rows] with `columns` contiguous in out and `rows` contiguous in x; the batch is the
 * remaining axes, in any order. A workgroup moves one tile; the tile is padded by one word per row, so that no column is
 * in a single memory bank. Beyond an edge the last row or column is read again: without a branch between them, all reads of an
 * invocation are in flight together.
 */
import { flatIndex } from './lib/indexing.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export const tileSide = 32;
const tileRows = 8;
/** Words that an invocation moves. */
const steps = tileSide / tileRows;

export type TransposeOptions = {
  /** Axes of the batch. */
  rank: number;
};

export function transposeTiles({ rank }: TransposeOptions): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const batchOffsets = axes.map(
    (axis) => `{
    let coordinate = remaining % ${at('shape', axis)};
    remaining /= ${at('shape', axis)};
    x_at += coordinate * ${at('x_strides', axis)};
    out_at += coordinate * ${at('out_strides', axis)};
  }`,
  );
  return wgsl`
${flatIndex}
var<workgroup> tile: array<array<u32, ${tileSide + 1}>, ${tileSide}>;

@compute @workgroup_size(${tileSide}, ${tileRows})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
) {
  let g = flat_group(group, groups);
  if (g >= params.count) {
    return;
  }
  let row_tile = g % params.row_tiles;
  let column_tile = (g / params.row_tiles) % params.column_tiles;
  var remaining = g / params.row_tiles / params.column_tiles;
  var x_at = 0u;
  var out_at = 0u;
  ${batchOffsets.join('\n  ')}
  let read_row = min(row_tile * ${tileSide}u + local.x, params.rows - 1u);
  let read_column = column_tile * ${tileSide}u + local.y;
  let last_column = params.columns - 1u;
  ${repeat(
    steps,
    (i) =>
      `let value_${i} = x[x_at + min(read_column + ${i * tileRows}u, last_column) * params.column_stride + read_row];`,
  )}
  ${repeat(steps, (i) => `tile[local.y + ${i * tileRows}u][local.x] = value_${i};`)}
  workgroupBarrier();
  let row = row_tile * ${tileSide}u + local.y;
  let column = column_tile * ${tileSide}u + local.x;
  if (column >= params.columns) {
    return;
  }
  let out_first = out_at + row * params.row_stride + column;
  ${repeat(
    steps,
    (i) => `if (row + ${i * tileRows}u < params.rows) {
    out[out_first + ${i * tileRows}u * params.row_stride] = tile[local.x][local.y + ${i * tileRows}u];
  }`,
  )}
}
`;
}
