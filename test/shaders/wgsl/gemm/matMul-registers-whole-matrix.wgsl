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

// C[slice] = A[slice] · B[slice], of 3 × 3 and 3 × 3: an invocation computes a slice.

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
  offset += remaining * params.a_batch_strides[0][0];
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
  offset += remaining * params.b_batch_strides[0][0];
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
  if (column < params.n) {
    store(row.offset + column, activate(value));
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
  let slice = flat_index(group, groups, local, 64u);
  if (slice >= params.slices) {
    return;
  }
  let segment = segment_of(slice, 0u);
  let a_first = a_index(a_address(a_line(slice, 0u), segment), 0u);
  let a_0 = a_values[(a_first + 0u)];
  let a_1 = a_values[(a_first + 1u)];
  let a_2 = a_values[(a_first + 2u)];
  let a_3 = a_values[(a_first + 3u)];
  let a_4 = a_values[(a_first + 4u)];
  let a_5 = a_values[(a_first + 5u)];
  let a_6 = a_values[(a_first + 6u)];
  let a_7 = a_values[(a_first + 7u)];
  let a_8 = a_values[(a_first + 8u)];
  let b_first = b_index(b_address(b_line(slice, 0u), segment), 0u);
  let b_0 = b_values[(b_first + 0u)];
  let b_1 = b_values[(b_first + 1u)];
  let b_2 = b_values[(b_first + 2u)];
  let b_3 = b_values[(b_first + 3u)];
  let b_4 = b_values[(b_first + 4u)];
  let b_5 = b_values[(b_first + 5u)];
  let b_6 = b_values[(b_first + 6u)];
  let b_7 = b_values[(b_first + 7u)];
  let b_8 = b_values[(b_first + 8u)];
  let first = c_row(slice, 0u).offset;
  let bias = bias_of(slice, 0u);
  store(first + 0u, activate(f32() + a_0 * b_0 + a_1 * b_3 + a_2 * b_6 + bias.x));
  store(first + 1u, activate(f32() + a_0 * b_1 + a_1 * b_4 + a_2 * b_7 + bias.y));
  store(first + 2u, activate(f32() + a_0 * b_2 + a_1 * b_5 + a_2 * b_8 + bias.z));
  store(first + 3u, activate(f32() + a_3 * b_0 + a_4 * b_3 + a_5 * b_6 + bias.x));
  store(first + 4u, activate(f32() + a_3 * b_1 + a_4 * b_4 + a_5 * b_7 + bias.y));
  store(first + 5u, activate(f32() + a_3 * b_2 + a_4 * b_5 + a_5 * b_8 + bias.z));
  store(first + 6u, activate(f32() + a_6 * b_0 + a_7 * b_3 + a_8 * b_6 + bias.x));
  store(first + 7u, activate(f32() + a_6 * b_1 + a_7 * b_4 + a_8 * b_7 + bias.y));
  store(first + 8u, activate(f32() + a_6 * b_2 + a_7 * b_5 + a_8 * b_8 + bias.z));
}
