@group(0) @binding(0) var<storage, read> a_values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b_values: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c_values: array<vec4<f32>>;
struct Params {
  batch_shape: array<vec4<u32>, 2>,
  a_batch_strides: array<vec4<u32>, 2>,
  b_batch_strides: array<vec4<u32>, 2>,
  m: u32,
  n: u32,
  segments: u32,
  length: u32,
  slices: u32,
  splits: u32,
  segments_per_split: u32,
  steps_per_split: u32,
  split_stride: u32,
  alpha: f32,
  a_stride: u32,
  b_stride: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

// C[slice] = A[slice] · B[slice], of m × k and k × n: an invocation computes 8 × 8 elements of C.

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

struct CRow {
  offset: u32,
  valid: bool,
}

struct Segment {
  index: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(index);
}

struct AMatrix {
  offset: u32,
}

fn a_line(slice: u32, line: u32) -> AMatrix {
  var remaining = slice;
  var offset = line * params.a_stride;

  return AMatrix(offset);
}

fn a_address(line: AMatrix, segment: Segment) -> AMatrix {
  return line;
}

fn a_index(address: AMatrix, k: u32) -> u32 {
  return address.offset + k;
}

fn a_step_size() -> u32 {
  return params.a_stride;
}

struct BMatrix {
  offset: u32,
}

fn b_line(slice: u32, line: u32) -> BMatrix {
  var remaining = slice;
  var offset = line;

  return BMatrix(offset);
}

fn b_address(line: BMatrix, segment: Segment) -> BMatrix {
  return line;
}

fn b_index(address: BMatrix, k: u32) -> u32 {
  return address.offset + k * params.b_stride;
}

fn b_step_size() -> u32 {
  return params.b_stride;
}

fn c_row(slice: u32, row: u32) -> CRow {
  return CRow((slice * params.m + row) * params.n, true);
}

fn bias_offset(slice: u32) -> u32 {
  return 0u;
}

fn activate(value: f32) -> f32 {
  return value;
}

fn store(at: u32, value: vec4<f32>) {
  c_values[at] = value;
}

// Writes four neighbouring columns of one row.
fn write_columns(row: CRow, column: u32, value: vec4<f32>) {
  if (column < params.n) {
    store(
      (row.offset + column) >> 2u,
      vec4(activate(value.x), activate(value.y), activate(value.z), activate(value.w)),
    );
  }
}

// The bias of four neighbouring columns.
fn bias_of(slice: u32, column: u32) -> vec4<f32> {
  return vec4<f32>();
}

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_index(group, groups, local, 16u);

  let column_blocks = (params.n + 7u) / 8u;
  let row_blocks = (params.m + 7u) / 8u;
  let column_block = block % column_blocks;
  let row_block = (block / column_blocks) % row_blocks;
  let z = block / (column_blocks * row_blocks);
  if (z >= params.slices * params.splits) {
    return;
  }
  let slice = z % params.slices;
  let split = z / params.slices;
  let first_step = split * params.steps_per_split;
  let last_step = min(first_step + params.steps_per_split, params.segments * params.length);
  let first_row = row_block * 8u;
  let first_column = column_block * 8u;

  // Lines beyond the last one are computed as the last one, and not written.
  let a_line_0 = a_line(slice, min(first_row + 0u, params.m - 1u));
  let a_line_1 = a_line(slice, min(first_row + 1u, params.m - 1u));
  let a_line_2 = a_line(slice, min(first_row + 2u, params.m - 1u));
  let a_line_3 = a_line(slice, min(first_row + 3u, params.m - 1u));
  let a_line_4 = a_line(slice, min(first_row + 4u, params.m - 1u));
  let a_line_5 = a_line(slice, min(first_row + 5u, params.m - 1u));
  let a_line_6 = a_line(slice, min(first_row + 6u, params.m - 1u));
  let a_line_7 = a_line(slice, min(first_row + 7u, params.m - 1u));
  let b_line_0 = b_line(slice, min(first_column + 0u, params.n - 4u));
  let b_line_1 = b_line(slice, min(first_column + 4u, params.n - 4u));

  let bias_0 = bias_of(slice, first_column + 0u);
  var sum_0_0 = vec4<f32>();
  var sum_1_0 = vec4<f32>();
  var sum_2_0 = vec4<f32>();
  var sum_3_0 = vec4<f32>();
  var sum_4_0 = vec4<f32>();
  var sum_5_0 = vec4<f32>();
  var sum_6_0 = vec4<f32>();
  var sum_7_0 = vec4<f32>();
  let bias_1 = bias_of(slice, first_column + 4u);
  var sum_0_1 = vec4<f32>();
  var sum_1_1 = vec4<f32>();
  var sum_2_1 = vec4<f32>();
  var sum_3_1 = vec4<f32>();
  var sum_4_1 = vec4<f32>();
  var sum_5_1 = vec4<f32>();
  var sum_6_1 = vec4<f32>();
  var sum_7_1 = vec4<f32>();

  let segment = segment_of(slice, 0u);
  let a_address_0 = a_address(a_line_0, segment);
  let a_address_1 = a_address(a_line_1, segment);
  let a_address_2 = a_address(a_line_2, segment);
  let a_address_3 = a_address(a_line_3, segment);
  let a_address_4 = a_address(a_line_4, segment);
  let a_address_5 = a_address(a_line_5, segment);
  let a_address_6 = a_address(a_line_6, segment);
  let a_address_7 = a_address(a_line_7, segment);
  let b_address_0 = b_address(b_line_0, segment);
  let b_address_1 = b_address(b_line_1, segment);

  for (var k = first_step; k < last_step; k += 4u) {
    let a_0 = a_values[a_index(a_address_0, k) >> 2u];
    let a_1 = a_values[a_index(a_address_1, k) >> 2u];
    let a_2 = a_values[a_index(a_address_2, k) >> 2u];
    let a_3 = a_values[a_index(a_address_3, k) >> 2u];
    let a_4 = a_values[a_index(a_address_4, k) >> 2u];
    let a_5 = a_values[a_index(a_address_5, k) >> 2u];
    let a_6 = a_values[a_index(a_address_6, k) >> 2u];
    let a_7 = a_values[a_index(a_address_7, k) >> 2u];
    let b_0_0 = b_values[b_index(b_address_0, k) >> 2u];
    let b_0_1 = b_values[b_index(b_address_0, k + 1u) >> 2u];
    let b_0_2 = b_values[b_index(b_address_0, k + 2u) >> 2u];
    let b_0_3 = b_values[b_index(b_address_0, k + 3u) >> 2u];
    let b_1_0 = b_values[b_index(b_address_1, k) >> 2u];
    let b_1_1 = b_values[b_index(b_address_1, k + 1u) >> 2u];
    let b_1_2 = b_values[b_index(b_address_1, k + 2u) >> 2u];
    let b_1_3 = b_values[b_index(b_address_1, k + 3u) >> 2u];
    let columns_0 = mat4x4<f32>(b_0_0, b_0_1, b_0_2, b_0_3);
    let columns_1 = mat4x4<f32>(b_1_0, b_1_1, b_1_2, b_1_3);
    let row_0 = vec4<f32>(a_0.x, a_0.y, a_0.z, a_0.w);
    sum_0_0 += columns_0 * row_0;
    sum_0_1 += columns_1 * row_0;
    let row_1 = vec4<f32>(a_1.x, a_1.y, a_1.z, a_1.w);
    sum_1_0 += columns_0 * row_1;
    sum_1_1 += columns_1 * row_1;
    let row_2 = vec4<f32>(a_2.x, a_2.y, a_2.z, a_2.w);
    sum_2_0 += columns_0 * row_2;
    sum_2_1 += columns_1 * row_2;
    let row_3 = vec4<f32>(a_3.x, a_3.y, a_3.z, a_3.w);
    sum_3_0 += columns_0 * row_3;
    sum_3_1 += columns_1 * row_3;
    let row_4 = vec4<f32>(a_4.x, a_4.y, a_4.z, a_4.w);
    sum_4_0 += columns_0 * row_4;
    sum_4_1 += columns_1 * row_4;
    let row_5 = vec4<f32>(a_5.x, a_5.y, a_5.z, a_5.w);
    sum_5_0 += columns_0 * row_5;
    sum_5_1 += columns_1 * row_5;
    let row_6 = vec4<f32>(a_6.x, a_6.y, a_6.z, a_6.w);
    sum_6_0 += columns_0 * row_6;
    sum_6_1 += columns_1 * row_6;
    let row_7 = vec4<f32>(a_7.x, a_7.y, a_7.z, a_7.w);
    sum_7_0 += columns_0 * row_7;
    sum_7_1 += columns_1 * row_7;
  }

  var sums = array<vec4<f32>, 16>(
    sum_0_0 + bias_0, sum_0_1 + bias_1,
    sum_1_0 + bias_0, sum_1_1 + bias_1,
    sum_2_0 + bias_0, sum_2_1 + bias_1,
    sum_3_0 + bias_0, sum_3_1 + bias_1,
    sum_4_0 + bias_0, sum_4_1 + bias_1,
    sum_5_0 + bias_0, sum_5_1 + bias_1,
    sum_6_0 + bias_0, sum_6_1 + bias_1,
    sum_7_0 + bias_0, sum_7_1 + bias_1,
  );
  let rows = min(8u, params.m - min(first_row, params.m));
  for (var i = 0u; i < rows; i++) {
    var row = c_row(slice, first_row + i);
    row.offset += split * params.split_stride;
    if (row.valid) {
      write_columns(row, first_column + 0u, sums[i * 2u + 0u]);
      write_columns(row, first_column + 4u, sums[i * 2u + 1u]);
    }
  }
}
