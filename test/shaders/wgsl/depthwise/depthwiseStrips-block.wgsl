@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
struct Params {
  count: u32,
  channels: u32,
  strip_rows: u32,
  strip_columns: u32,
  turns: u32,
  from_h: u32,
  from_w: u32,
  from_row: i32,
  from_column: i32,
  to_h: u32,
  to_w: u32,
  to_row: i32,
  to_column: i32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = f32;

// The values of a strip's row: where the first is, and whether the row counts.
struct Row {
  first: u32,
  valid: bool,
}

// A value some way behind the row's first.
fn values_at(row: Row, distance: u32, is_column: bool) -> Value {
  return select(Value(), values[row.first + distance], row.valid & is_column);
}

fn row_at(picture: u32, row: i32, column: i32, channel: u32) -> Row {
  // A negative coordinate is a large unsigned one.
  let pixel = (picture * params.from_h + u32(row)) * params.from_w + u32(column);
  return Row(pixel * params.channels + channel, u32(row) < params.from_h);
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
  let place = i / params.channels;
  let strip_column = i32(place % params.strip_columns);
  let line = place / params.strip_columns;
  let first_turn = i32(line % params.strip_rows * params.turns);
  let picture = line / params.strip_rows;
  let from_column = strip_column * 4 + params.from_column;
  let to_column = strip_column * 4 + params.to_column;
  let weight_0_0 = weights[0u * params.channels + channel];
  let weight_0_1 = weights[1u * params.channels + channel];
  let weight_0_2 = weights[2u * params.channels + channel];
  let weight_1_0 = weights[3u * params.channels + channel];
  let weight_1_1 = weights[4u * params.channels + channel];
  let weight_1_2 = weights[5u * params.channels + channel];
  let weight_2_0 = weights[6u * params.channels + channel];
  let weight_2_1 = weights[7u * params.channels + channel];
  let weight_2_2 = weights[8u * params.channels + channel];
  let is_column_0 = u32(from_column + 0) < params.from_w;
  let is_column_1 = u32(from_column + 1) < params.from_w;
  let is_column_2 = u32(from_column + 2) < params.from_w;
  let is_column_3 = u32(from_column + 3) < params.from_w;
  let is_column_4 = u32(from_column + 4) < params.from_w;
  let is_column_5 = u32(from_column + 5) < params.from_w;
  let is_result_0 = u32(to_column + 0) < params.to_w;
  let is_result_1 = u32(to_column + 1) < params.to_w;
  let is_result_2 = u32(to_column + 2) < params.to_w;
  let is_result_3 = u32(to_column + 3) < params.to_w;

  let turn = 0;
  {
    let from_row = (first_turn + turn) * 1 + params.from_row;
    let row_0 = row_at(picture, from_row + 0, from_column, channel);
    let value_0_0 = values_at(row_0, 0u * params.channels, is_column_0);
    let value_0_1 = values_at(row_0, 1u * params.channels, is_column_1);
    let value_0_2 = values_at(row_0, 2u * params.channels, is_column_2);
    let value_0_3 = values_at(row_0, 3u * params.channels, is_column_3);
    let value_0_4 = values_at(row_0, 4u * params.channels, is_column_4);
    let value_0_5 = values_at(row_0, 5u * params.channels, is_column_5);
    let row_1 = row_at(picture, from_row + 1, from_column, channel);
    let value_1_0 = values_at(row_1, 0u * params.channels, is_column_0);
    let value_1_1 = values_at(row_1, 1u * params.channels, is_column_1);
    let value_1_2 = values_at(row_1, 2u * params.channels, is_column_2);
    let value_1_3 = values_at(row_1, 3u * params.channels, is_column_3);
    let value_1_4 = values_at(row_1, 4u * params.channels, is_column_4);
    let value_1_5 = values_at(row_1, 5u * params.channels, is_column_5);
    let row_2 = row_at(picture, from_row + 2, from_column, channel);
    let value_2_0 = values_at(row_2, 0u * params.channels, is_column_0);
    let value_2_1 = values_at(row_2, 1u * params.channels, is_column_1);
    let value_2_2 = values_at(row_2, 2u * params.channels, is_column_2);
    let value_2_3 = values_at(row_2, 3u * params.channels, is_column_3);
    let value_2_4 = values_at(row_2, 4u * params.channels, is_column_4);
    let value_2_5 = values_at(row_2, 5u * params.channels, is_column_5);
    let to_row = (first_turn + turn - 0) * 1 + params.to_row;
    {
      let is_row = (turn >= 0) & (u32(to_row + 0) < params.to_h);
      let to_line = (picture * params.to_h + u32(to_row + 0)) * params.to_w + u32(to_column);
      let to = to_line * params.channels + channel;
      if (is_row & is_result_0) {
        result[to + 0u * params.channels] = value_0_0 * weight_0_0 + value_0_1 * weight_0_1 + value_0_2 * weight_0_2 + value_1_0 * weight_1_0 + value_1_1 * weight_1_1 + value_1_2 * weight_1_2 + value_2_0 * weight_2_0 + value_2_1 * weight_2_1 + value_2_2 * weight_2_2;
      }
      if (is_row & is_result_1) {
        result[to + 1u * params.channels] = value_0_1 * weight_0_0 + value_0_2 * weight_0_1 + value_0_3 * weight_0_2 + value_1_1 * weight_1_0 + value_1_2 * weight_1_1 + value_1_3 * weight_1_2 + value_2_1 * weight_2_0 + value_2_2 * weight_2_1 + value_2_3 * weight_2_2;
      }
      if (is_row & is_result_2) {
        result[to + 2u * params.channels] = value_0_2 * weight_0_0 + value_0_3 * weight_0_1 + value_0_4 * weight_0_2 + value_1_2 * weight_1_0 + value_1_3 * weight_1_1 + value_1_4 * weight_1_2 + value_2_2 * weight_2_0 + value_2_3 * weight_2_1 + value_2_4 * weight_2_2;
      }
      if (is_row & is_result_3) {
        result[to + 3u * params.channels] = value_0_3 * weight_0_0 + value_0_4 * weight_0_1 + value_0_5 * weight_0_2 + value_1_3 * weight_1_0 + value_1_4 * weight_1_1 + value_1_5 * weight_1_2 + value_2_3 * weight_2_0 + value_2_4 * weight_2_1 + value_2_5 * weight_2_2;
      }
    }
  }
}
