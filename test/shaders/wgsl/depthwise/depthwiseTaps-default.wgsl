@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<f32>>;
struct Params {
  count: u32,
  channels: u32,
  strip_rows: u32,
  strip_columns: u32,
  turns: u32,
  in_h: u32,
  in_w: u32,
  seen_h: u32,
  seen_w: u32,
  out_h: u32,
  out_w: u32,
  pad_h: i32,
  pad_w: i32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = vec4<f32>;

struct Row {
  offset: u32,
  valid: bool,
}

fn image_row(first: u32, row: i32) -> Row {
  // A negative coordinate is a large unsigned one.
  return Row((first + u32(row)) * params.in_w, u32(row) < params.seen_h);
}

fn image_at(row: Row, column: i32, channel: u32) -> Value {
  let value = image[(row.offset + u32(column)) * params.channels + channel];
  return select(Value(), value, row.valid & (u32(column) < params.seen_w));
}

fn cotangent_at(row: Row, column: u32, channel: u32) -> Value {
  let value = cotangent[(row.offset + column) * params.channels + channel];
  return select(Value(), value, row.valid & (column < params.out_w));
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
  let part = i / params.channels;
  let first_column = part % params.strip_columns * 4u;
  let line = part / params.strip_columns;
  let first_turn = line % params.strip_rows * params.turns;
  let end = min(first_turn + params.turns, params.out_h);
  let picture = line / params.strip_rows;
  let from_column = i32(first_column) * 1 - params.pad_w;
  var sum_0_0 = Value();
  var sum_0_1 = Value();
  var sum_0_2 = Value();
  var sum_1_0 = Value();
  var sum_1_1 = Value();
  var sum_1_2 = Value();
  var sum_2_0 = Value();
  var sum_2_1 = Value();
  var sum_2_2 = Value();
  var cotangent_1_0 = Value();
  var cotangent_1_1 = Value();
  var cotangent_1_2 = Value();
  var cotangent_1_3 = Value();
  var cotangent_2_0 = Value();
  var cotangent_2_1 = Value();
  var cotangent_2_2 = Value();
  var cotangent_2_3 = Value();
  for (var row = first_turn; row < end + 2u; row++) {
    let cotangent_row = Row((picture * params.out_h + row) * params.out_w, row < end);
    let cotangent_0_0 = cotangent_at(cotangent_row, first_column + 0u, channel);
    let cotangent_0_1 = cotangent_at(cotangent_row, first_column + 1u, channel);
    let cotangent_0_2 = cotangent_at(cotangent_row, first_column + 2u, channel);
    let cotangent_0_3 = cotangent_at(cotangent_row, first_column + 3u, channel);
    let from_row = i32(row) * 1 - params.pad_h;
    let row_0 = image_row(picture * params.in_h, from_row + 0);
    let value_0_0 = image_at(row_0, from_column + 0, channel);
    let value_0_1 = image_at(row_0, from_column + 1, channel);
    let value_0_2 = image_at(row_0, from_column + 2, channel);
    let value_0_3 = image_at(row_0, from_column + 3, channel);
    let value_0_4 = image_at(row_0, from_column + 4, channel);
    let value_0_5 = image_at(row_0, from_column + 5, channel);
    sum_0_0 = sum_0_0 + value_0_0 * cotangent_0_0 + value_0_1 * cotangent_0_1 + value_0_2 * cotangent_0_2 + value_0_3 * cotangent_0_3;
    sum_0_1 = sum_0_1 + value_0_1 * cotangent_0_0 + value_0_2 * cotangent_0_1 + value_0_3 * cotangent_0_2 + value_0_4 * cotangent_0_3;
    sum_0_2 = sum_0_2 + value_0_2 * cotangent_0_0 + value_0_3 * cotangent_0_1 + value_0_4 * cotangent_0_2 + value_0_5 * cotangent_0_3;
    sum_1_0 = sum_1_0 + value_0_0 * cotangent_1_0 + value_0_1 * cotangent_1_1 + value_0_2 * cotangent_1_2 + value_0_3 * cotangent_1_3;
    sum_1_1 = sum_1_1 + value_0_1 * cotangent_1_0 + value_0_2 * cotangent_1_1 + value_0_3 * cotangent_1_2 + value_0_4 * cotangent_1_3;
    sum_1_2 = sum_1_2 + value_0_2 * cotangent_1_0 + value_0_3 * cotangent_1_1 + value_0_4 * cotangent_1_2 + value_0_5 * cotangent_1_3;
    sum_2_0 = sum_2_0 + value_0_0 * cotangent_2_0 + value_0_1 * cotangent_2_1 + value_0_2 * cotangent_2_2 + value_0_3 * cotangent_2_3;
    sum_2_1 = sum_2_1 + value_0_1 * cotangent_2_0 + value_0_2 * cotangent_2_1 + value_0_3 * cotangent_2_2 + value_0_4 * cotangent_2_3;
    sum_2_2 = sum_2_2 + value_0_2 * cotangent_2_0 + value_0_3 * cotangent_2_1 + value_0_4 * cotangent_2_2 + value_0_5 * cotangent_2_3;
    cotangent_2_0 = cotangent_1_0;
    cotangent_2_1 = cotangent_1_1;
    cotangent_2_2 = cotangent_1_2;
    cotangent_2_3 = cotangent_1_3;
    cotangent_1_0 = cotangent_0_0;
    cotangent_1_1 = cotangent_0_1;
    cotangent_1_2 = cotangent_0_2;
    cotangent_1_3 = cotangent_0_3;
  }
  let first = part * 9u;
  sums[(first + 0u) * params.channels + channel] = sum_0_0;
  sums[(first + 1u) * params.channels + channel] = sum_0_1;
  sums[(first + 2u) * params.channels + channel] = sum_0_2;
  sums[(first + 3u) * params.channels + channel] = sum_1_0;
  sums[(first + 4u) * params.channels + channel] = sum_1_1;
  sums[(first + 5u) * params.channels + channel] = sum_1_2;
  sums[(first + 6u) * params.channels + channel] = sum_2_0;
  sums[(first + 7u) * params.channels + channel] = sum_2_1;
  sums[(first + 8u) * params.channels + channel] = sum_2_2;
}
