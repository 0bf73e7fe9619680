@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  shape: array<vec4<u32>, 2>,
  x_strides: array<vec4<u32>, 2>,
  out_strides: array<vec4<u32>, 2>,
  count: u32,
  rows: u32,
  columns: u32,
  row_tiles: u32,
  column_tiles: u32,
  row_stride: u32,
  column_stride: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

var<workgroup> tile: array<array<u32, 33>, 32>;

@compute @workgroup_size(32, 8)
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
  {
    let coordinate = remaining % params.shape[0][0];
    remaining /= params.shape[0][0];
    x_at += coordinate * params.x_strides[0][0];
    out_at += coordinate * params.out_strides[0][0];
  }
  let read_row = min(row_tile * 32u + local.x, params.rows - 1u);
  let read_column = column_tile * 32u + local.y;
  let last_column = params.columns - 1u;
  let value_0 = x[x_at + min(read_column + 0u, last_column) * params.column_stride + read_row];
  let value_1 = x[x_at + min(read_column + 8u, last_column) * params.column_stride + read_row];
  let value_2 = x[x_at + min(read_column + 16u, last_column) * params.column_stride + read_row];
  let value_3 = x[x_at + min(read_column + 24u, last_column) * params.column_stride + read_row];
  tile[local.y + 0u][local.x] = value_0;
  tile[local.y + 8u][local.x] = value_1;
  tile[local.y + 16u][local.x] = value_2;
  tile[local.y + 24u][local.x] = value_3;
  workgroupBarrier();
  let row = row_tile * 32u + local.y;
  let column = column_tile * 32u + local.x;
  if (column >= params.columns) {
    return;
  }
  let out_first = out_at + row * params.row_stride + column;
  if (row + 0u < params.rows) {
    out[out_first + 0u * params.row_stride] = tile[local.x][local.y + 0u];
  }
  if (row + 8u < params.rows) {
    out[out_first + 8u * params.row_stride] = tile[local.x][local.y + 8u];
  }
  if (row + 16u < params.rows) {
    out[out_first + 16u * params.row_stride] = tile[local.x][local.y + 16u];
  }
  if (row + 24u < params.rows) {
    out[out_first + 24u * params.row_stride] = tile[local.x][local.y + 24u];
  }
}
