/**
 * @file Transposes that move the innermost axis: a tile is read along the innermost axis of `x` and written along that
 * of `out`, through workgroup memory, so that both sides are coalesced.
 *
 * The axes are [batch, columns, rows] with `columns` contiguous in out and `rows` contiguous in x; the batch is the
 * remaining axes, in any order. A workgroup moves one tile; the tile is padded by one word per row, so that no column is
 * in a single memory bank.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const tileSide = 32;
const tileRows = 8;

export type TransposeOptions = {
  /** Axes of the batch. */
  rank: number;
};

export function transposeTiles({ rank }: TransposeOptions): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const walk = axes.map(
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
  ${walk.join('\n  ')}
  for (var step = 0u; step < ${tileSide}u; step += ${tileRows}u) {
    let row = row_tile * ${tileSide}u + local.x;
    let column = column_tile * ${tileSide}u + step + local.y;
    if (row < params.rows && column < params.columns) {
      tile[step + local.y][local.x] = x[x_at + column * params.column_stride + row];
    }
  }
  workgroupBarrier();
  for (var step = 0u; step < ${tileSide}u; step += ${tileRows}u) {
    let row = row_tile * ${tileSide}u + step + local.y;
    let column = column_tile * ${tileSide}u + local.x;
    if (row < params.rows && column < params.columns) {
      out[out_at + row * params.row_stride + column] = tile[local.x][step + local.y];
    }
  }
}
`;
}
