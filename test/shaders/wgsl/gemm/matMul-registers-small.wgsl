@group(0) @binding(0) var<storage, read> a_values: array<f32>;
@group(0) @binding(1) var<storage, read> b_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> c_values: array<f32>;
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

// C[slice] = A[slice] · B[slice], of m × k and k × n: an invocation computes 2 × 4 elements of C.

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

fn store(at: u32, value: f32) {
  c_values[at] = value;
}

fn write_scalar(row: CRow, column: u32, value: f32) {
  {
    store(row.offset + min(column, params.n - 1u), activate(value));
  }
}

// Writes four neighbouring columns of one row.
fn write_columns(row: CRow, column: u32, value: vec4<f32>) {
  write_scalar(row, column, value.x);
  write_scalar(row, column + 1u, value.y);
  write_scalar(row, column + 2u, value.z);
  write_scalar(row, column + 3u, value.w);
}

// The bias of four neighbouring columns.
fn bias_of(slice: u32, column: u32) -> vec4<f32> {
  return vec4<f32>();
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_index(group, groups, local, 64u);

  let column_blocks = (params.n + 3u) / 4u;
  let row_blocks = (params.m + 1u) / 2u;
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
  let first_row = row_block * 2u;
  let first_column = column_block * 4u;

  // Lines beyond the last one are computed as the last one, and not written.
  let a_line_0 = a_line(slice, min(first_row + 0u, params.m - 1u));
  let a_line_1 = a_line(slice, min(first_row + 1u, params.m - 1u));
  let b_line_0 = b_line(slice, min(first_column + 0u, params.n - 1u));
  let b_line_1 = b_line(slice, min(first_column + 1u, params.n - 1u));
  let b_line_2 = b_line(slice, min(first_column + 2u, params.n - 1u));
  let b_line_3 = b_line(slice, min(first_column + 3u, params.n - 1u));

  let bias_0 = bias_of(slice, first_column + 0u);
  var sum_0_0 = vec4<f32>();
  var sum_1_0 = vec4<f32>();

  let segment = segment_of(slice, 0u);
  let a_address_0 = a_address(a_line_0, segment);
  let a_address_1 = a_address(a_line_1, segment);
  let b_address_0 = b_address(b_line_0, segment);
  let b_address_1 = b_address(b_line_1, segment);
  let b_address_2 = b_address(b_line_2, segment);
  let b_address_3 = b_address(b_line_3, segment);

  for (var k = first_step; k < last_step; k += 1u) {
    let a_0_0 = a_values[a_index(a_address_0, k)];
    let a_1_0 = a_values[a_index(a_address_1, k)];
    let b_0_0 = b_values[b_index(b_address_0, k)];
    let b_1_0 = b_values[b_index(b_address_1, k)];
    let b_2_0 = b_values[b_index(b_address_2, k)];
    let b_3_0 = b_values[b_index(b_address_3, k)];
    let columns_0 = vec4<f32>(b_0_0, b_1_0, b_2_0, b_3_0);
    sum_0_0 += a_0_0 * columns_0;
    sum_1_0 += a_1_0 * columns_0;
  }

  if (first_row + 0u < params.m) {
    var row = c_row(slice, first_row + 0u);
    row.offset += split * params.split_stride;
    if (row.valid) {
      write_columns(row, first_column + 0u, sum_0_0 + bias_0);
    }
  }
  if (first_row + 1u < params.m) {
    var row = c_row(slice, first_row + 1u);
    row.offset += split * params.split_stride;
    if (row.valid) {
      write_columns(row, first_column + 0u, sum_1_0 + bias_0);
    }
  }
}
