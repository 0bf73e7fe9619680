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

fn kernel_line(x: array<f32, 3>) -> array<f32, 4> {
  let even = 0.5 * (x[0] + x[2]);
  let odd = 0.5 * x[1];
  return array(x[0], even + odd, even - odd, x[2]);
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
  kernels[i + 0u * params.kernel_count] = column_0[0];
  kernels[i + 1u * params.kernel_count] = column_1[0];
  kernels[i + 2u * params.kernel_count] = column_2[0];
  kernels[i + 3u * params.kernel_count] = column_3[0];
  kernels[i + 4u * params.kernel_count] = column_0[1];
  kernels[i + 5u * params.kernel_count] = column_1[1];
  kernels[i + 6u * params.kernel_count] = column_2[1];
  kernels[i + 7u * params.kernel_count] = column_3[1];
  kernels[i + 8u * params.kernel_count] = column_0[2];
  kernels[i + 9u * params.kernel_count] = column_1[2];
  kernels[i + 10u * params.kernel_count] = column_2[2];
  kernels[i + 11u * params.kernel_count] = column_3[2];
  kernels[i + 12u * params.kernel_count] = column_0[3];
  kernels[i + 13u * params.kernel_count] = column_1[3];
  kernels[i + 14u * params.kernel_count] = column_2[3];
  kernels[i + 15u * params.kernel_count] = column_3[3];
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
