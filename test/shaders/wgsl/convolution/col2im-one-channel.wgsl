@group(0) @binding(0) var<storage, read> columns: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
struct Params {
  count: u32,
  groups: u32,
  columns_per_pixel: u32,
  height: u32,
  width: u32,
  from_h: u32,
  from_w: u32,
  kernel_h: u32,
  kernel_w: u32,
  stride_h: i32,
  stride_w: i32,
  dilation_h: i32,
  dilation_w: i32,
  pad_h: i32,
  pad_w: i32,
  step_h: u32,
  step_w: u32,
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

/** The coordinate that a tap leads to; an out-of-range number if it leads outside. */
fn reach(coordinate: i32, tap: u32, stride: i32, dilation: i32, pad: i32) -> u32 {
  // A negative coordinate is a large number if unsigned.
  return u32(coordinate * stride + i32(tap) * dilation - pad);
}

fn first_tap(coordinate: i32, step: u32, pad: i32) -> u32 {
  return 0u;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, 64u);
  let line = unit / params.groups;
  let from_column = min((unit - line * params.groups) * 4u, params.width - 4u);
  if (unit >= params.count) {
    return;
  }
  let column = i32(from_column);
  let i = line * params.width + from_column;
  let row = i32(line % params.height);
  let image = line / params.height * params.from_h;
  var sum_0_0 = 0.0;
  var sum_1_0 = 0.0;
  var sum_2_0 = 0.0;
  var sum_3_0 = 0.0;
  for (var ky = first_tap(row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(row, ky, params.stride_h, params.dilation_h, params.pad_h);
    let line_of_columns = (image + y) * params.from_w;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x_0 = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let tap = (ky * params.kernel_w + kx) * 1u;
      let weight_0 = weights[tap + 0u];
      // No branches: on a CPU adapter they cost more than an unused read.
      let valid_0 = (y < params.from_h) & (x_0 < params.from_w);
      let image_value_0 = columns[line_of_columns + x_0];
      let x_1 = x_0 + 1u * u32(params.stride_w);
      let valid_1 = (y < params.from_h) & (x_1 < params.from_w);
      let image_value_1 = columns[line_of_columns + x_1];
      let x_2 = x_0 + 2u * u32(params.stride_w);
      let valid_2 = (y < params.from_h) & (x_2 < params.from_w);
      let image_value_2 = columns[line_of_columns + x_2];
      let x_3 = x_0 + 3u * u32(params.stride_w);
      let valid_3 = (y < params.from_h) & (x_3 < params.from_w);
      let image_value_3 = columns[line_of_columns + x_3];
      sum_0_0 += select(0.0, image_value_0 * weight_0, valid_0);
      sum_1_0 += select(0.0, image_value_1 * weight_0, valid_1);
      sum_2_0 += select(0.0, image_value_2 * weight_0, valid_2);
      sum_3_0 += select(0.0, image_value_3 * weight_0, valid_3);
    }
  }
  result[(i + 0u) * 1u + 0u] = activate(sum_0_0);
  result[(i + 1u) * 1u + 0u] = activate(sum_1_0);
  result[(i + 2u) * 1u + 0u] = activate(sum_2_0);
  result[(i + 3u) * 1u + 0u] = activate(sum_3_0);
}
