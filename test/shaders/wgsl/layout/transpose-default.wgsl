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
  for (var step = 0u; step < 32u; step += 8u) {
    let row = row_tile * 32u + local.x;
    let column = column_tile * 32u + step + local.y;
    if (row < params.rows && column < params.columns) {
      tile[step + local.y][local.x] = x[x_at + column * params.column_stride + row];
    }
  }
  workgroupBarrier();
  for (var step = 0u; step < 32u; step += 8u) {
    let row = row_tile * 32u + step + local.y;
    let column = column_tile * 32u + local.x;
    if (row < params.rows && column < params.columns) {
      out[out_at + row * params.row_stride + column] = tile[local.x][step + local.y];
    }
  }
}
