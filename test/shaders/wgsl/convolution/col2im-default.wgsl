@group(0) @binding(0) var<storage, read> columns: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
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

/** The coordinate that a tap leads to; an out-of-range number if it leads outside. */
fn reach(coordinate: i32, tap: u32, stride: i32, dilation: i32, pad: i32) -> u32 {
  return u32(coordinate + pad - i32(tap) * dilation);
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
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  let column = i32(i % params.width);
  let line = i / params.width;
  let row = i32(line % params.height);
  let image = line / params.height * params.from_h;
  var sum_0_0 = 0.0;
  var sum_0_1 = 0.0;
  var sum_0_2 = 0.0;
  var sum_0_3 = 0.0;
  var sum_0_4 = 0.0;
  var sum_0_5 = 0.0;
  var sum_0_6 = 0.0;
  var sum_0_7 = 0.0;
  for (var ky = first_tap(row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(row, ky, params.stride_h, params.dilation_h, params.pad_h);
    let line_of_columns = (image + y) * params.from_w;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x_0 = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let tap = (ky * params.kernel_w + kx) * 8u;
      // No branches: on a CPU adapter they cost more than an unused read.
      let valid_0 = (y < params.from_h) & (x_0 < params.from_w);
      let first_0 = (line_of_columns + x_0) * params.columns_per_pixel + tap;
      sum_0_0 += select(0.0, columns[first_0 + 0u], valid_0);
      sum_0_1 += select(0.0, columns[first_0 + 1u], valid_0);
      sum_0_2 += select(0.0, columns[first_0 + 2u], valid_0);
      sum_0_3 += select(0.0, columns[first_0 + 3u], valid_0);
      sum_0_4 += select(0.0, columns[first_0 + 4u], valid_0);
      sum_0_5 += select(0.0, columns[first_0 + 5u], valid_0);
      sum_0_6 += select(0.0, columns[first_0 + 6u], valid_0);
      sum_0_7 += select(0.0, columns[first_0 + 7u], valid_0);
    }
  }
  result[(i + 0u) * 8u + 0u] = activate(sum_0_0);
  result[(i + 0u) * 8u + 1u] = activate(sum_0_1);
  result[(i + 0u) * 8u + 2u] = activate(sum_0_2);
  result[(i + 0u) * 8u + 3u] = activate(sum_0_3);
  result[(i + 0u) * 8u + 4u] = activate(sum_0_4);
  result[(i + 0u) * 8u + 5u] = activate(sum_0_5);
  result[(i + 0u) * 8u + 6u] = activate(sum_0_6);
  result[(i + 0u) * 8u + 7u] = activate(sum_0_7);
}
