@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> gradient: array<f32>;
struct Params {
  count: u32,
  outputs: u32,
  matrix_rows: u32,
  matrix_columns: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn gradient_line(x: array<f32, 4>) -> array<f32, 3> {
  let even = x[1] + x[2];
  return array(x[0] + even, x[1] - x[2], even + x[3]);
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
  let first = i / params.outputs * params.matrix_columns + i % params.outputs;
  let stride = params.matrix_rows * params.matrix_columns;
  let row_0 = gradient_line(array(sums[first + 0u * stride], sums[first + 1u * stride], sums[first + 2u * stride], sums[first + 3u * stride]));
  let row_1 = gradient_line(array(sums[first + 4u * stride], sums[first + 5u * stride], sums[first + 6u * stride], sums[first + 7u * stride]));
  let row_2 = gradient_line(array(sums[first + 8u * stride], sums[first + 9u * stride], sums[first + 10u * stride], sums[first + 11u * stride]));
  let row_3 = gradient_line(array(sums[first + 12u * stride], sums[first + 13u * stride], sums[first + 14u * stride], sums[first + 15u * stride]));
  let column_0 = gradient_line(array(row_0[0], row_1[0], row_2[0], row_3[0]));
  let column_1 = gradient_line(array(row_0[1], row_1[1], row_2[1], row_3[1]));
  let column_2 = gradient_line(array(row_0[2], row_1[2], row_2[2], row_3[2]));
  gradient[i + 0u * params.count] = before[i + 0u * params.count] + column_0[0];
  gradient[i + 1u * params.count] = before[i + 1u * params.count] + column_1[0];
  gradient[i + 2u * params.count] = before[i + 2u * params.count] + column_2[0];
  gradient[i + 3u * params.count] = before[i + 3u * params.count] + column_0[1];
  gradient[i + 4u * params.count] = before[i + 4u * params.count] + column_1[1];
  gradient[i + 5u * params.count] = before[i + 5u * params.count] + column_2[1];
  gradient[i + 6u * params.count] = before[i + 6u * params.count] + column_0[2];
  gradient[i + 7u * params.count] = before[i + 7u * params.count] + column_1[2];
  gradient[i + 8u * params.count] = before[i + 8u * params.count] + column_2[2];
}
