@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
struct Params {
  from_h: u32,
  from_w: u32,
  from_row: i32,
  from_column: i32,
  to_h: u32,
  to_w: u32,
  count: u32,
  blocks: u32,
  from_c: u32,
  group_from: u32,
  to_c: u32,
  vectors: u32,
  group_vectors: u32,
  kernel_h: u32,
  stride_h: i32,
  pad_h: i32,
  tap_step: u32,
  from_step: u32,
  to_step: u32,
  group_step: u32,
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
  let vector = i % params.vectors;
  let channel_group = vector / params.group_vectors;
  let channel = vector % params.group_vectors * 2u;
  let place = i / params.vectors;
  let block = place % params.blocks;
  let line = place / params.blocks;
  let picture = line / params.to_h;
  let row = i32(line % params.to_h);
  let from_column = params.from_column + i32(block) * 3;
  let first_weight = channel_group * params.group_step + channel * params.to_step;
  let is_column_0 = u32(from_column + 0) < params.from_w;
  let is_column_1 = u32(from_column + 1) < params.from_w;
  let is_column_2 = u32(from_column + 2) < params.from_w;
  let is_column_3 = u32(from_column + 3) < params.from_w;
  var sum_0 = vec2<f32>();
  var sum_1 = vec2<f32>();
  var sum_2 = vec2<f32>();
  var tap_row = 0u;
  for (var iteration = 0u; iteration < 1073741824u; iteration++) {
    if (tap_row >= params.kernel_h) {
      break;
    }
    let from_row = u32(row * params.stride_h + i32(tap_row) - params.pad_h);
    // A negative coordinate is a large unsigned one.
    let is_row = from_row < params.from_h;
    let pixel = (picture * params.from_h + from_row) * params.from_w + u32(from_column);
    var at = pixel * params.from_c + channel_group * params.group_from;
    var weights_row = first_weight + tap_row * 2u * params.tap_step;
    for (var c = 0u; c < 1073741824u; c++) {
      if (c >= params.group_from) {
        break;
      }
      let value_0 = select(0.0, values[at + 0u * params.from_c], is_row & is_column_0);
      let value_1 = select(0.0, values[at + 1u * params.from_c], is_row & is_column_1);
      let value_2 = select(0.0, values[at + 2u * params.from_c], is_row & is_column_2);
      let value_3 = select(0.0, values[at + 3u * params.from_c], is_row & is_column_3);
      {
        let weight = vec2<f32>(weights[weights_row + 0u * params.tap_step + 0u * params.to_step], weights[weights_row + 0u * params.tap_step + 1u * params.to_step]);
        sum_0 += value_0 * weight;
        sum_1 += value_1 * weight;
        sum_2 += value_2 * weight;
      }
      {
        let weight = vec2<f32>(weights[weights_row + 1u * params.tap_step + 0u * params.to_step], weights[weights_row + 1u * params.tap_step + 1u * params.to_step]);
        sum_0 += value_1 * weight;
        sum_1 += value_2 * weight;
        sum_2 += value_3 * weight;
      }
      at++;
      weights_row += params.from_step;
    }
    tap_row += 1u;
  }
  let to_column = block * 3u;
  let to_channel = channel_group * params.group_vectors * 2u + channel;
  let to = (line * params.to_w + to_column) * params.to_c + to_channel;
  if (to_column + 0u < params.to_w) {
    result[to + 0u * params.to_c + 0u] = activate(sum_0.x);
    result[to + 0u * params.to_c + 1u] = activate(sum_0.y);
  }
  if (to_column + 1u < params.to_w) {
    result[to + 1u * params.to_c + 0u] = activate(sum_1.x);
    result[to + 1u * params.to_c + 1u] = activate(sum_1.y);
  }
  if (to_column + 2u < params.to_w) {
    result[to + 2u * params.to_c + 0u] = activate(sum_2.x);
    result[to + 2u * params.to_c + 1u] = activate(sum_2.y);
  }
}
