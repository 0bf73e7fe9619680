enable subgroups;
diagnostic(off, subgroup_uniformity);
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

// C[slice] = A[slice] · B[slice], of m × k and k × n: an invocation computes 12 × 8 elements of C.

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
  var offset = line;

  return AMatrix(offset);
}

fn a_address(line: AMatrix, segment: Segment) -> AMatrix {
  return line;
}

fn a_index(address: AMatrix, k: u32) -> u32 {
  return address.offset + k * params.a_stride;
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
  let lane = local % 4u;
  let block = flat_index(group, groups, local, 16u) / 4u;

  let column_blocks = (params.n + 31u) / 32u;
  let row_blocks = (params.m + 11u) / 12u;
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
  let first_row = row_block * 12u;
  let first_column = column_block * 32u + lane * 4u;

  // Lines beyond the last one are computed as the last one, and not written.
  let a_line_0 = a_line(slice, min(first_row + 0u, params.m - 4u));
  let a_line_1 = a_line(slice, min(first_row + 4u, params.m - 4u));
  let a_line_2 = a_line(slice, min(first_row + 8u, params.m - 4u));
  let b_line_0 = b_line(slice, min(first_column + 0u, params.n - 4u));
  let b_line_1 = b_line(slice, min(first_column + 16u, params.n - 4u));

  let bias_0 = bias_of(slice, first_column + 0u);
  var sum_0_0 = vec4<f32>();
  var sum_1_0 = vec4<f32>();
  var sum_2_0 = vec4<f32>();
  var sum_3_0 = vec4<f32>();
  var sum_4_0 = vec4<f32>();
  var sum_5_0 = vec4<f32>();
  var sum_6_0 = vec4<f32>();
  var sum_7_0 = vec4<f32>();
  var sum_8_0 = vec4<f32>();
  var sum_9_0 = vec4<f32>();
  var sum_10_0 = vec4<f32>();
  var sum_11_0 = vec4<f32>();
  let bias_1 = bias_of(slice, first_column + 16u);
  var sum_0_1 = vec4<f32>();
  var sum_1_1 = vec4<f32>();
  var sum_2_1 = vec4<f32>();
  var sum_3_1 = vec4<f32>();
  var sum_4_1 = vec4<f32>();
  var sum_5_1 = vec4<f32>();
  var sum_6_1 = vec4<f32>();
  var sum_7_1 = vec4<f32>();
  var sum_8_1 = vec4<f32>();
  var sum_9_1 = vec4<f32>();
  var sum_10_1 = vec4<f32>();
  var sum_11_1 = vec4<f32>();

  let segment = segment_of(slice, 0u);
  let a_address_0 = a_address(a_line_0, segment);
  let a_address_1 = a_address(a_line_1, segment);
  let a_address_2 = a_address(a_line_2, segment);
  let b_address_0 = b_address(b_line_0, segment);
  let b_address_1 = b_address(b_line_1, segment);

  for (var k = first_step; k < last_step; k += 4u) {
    let a_own_0 = select(vec4<f32>(), a_values[a_index(a_address_0, k + lane) >> 2u], (k + lane < last_step));
    let a_0_0 = quadBroadcast(a_own_0, 0u);
    let a_0_1 = quadBroadcast(a_own_0, 1u);
    let a_0_2 = quadBroadcast(a_own_0, 2u);
    let a_0_3 = quadBroadcast(a_own_0, 3u);
    let a_own_1 = select(vec4<f32>(), a_values[a_index(a_address_1, k + lane) >> 2u], (k + lane < last_step));
    let a_1_0 = quadBroadcast(a_own_1, 0u);
    let a_1_1 = quadBroadcast(a_own_1, 1u);
    let a_1_2 = quadBroadcast(a_own_1, 2u);
    let a_1_3 = quadBroadcast(a_own_1, 3u);
    let a_own_2 = select(vec4<f32>(), a_values[a_index(a_address_2, k + lane) >> 2u], (k + lane < last_step));
    let a_2_0 = quadBroadcast(a_own_2, 0u);
    let a_2_1 = quadBroadcast(a_own_2, 1u);
    let a_2_2 = quadBroadcast(a_own_2, 2u);
    let a_2_3 = quadBroadcast(a_own_2, 3u);
    let b_0_0 = b_values[b_index(b_address_0, k) >> 2u];
    let b_0_1 = select(vec4<f32>(), b_values[b_index(b_address_0, k + 1u) >> 2u], (k + 1u < last_step));
    let b_0_2 = select(vec4<f32>(), b_values[b_index(b_address_0, k + 2u) >> 2u], (k + 2u < last_step));
    let b_0_3 = select(vec4<f32>(), b_values[b_index(b_address_0, k + 3u) >> 2u], (k + 3u < last_step));
    let b_1_0 = b_values[b_index(b_address_1, k) >> 2u];
    let b_1_1 = select(vec4<f32>(), b_values[b_index(b_address_1, k + 1u) >> 2u], (k + 1u < last_step));
    let b_1_2 = select(vec4<f32>(), b_values[b_index(b_address_1, k + 2u) >> 2u], (k + 2u < last_step));
    let b_1_3 = select(vec4<f32>(), b_values[b_index(b_address_1, k + 3u) >> 2u], (k + 3u < last_step));
    let columns_0 = mat4x4<f32>(b_0_0, b_0_1, b_0_2, b_0_3);
    let columns_1 = mat4x4<f32>(b_1_0, b_1_1, b_1_2, b_1_3);
    let row_0 = vec4<f32>(a_0_0.x, a_0_1.x, a_0_2.x, a_0_3.x);
    sum_0_0 += columns_0 * row_0;
    sum_0_1 += columns_1 * row_0;
    let row_1 = vec4<f32>(a_0_0.y, a_0_1.y, a_0_2.y, a_0_3.y);
    sum_1_0 += columns_0 * row_1;
    sum_1_1 += columns_1 * row_1;
    let row_2 = vec4<f32>(a_0_0.z, a_0_1.z, a_0_2.z, a_0_3.z);
    sum_2_0 += columns_0 * row_2;
    sum_2_1 += columns_1 * row_2;
    let row_3 = vec4<f32>(a_0_0.w, a_0_1.w, a_0_2.w, a_0_3.w);
    sum_3_0 += columns_0 * row_3;
    sum_3_1 += columns_1 * row_3;
    let row_4 = vec4<f32>(a_1_0.x, a_1_1.x, a_1_2.x, a_1_3.x);
    sum_4_0 += columns_0 * row_4;
    sum_4_1 += columns_1 * row_4;
    let row_5 = vec4<f32>(a_1_0.y, a_1_1.y, a_1_2.y, a_1_3.y);
    sum_5_0 += columns_0 * row_5;
    sum_5_1 += columns_1 * row_5;
    let row_6 = vec4<f32>(a_1_0.z, a_1_1.z, a_1_2.z, a_1_3.z);
    sum_6_0 += columns_0 * row_6;
    sum_6_1 += columns_1 * row_6;
    let row_7 = vec4<f32>(a_1_0.w, a_1_1.w, a_1_2.w, a_1_3.w);
    sum_7_0 += columns_0 * row_7;
    sum_7_1 += columns_1 * row_7;
    let row_8 = vec4<f32>(a_2_0.x, a_2_1.x, a_2_2.x, a_2_3.x);
    sum_8_0 += columns_0 * row_8;
    sum_8_1 += columns_1 * row_8;
    let row_9 = vec4<f32>(a_2_0.y, a_2_1.y, a_2_2.y, a_2_3.y);
    sum_9_0 += columns_0 * row_9;
    sum_9_1 += columns_1 * row_9;
    let row_10 = vec4<f32>(a_2_0.z, a_2_1.z, a_2_2.z, a_2_3.z);
    sum_10_0 += columns_0 * row_10;
    sum_10_1 += columns_1 * row_10;
    let row_11 = vec4<f32>(a_2_0.w, a_2_1.w, a_2_2.w, a_2_3.w);
    sum_11_0 += columns_0 * row_11;
    sum_11_1 += columns_1 * row_11;
  }

  var sums = array<vec4<f32>, 24>(
    sum_0_0 + bias_0, sum_0_1 + bias_1,
    sum_1_0 + bias_0, sum_1_1 + bias_1,
    sum_2_0 + bias_0, sum_2_1 + bias_1,
    sum_3_0 + bias_0, sum_3_1 + bias_1,
    sum_4_0 + bias_0, sum_4_1 + bias_1,
    sum_5_0 + bias_0, sum_5_1 + bias_1,
    sum_6_0 + bias_0, sum_6_1 + bias_1,
    sum_7_0 + bias_0, sum_7_1 + bias_1,
    sum_8_0 + bias_0, sum_8_1 + bias_1,
    sum_9_0 + bias_0, sum_9_1 + bias_1,
    sum_10_0 + bias_0, sum_10_1 + bias_1,
    sum_11_0 + bias_0, sum_11_1 + bias_1,
  );
  let rows = min(12u, params.m - min(first_row, params.m));
  for (var i = 0u; i < rows; i++) {
    var row = c_row(slice, first_row + i);
    row.offset += split * params.split_stride;
    if (row.valid) {
      write_columns(row, first_column + 0u, sums[i * 2u + 0u]);
      write_columns(row, first_column + 16u, sums[i * 2u + 1u]);
    }
  }
}
