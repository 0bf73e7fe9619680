@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<f32>>;
struct Params {
  count: u32,
  channels: u32,
  strip_rows: u32,
  strip_columns: u32,
  iterations: u32,
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

// The values of a strip's row: where the first is, and whether the row exists.
struct Row {
  first: u32,
  valid: bool,
}

// A value at a distance from the row's first.
fn image_at(row: Row, distance: u32, is_column: bool) -> Value {
  return select(Value(), image[row.first + distance], row.valid & is_column);
}

// A value at a distance from the row's first.
fn cotangent_at(row: Row, distance: u32, is_column: bool) -> Value {
  return select(Value(), cotangent[row.first + distance], row.valid & is_column);
}

fn row_at(picture: u32, row: i32, column: i32, channel: u32) -> Row {
  // A negative coordinate is a large unsigned one.
  let pixel = (picture * params.in_h + u32(row)) * params.in_w + u32(column);
  return Row(pixel * params.channels + channel, u32(row) < params.seen_h);
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
  let first_column = part % params.strip_columns * 3u;
  let line = part / params.strip_columns;
  let first_iteration = line % params.strip_rows * params.iterations;
  let end = min(first_iteration + params.iterations, params.out_h);
  let picture = line / params.strip_rows;
  let from_column = i32(first_column) * 2 - params.pad_w;
  let is_cotangent_0 = first_column + 0u < params.out_w;
  let is_cotangent_1 = first_column + 1u < params.out_w;
  let is_cotangent_2 = first_column + 2u < params.out_w;
  let is_column_0 = u32(from_column + 0) < params.seen_w;
  let is_column_1 = u32(from_column + 1) < params.seen_w;
  let is_column_2 = u32(from_column + 2) < params.seen_w;
  let is_column_3 = u32(from_column + 3) < params.seen_w;
  let is_column_4 = u32(from_column + 4) < params.seen_w;
  let is_column_5 = u32(from_column + 5) < params.seen_w;
  let is_column_6 = u32(from_column + 6) < params.seen_w;
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
  let iterations = end + 1u - first_iteration;
  for (var iteration = 0u; iteration < 1073741824u; iteration++) {
    if (iteration >= iterations) {
      break;
    }
    let row = first_iteration + iteration;
    let cotangent_pixel = (picture * params.out_h + row) * params.out_w + first_column;
    let cotangent_row = Row(cotangent_pixel * params.channels + channel, row < end);
    let cotangent_0_0 = cotangent_at(cotangent_row, 0u * params.channels, is_cotangent_0);
    let cotangent_0_1 = cotangent_at(cotangent_row, 1u * params.channels, is_cotangent_1);
    let cotangent_0_2 = cotangent_at(cotangent_row, 2u * params.channels, is_cotangent_2);
    let from_row = i32(row) * 2 - params.pad_h;
    let row_0 = row_at(picture, from_row + 0, from_column, channel);
    let value_0_0 = image_at(row_0, 0u * params.channels, is_column_0);
    let value_0_1 = image_at(row_0, 1u * params.channels, is_column_1);
    let value_0_2 = image_at(row_0, 2u * params.channels, is_column_2);
    let value_0_3 = image_at(row_0, 3u * params.channels, is_column_3);
    let value_0_4 = image_at(row_0, 4u * params.channels, is_column_4);
    let value_0_5 = image_at(row_0, 5u * params.channels, is_column_5);
    let value_0_6 = image_at(row_0, 6u * params.channels, is_column_6);
    let row_1 = row_at(picture, from_row + 1, from_column, channel);
    let value_1_0 = image_at(row_1, 0u * params.channels, is_column_0);
    let value_1_1 = image_at(row_1, 1u * params.channels, is_column_1);
    let value_1_2 = image_at(row_1, 2u * params.channels, is_column_2);
    let value_1_3 = image_at(row_1, 3u * params.channels, is_column_3);
    let value_1_4 = image_at(row_1, 4u * params.channels, is_column_4);
    let value_1_5 = image_at(row_1, 5u * params.channels, is_column_5);
    let value_1_6 = image_at(row_1, 6u * params.channels, is_column_6);
    sum_0_0 = sum_0_0 + value_0_0 * cotangent_0_0 + value_0_2 * cotangent_0_1 + value_0_4 * cotangent_0_2;
    sum_0_1 = sum_0_1 + value_0_1 * cotangent_0_0 + value_0_3 * cotangent_0_1 + value_0_5 * cotangent_0_2;
    sum_0_2 = sum_0_2 + value_0_2 * cotangent_0_0 + value_0_4 * cotangent_0_1 + value_0_6 * cotangent_0_2;
    sum_1_0 = sum_1_0 + value_1_0 * cotangent_0_0 + value_1_2 * cotangent_0_1 + value_1_4 * cotangent_0_2;
    sum_1_1 = sum_1_1 + value_1_1 * cotangent_0_0 + value_1_3 * cotangent_0_1 + value_1_5 * cotangent_0_2;
    sum_1_2 = sum_1_2 + value_1_2 * cotangent_0_0 + value_1_4 * cotangent_0_1 + value_1_6 * cotangent_0_2;
    sum_2_0 = sum_2_0 + value_0_0 * cotangent_1_0 + value_0_2 * cotangent_1_1 + value_0_4 * cotangent_1_2;
    sum_2_1 = sum_2_1 + value_0_1 * cotangent_1_0 + value_0_3 * cotangent_1_1 + value_0_5 * cotangent_1_2;
    sum_2_2 = sum_2_2 + value_0_2 * cotangent_1_0 + value_0_4 * cotangent_1_1 + value_0_6 * cotangent_1_2;
    cotangent_1_0 = cotangent_0_0;
    cotangent_1_1 = cotangent_0_1;
    cotangent_1_2 = cotangent_0_2;
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
