@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
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
@group(0) @binding(2) var<uniform> params: Params;

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
    line % params.tile_rows * 4u,
    tile % params.tile_columns * 4u,
  );
}

fn store(at: u32, value: f32) {
  result[at] = value;
}

const sqrt_half = 0.70710678118654752;
const sqrt_two = 1.41421356237309505;
const minus_two_thirds = -2.0 / 3.0;
const one_sixth = 1.0 / 6.0;

fn result_line(x: array<f32, 6>) -> array<f32, 4> {
  let near_even = x[1] + x[2];
  let near_odd = sqrt_half * (x[1] - x[2]);
  let far_even = x[3] + x[4];
  let far_odd = sqrt_two * (x[3] - x[4]);
  return array(
    x[0] + (near_even + far_even),
    near_odd + far_odd,
    0.5 * near_even + 2.0 * far_even,
    (0.5 * near_odd + 2.0 * far_odd) + x[5],
  );
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
  let row_0 = result_line(array(sums[first + 0u * stride], sums[first + 1u * stride], sums[first + 2u * stride], sums[first + 3u * stride], sums[first + 4u * stride], sums[first + 5u * stride]));
  let row_1 = result_line(array(sums[first + 6u * stride], sums[first + 7u * stride], sums[first + 8u * stride], sums[first + 9u * stride], sums[first + 10u * stride], sums[first + 11u * stride]));
  let row_2 = result_line(array(sums[first + 12u * stride], sums[first + 13u * stride], sums[first + 14u * stride], sums[first + 15u * stride], sums[first + 16u * stride], sums[first + 17u * stride]));
  let row_3 = result_line(array(sums[first + 18u * stride], sums[first + 19u * stride], sums[first + 20u * stride], sums[first + 21u * stride], sums[first + 22u * stride], sums[first + 23u * stride]));
  let row_4 = result_line(array(sums[first + 24u * stride], sums[first + 25u * stride], sums[first + 26u * stride], sums[first + 27u * stride], sums[first + 28u * stride], sums[first + 29u * stride]));
  let row_5 = result_line(array(sums[first + 30u * stride], sums[first + 31u * stride], sums[first + 32u * stride], sums[first + 33u * stride], sums[first + 34u * stride], sums[first + 35u * stride]));
  let column_0 = result_line(array(row_0[0], row_1[0], row_2[0], row_3[0], row_4[0], row_5[0]));
  let column_1 = result_line(array(row_0[1], row_1[1], row_2[1], row_3[1], row_4[1], row_5[1]));
  let column_2 = result_line(array(row_0[2], row_1[2], row_2[2], row_3[2], row_4[2], row_5[2]));
  let column_3 = result_line(array(row_0[3], row_1[3], row_2[3], row_3[3], row_4[3], row_5[3]));
  let bias = 0.0;
  if (place.row + 0u < params.height) {
    let offset =
      ((place.image * params.height + place.row + 0u) * params.width + place.column) * params.channels + channel;
    if (place.column + 0u < params.width) {
      store(offset + 0u * params.channels, activate(column_0[0] + bias));
    }
    if (place.column + 1u < params.width) {
      store(offset + 1u * params.channels, activate(column_1[0] + bias));
    }
    if (place.column + 2u < params.width) {
      store(offset + 2u * params.channels, activate(column_2[0] + bias));
    }
    if (place.column + 3u < params.width) {
      store(offset + 3u * params.channels, activate(column_3[0] + bias));
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
    if (place.column + 2u < params.width) {
      store(offset + 2u * params.channels, activate(column_2[1] + bias));
    }
    if (place.column + 3u < params.width) {
      store(offset + 3u * params.channels, activate(column_3[1] + bias));
    }
  }
  if (place.row + 2u < params.height) {
    let offset =
      ((place.image * params.height + place.row + 2u) * params.width + place.column) * params.channels + channel;
    if (place.column + 0u < params.width) {
      store(offset + 0u * params.channels, activate(column_0[2] + bias));
    }
    if (place.column + 1u < params.width) {
      store(offset + 1u * params.channels, activate(column_1[2] + bias));
    }
    if (place.column + 2u < params.width) {
      store(offset + 2u * params.channels, activate(column_2[2] + bias));
    }
    if (place.column + 3u < params.width) {
      store(offset + 3u * params.channels, activate(column_3[2] + bias));
    }
  }
  if (place.row + 3u < params.height) {
    let offset =
      ((place.image * params.height + place.row + 3u) * params.width + place.column) * params.channels + channel;
    if (place.column + 0u < params.width) {
      store(offset + 0u * params.channels, activate(column_0[3] + bias));
    }
    if (place.column + 1u < params.width) {
      store(offset + 1u * params.channels, activate(column_1[3] + bias));
    }
    if (place.column + 2u < params.width) {
      store(offset + 2u * params.channels, activate(column_2[3] + bias));
    }
    if (place.column + 3u < params.width) {
      store(offset + 3u * params.channels, activate(column_3[3] + bias));
    }
  }
}
