@group(0) @binding(0) var<storage, read> weights: array<f32>;
@group(0) @binding(1) var<storage, read_write> kernels: array<f32>;
struct Params {
  count: u32,
  kernel_count: u32,
  kernel_columns: u32,
  used_rows: u32,
  used_columns: u32,
  first_tap: i32,
  tap_stride: i32,
  row_stride: i32,
  column_stride: i32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

const sqrt_half = 0.70710678118654752;
const sqrt_two = 1.41421356237309505;
const minus_two_thirds = -2.0 / 3.0;
const one_sixth = 1.0 / 6.0;

fn kernel_line(x: array<f32, 3>) -> array<f32, 6> {
  let near_even = minus_two_thirds * (x[0] + 0.5 * x[2]);
  let near_odd = minus_two_thirds * sqrt_half * x[1];
  let far_even = one_sixth * (x[0] + 2.0 * x[2]);
  let far_odd = one_sixth * sqrt_two * x[1];
  return array(x[0], near_even + near_odd, near_even - near_odd, far_even + far_odd, far_even - far_odd, x[2]);
}

fn tap(first: i32, index: i32, valid: bool) -> f32 {
  return select(0.0, weights[first + index * params.tap_stride], valid);
}

fn transform_kernel(i: u32) {
  let row = i / params.kernel_columns;
  let column = i % params.kernel_columns;
  let valid = (row < params.used_rows) & (column < params.used_columns);
  let first = params.first_tap + i32(row) * params.row_stride + i32(column) * params.column_stride;
  let row_0 = kernel_line(array(tap(first, 0, valid), tap(first, 1, valid), tap(first, 2, valid)));
  let row_1 = kernel_line(array(tap(first, 3, valid), tap(first, 4, valid), tap(first, 5, valid)));
  let row_2 = kernel_line(array(tap(first, 6, valid), tap(first, 7, valid), tap(first, 8, valid)));
  let column_0 = kernel_line(array(row_0[0], row_1[0], row_2[0]));
  let column_1 = kernel_line(array(row_0[1], row_1[1], row_2[1]));
  let column_2 = kernel_line(array(row_0[2], row_1[2], row_2[2]));
  let column_3 = kernel_line(array(row_0[3], row_1[3], row_2[3]));
  let column_4 = kernel_line(array(row_0[4], row_1[4], row_2[4]));
  let column_5 = kernel_line(array(row_0[5], row_1[5], row_2[5]));
  kernels[i + 0u * params.kernel_count] = column_0[0];
  kernels[i + 1u * params.kernel_count] = column_1[0];
  kernels[i + 2u * params.kernel_count] = column_2[0];
  kernels[i + 3u * params.kernel_count] = column_3[0];
  kernels[i + 4u * params.kernel_count] = column_4[0];
  kernels[i + 5u * params.kernel_count] = column_5[0];
  kernels[i + 6u * params.kernel_count] = column_0[1];
  kernels[i + 7u * params.kernel_count] = column_1[1];
  kernels[i + 8u * params.kernel_count] = column_2[1];
  kernels[i + 9u * params.kernel_count] = column_3[1];
  kernels[i + 10u * params.kernel_count] = column_4[1];
  kernels[i + 11u * params.kernel_count] = column_5[1];
  kernels[i + 12u * params.kernel_count] = column_0[2];
  kernels[i + 13u * params.kernel_count] = column_1[2];
  kernels[i + 14u * params.kernel_count] = column_2[2];
  kernels[i + 15u * params.kernel_count] = column_3[2];
  kernels[i + 16u * params.kernel_count] = column_4[2];
  kernels[i + 17u * params.kernel_count] = column_5[2];
  kernels[i + 18u * params.kernel_count] = column_0[3];
  kernels[i + 19u * params.kernel_count] = column_1[3];
  kernels[i + 20u * params.kernel_count] = column_2[3];
  kernels[i + 21u * params.kernel_count] = column_3[3];
  kernels[i + 22u * params.kernel_count] = column_4[3];
  kernels[i + 23u * params.kernel_count] = column_5[3];
  kernels[i + 24u * params.kernel_count] = column_0[4];
  kernels[i + 25u * params.kernel_count] = column_1[4];
  kernels[i + 26u * params.kernel_count] = column_2[4];
  kernels[i + 27u * params.kernel_count] = column_3[4];
  kernels[i + 28u * params.kernel_count] = column_4[4];
  kernels[i + 29u * params.kernel_count] = column_5[4];
  kernels[i + 30u * params.kernel_count] = column_0[5];
  kernels[i + 31u * params.kernel_count] = column_1[5];
  kernels[i + 32u * params.kernel_count] = column_2[5];
  kernels[i + 33u * params.kernel_count] = column_3[5];
  kernels[i + 34u * params.kernel_count] = column_4[5];
  kernels[i + 35u * params.kernel_count] = column_5[5];
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
  transform_kernel(i);
}
