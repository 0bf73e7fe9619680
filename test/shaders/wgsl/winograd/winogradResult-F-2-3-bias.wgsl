@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read> bias_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
struct Params {
  count: u32,
  tiles: u32,
  first_tile: u32,
  tile_rows: u32,
  tile_columns: u32,
  height: u32,
  width: u32,
  channels: u32,
  tile_channels: u32,
  alpha: f32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn activate(value: f32) -> f32 {
  return value;
}

struct Place {
  image: u32,
  row: u32,
  column: u32,
}

fn place_of(tile: u32) -> Place {
  let line = tile / params.tile_columns;
  return Place(
    line / params.tile_rows,
    line % params.tile_rows * 2u,
    tile % params.tile_columns * 2u,
  );
}

fn store(at: u32, value: f32) {
  result[at] = value;
}

fn result_line(x: array<f32, 4>) -> array<f32, 2> {
  return array(x[0] + (x[1] + x[2]), (x[1] - x[2]) + x[3]);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let tile = i / params.channels;
  let place = place_of(params.first_tile + tile);
  let first = tile * params.tile_channels + channel;
  let stride = params.tiles * params.tile_channels;
  let row_0 = result_line(array(sums[first + 0u * stride], sums[first + 1u * stride], sums[first + 2u * stride], sums[first + 3u * stride]));
  let row_1 = result_line(array(sums[first + 4u * stride], sums[first + 5u * stride], sums[first + 6u * stride], sums[first + 7u * stride]));
  let row_2 = result_line(array(sums[first + 8u * stride], sums[first + 9u * stride], sums[first + 10u * stride], sums[first + 11u * stride]));
  let row_3 = result_line(array(sums[first + 12u * stride], sums[first + 13u * stride], sums[first + 14u * stride], sums[first + 15u * stride]));
  let column_0 = result_line(array(row_0[0], row_1[0], row_2[0], row_3[0]));
  let column_1 = result_line(array(row_0[1], row_1[1], row_2[1], row_3[1]));
  let bias = bias_values[channel];
  if (place.row + 0u < params.height) {
    let offset =
      ((place.image * params.height + place.row + 0u) * params.width + place.column) * params.channels + channel;
    if (place.column + 0u < params.width) {
      store(offset + 0u * params.channels, activate(column_0[0] + bias));
    }
    if (place.column + 1u < params.width) {
      store(offset + 1u * params.channels, activate(column_1[0] + bias));
    }
  }
  if (place.row + 1u < params.height) {
    let offset =
      ((place.image * params.height + place.row + 1u) * params.width + place.column) * params.channels + channel;
    if (place.column + 0u < params.width) {
      store(offset + 0u * params.channels, activate(column_0[1] + bias));
    }
    if (place.column + 1u < params.width) {
      store(offset + 1u * params.channels, activate(column_1[1] + bias));
    }
  }
}
