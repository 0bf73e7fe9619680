@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
struct Params {
  count: u32,
  channels: u32,
  strip_rows: u32,
  strip_columns: u32,
  iterations: u32,
  from_h: u32,
  from_w: u32,
  from_row: i32,
  from_column: i32,
  to_h: u32,
  to_w: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = f32;
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
  let place = i / params.channels;
  let line = place / params.strip_columns;
  let strip_row = line % params.strip_rows;
  let picture = line / params.strip_rows;
  let first_to_column = min((place % params.strip_columns) * 4u, params.to_w - 4u);
  let first_from_column = i32(first_to_column * 1u) + params.from_column;
  let first_to_row = min((strip_row * params.iterations) * 1u, params.to_h - 1u);
  let first_from_row = i32(first_to_row * 1u) + params.from_row;
  let weight_0_0 = weights[0u * params.channels + channel];
  let weight_0_1 = weights[1u * params.channels + channel];
  let weight_0_2 = weights[2u * params.channels + channel];
  let weight_1_0 = weights[3u * params.channels + channel];
  let weight_1_1 = weights[4u * params.channels + channel];
  let weight_1_2 = weights[5u * params.channels + channel];
  let weight_2_0 = weights[6u * params.channels + channel];
  let weight_2_1 = weights[7u * params.channels + channel];
  let weight_2_2 = weights[8u * params.channels + channel];
  // A negative coordinate is a large unsigned one.
  let is_column_0 = u32(first_from_column + 0) < params.from_w;
  let is_column_5 = u32(first_from_column + 5) < params.from_w;

  let from_pitch = params.from_w * params.channels;
  let to_pitch = params.to_w * params.channels;
  var from_row = first_from_row;
  var from_at = (picture * params.from_h + u32(from_row)) * from_pitch;
  from_at += u32(first_from_column) * params.channels + channel;
  // Of iterations that complete nothing, a row before the first.
  var to_row = first_to_row - 0u;
  var to_at = (picture * params.to_h + to_row) * to_pitch + first_to_column * params.channels + channel;
  {
    let row_0 = from_at + 0u * from_pitch;
    let is_row_0 = u32(from_row + 0) < params.from_h;
    let value_0_0 = select(Value(), values[row_0 + 0u * params.channels], is_row_0 & is_column_0);
    let value_0_1 = select(Value(), values[row_0 + 1u * params.channels], is_row_0);
    let value_0_2 = select(Value(), values[row_0 + 2u * params.channels], is_row_0);
    let value_0_3 = select(Value(), values[row_0 + 3u * params.channels], is_row_0);
    let value_0_4 = select(Value(), values[row_0 + 4u * params.channels], is_row_0);
    let value_0_5 = select(Value(), values[row_0 + 5u * params.channels], is_row_0 & is_column_5);
    let row_1 = from_at + 1u * from_pitch;

    let value_1_0 = select(Value(), values[row_1 + 0u * params.channels], is_column_0);
    let value_1_1 = values[row_1 + 1u * params.channels];
    let value_1_2 = values[row_1 + 2u * params.channels];
    let value_1_3 = values[row_1 + 3u * params.channels];
    let value_1_4 = values[row_1 + 4u * params.channels];
    let value_1_5 = select(Value(), values[row_1 + 5u * params.channels], is_column_5);
    let row_2 = from_at + 2u * from_pitch;
    let is_row_2 = u32(from_row + 2) < params.from_h;
    let value_2_0 = select(Value(), values[row_2 + 0u * params.channels], is_row_2 & is_column_0);
    let value_2_1 = select(Value(), values[row_2 + 1u * params.channels], is_row_2);
    let value_2_2 = select(Value(), values[row_2 + 2u * params.channels], is_row_2);
    let value_2_3 = select(Value(), values[row_2 + 3u * params.channels], is_row_2);
    let value_2_4 = select(Value(), values[row_2 + 4u * params.channels], is_row_2);
    let value_2_5 = select(Value(), values[row_2 + 5u * params.channels], is_row_2 & is_column_5);
    let to_0 = to_at + 0u * to_pitch;
    result[to_0 + 0u * params.channels] = value_0_0 * weight_0_0 + value_0_1 * weight_0_1 + value_0_2 * weight_0_2 + value_1_0 * weight_1_0 + value_1_1 * weight_1_1 + value_1_2 * weight_1_2 + value_2_0 * weight_2_0 + value_2_1 * weight_2_1 + value_2_2 * weight_2_2;
    result[to_0 + 1u * params.channels] = value_0_1 * weight_0_0 + value_0_2 * weight_0_1 + value_0_3 * weight_0_2 + value_1_1 * weight_1_0 + value_1_2 * weight_1_1 + value_1_3 * weight_1_2 + value_2_1 * weight_2_0 + value_2_2 * weight_2_1 + value_2_3 * weight_2_2;
    result[to_0 + 2u * params.channels] = value_0_2 * weight_0_0 + value_0_3 * weight_0_1 + value_0_4 * weight_0_2 + value_1_2 * weight_1_0 + value_1_3 * weight_1_1 + value_1_4 * weight_1_2 + value_2_2 * weight_2_0 + value_2_3 * weight_2_1 + value_2_4 * weight_2_2;
    result[to_0 + 3u * params.channels] = value_0_3 * weight_0_0 + value_0_4 * weight_0_1 + value_0_5 * weight_0_2 + value_1_3 * weight_1_0 + value_1_4 * weight_1_1 + value_1_5 * weight_1_2 + value_2_3 * weight_2_0 + value_2_4 * weight_2_1 + value_2_5 * weight_2_2;
  }
}
