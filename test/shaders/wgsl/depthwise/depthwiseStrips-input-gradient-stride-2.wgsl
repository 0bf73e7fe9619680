@group(0) @binding(0) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;
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

alias Value = vec4<f32>;
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
  let first_to_column = (place % params.strip_columns) * 8u;
  let first_from_column = i32(first_to_column / 2u) + params.from_column;
  let first_to_row = (strip_row * params.iterations) * 2u;
  let first_from_row = i32(first_to_row / 2u) + params.from_row;
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
  let is_column_1 = u32(first_from_column + 1) < params.from_w;
  let is_column_2 = u32(first_from_column + 2) < params.from_w;
  let is_column_3 = u32(first_from_column + 3) < params.from_w;
  let is_column_4 = u32(first_from_column + 4) < params.from_w;
  let is_result_0 = first_to_column + 0u < params.to_w;
  let is_result_1 = first_to_column + 1u < params.to_w;
  let is_result_2 = first_to_column + 2u < params.to_w;
  let is_result_3 = first_to_column + 3u < params.to_w;
  let is_result_4 = first_to_column + 4u < params.to_w;
  let is_result_5 = first_to_column + 5u < params.to_w;
  let is_result_6 = first_to_column + 6u < params.to_w;
  let is_result_7 = first_to_column + 7u < params.to_w;
  var begun_0_0_0 = Value();
  var begun_0_0_1 = Value();
  var begun_0_0_2 = Value();
  var begun_0_0_3 = Value();
  var begun_0_0_4 = Value();
  var begun_0_0_5 = Value();
  var begun_0_0_6 = Value();
  var begun_0_0_7 = Value();
  var begun_0_1_0 = Value();
  var begun_0_1_1 = Value();
  var begun_0_1_2 = Value();
  var begun_0_1_3 = Value();
  var begun_0_1_4 = Value();
  var begun_0_1_5 = Value();
  var begun_0_1_6 = Value();
  var begun_0_1_7 = Value();
  let from_pitch = params.from_w * params.channels;
  let to_pitch = params.to_w * params.channels;
  var from_row = first_from_row;
  var from_at = (picture * params.from_h + u32(from_row)) * from_pitch;
  from_at += u32(first_from_column) * params.channels + channel;
  // Of iterations that complete nothing, a row before the first.
  var to_row = first_to_row - 2u;
  var to_at = (picture * params.to_h + to_row) * to_pitch + first_to_column * params.channels + channel;
  let iterations = params.iterations + 1u;
  for (var iteration = 0u; iteration < 1073741824u; iteration++) {
    if (iteration >= iterations) {
      break;
    }
    let row_0 = from_at + 0u * from_pitch;
    let is_row_0 = u32(from_row + 0) < params.from_h;
    let value_0_0 = select(Value(), values[row_0 + 0u * params.channels], is_row_0 & is_column_0);
    let value_0_1 = select(Value(), values[row_0 + 1u * params.channels], is_row_0 & is_column_1);
    let value_0_2 = select(Value(), values[row_0 + 2u * params.channels], is_row_0 & is_column_2);
    let value_0_3 = select(Value(), values[row_0 + 3u * params.channels], is_row_0 & is_column_3);
    let value_0_4 = select(Value(), values[row_0 + 4u * params.channels], is_row_0 & is_column_4);
    if ((iteration >= 1u) & (to_row + 0u < params.to_h)) {
      let to_0 = to_at + 0u * to_pitch;
      if (is_result_0) {
        result[to_0 + 0u * params.channels] = begun_0_0_0;
      }
      if (is_result_1) {
        result[to_0 + 1u * params.channels] = begun_0_0_1;
      }
      if (is_result_2) {
        result[to_0 + 2u * params.channels] = begun_0_0_2;
      }
      if (is_result_3) {
        result[to_0 + 3u * params.channels] = begun_0_0_3;
      }
      if (is_result_4) {
        result[to_0 + 4u * params.channels] = begun_0_0_4;
      }
      if (is_result_5) {
        result[to_0 + 5u * params.channels] = begun_0_0_5;
      }
      if (is_result_6) {
        result[to_0 + 6u * params.channels] = begun_0_0_6;
      }
      if (is_result_7) {
        result[to_0 + 7u * params.channels] = begun_0_0_7;
      }
    }
    if ((iteration >= 1u) & (to_row + 1u < params.to_h)) {
      let to_1 = to_at + 1u * to_pitch;
      if (is_result_0) {
        result[to_1 + 0u * params.channels] = begun_0_1_0 + value_0_0 * weight_0_1;
      }
      if (is_result_1) {
        result[to_1 + 1u * params.channels] = begun_0_1_1 + value_0_1 * weight_0_0 + value_0_0 * weight_0_2;
      }
      if (is_result_2) {
        result[to_1 + 2u * params.channels] = begun_0_1_2 + value_0_1 * weight_0_1;
      }
      if (is_result_3) {
        result[to_1 + 3u * params.channels] = begun_0_1_3 + value_0_2 * weight_0_0 + value_0_1 * weight_0_2;
      }
      if (is_result_4) {
        result[to_1 + 4u * params.channels] = begun_0_1_4 + value_0_2 * weight_0_1;
      }
      if (is_result_5) {
        result[to_1 + 5u * params.channels] = begun_0_1_5 + value_0_3 * weight_0_0 + value_0_2 * weight_0_2;
      }
      if (is_result_6) {
        result[to_1 + 6u * params.channels] = begun_0_1_6 + value_0_3 * weight_0_1;
      }
      if (is_result_7) {
        result[to_1 + 7u * params.channels] = begun_0_1_7 + value_0_4 * weight_0_0 + value_0_3 * weight_0_2;
      }
    }
    begun_0_0_0 = value_0_0 * weight_1_1;
    begun_0_0_1 = value_0_1 * weight_1_0 + value_0_0 * weight_1_2;
    begun_0_0_2 = value_0_1 * weight_1_1;
    begun_0_0_3 = value_0_2 * weight_1_0 + value_0_1 * weight_1_2;
    begun_0_0_4 = value_0_2 * weight_1_1;
    begun_0_0_5 = value_0_3 * weight_1_0 + value_0_2 * weight_1_2;
    begun_0_0_6 = value_0_3 * weight_1_1;
    begun_0_0_7 = value_0_4 * weight_1_0 + value_0_3 * weight_1_2;
    begun_0_1_0 = value_0_0 * weight_2_1;
    begun_0_1_1 = value_0_1 * weight_2_0 + value_0_0 * weight_2_2;
    begun_0_1_2 = value_0_1 * weight_2_1;
    begun_0_1_3 = value_0_2 * weight_2_0 + value_0_1 * weight_2_2;
    begun_0_1_4 = value_0_2 * weight_2_1;
    begun_0_1_5 = value_0_3 * weight_2_0 + value_0_2 * weight_2_2;
    begun_0_1_6 = value_0_3 * weight_2_1;
    begun_0_1_7 = value_0_4 * weight_2_0 + value_0_3 * weight_2_2;
    from_row += 1;
    from_at += 1u * from_pitch;
    to_row += 2u;
    to_at += 2u * to_pitch;
  }
}
