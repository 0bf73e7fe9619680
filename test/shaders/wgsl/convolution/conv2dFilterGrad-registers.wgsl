@group(0) @binding(0) var<storage, read> a_values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b_values: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c_values: array<vec4<f32>>;
struct Params {
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
  in_h: u32,
  in_w: u32,
  in_c: u32,
  out_h: u32,
  out_w: u32,
  out_c: u32,
  kernel_w: u32,
  stride_h: i32,
  stride_w: i32,
  dilation_h: i32,
  dilation_w: i32,
  pad_h: i32,
  pad_w: i32,
  group_in: u32,
  group_out: u32,
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

/** A row of a result. */
struct Segment {
  index: u32,
  row: i32,
  distance: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = i32(index % params.out_h) * params.stride_h;
  return Segment(index, row, (index / params.out_h * params.in_h + u32(row)) * params.in_w * params.in_c);
}

/** A tap and a channel of the kernel. */
struct KernelRow {
  offset: u32,
  row: i32,
  column: i32,
}

fn a_line(slice: u32, line: u32) -> KernelRow {
  let tap = line / params.group_in;
  let row = i32(tap / params.kernel_w) * params.dilation_h - params.pad_h;
  let column = i32(tap % params.kernel_w) * params.dilation_w - params.pad_w;
  let distance = u32(row * i32(params.in_w) + column) * params.in_c;
  return KernelRow(distance + slice * params.group_in + line % params.group_in, row, column);
}

/** A row of the image, seen from a tap. */
struct ImageRow {
  offset: u32,
  column: i32,
  valid: bool,
}

fn a_address(tap: KernelRow, segment: Segment) -> ImageRow {
  return ImageRow(tap.offset + segment.distance, tap.column, u32(segment.row + tap.row) < params.in_h);
}

fn a_step_size() -> u32 {
  return u32(params.stride_w) * params.in_c;
}

fn a_index(address: ImageRow, k: u32) -> u32 {
  return address.offset + k * a_step_size();
}

fn a_valid(address: ImageRow, k: u32) -> bool {
  return address.valid & (u32(address.column + i32(k) * params.stride_w) < params.in_w);
}

fn b_line(slice: u32, line: u32) -> u32 {
  return slice * params.group_out + line;
}

fn b_step_size() -> u32 {
  return params.out_c;
}

fn b_address(column: u32, segment: Segment) -> u32 {
  return segment.index * params.out_w * params.out_c + column;
}

fn b_index(address: u32, k: u32) -> u32 {
  return address + k * params.out_c;
}

fn c_row(slice: u32, row: u32) -> CRow {
  return CRow(row * params.out_c + slice * params.group_out, true);
}

fn bias_offset(slice: u32) -> u32 {
  return slice * params.group_out;
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
  // Either segments are split, or the steps of a single one.
  let splits_segments = params.segments > 1u;
  let first_segment = select(0u, split * params.segments_per_split, splits_segments);
  let last_segment = min(first_segment + params.segments_per_split, params.segments);
  let first_step = select(split * params.steps_per_split, 0u, splits_segments);
  let last_step = min(first_step + params.steps_per_split, params.length);
  let first_row = row_block * 8u;
  let first_column = column_block * 8u;

  // Lines beyond the last one are computed as the last one, and not written.
  let a_line_0 = a_line(slice, min(first_row + 0u, params.m - 4u));
  let a_line_1 = a_line(slice, min(first_row + 4u, params.m - 4u));
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

  for (var index = first_segment; index < last_segment; index++) {
    let segment = segment_of(slice, index);
    let a_address_0 = a_address(a_line_0, segment);
    let a_address_1 = a_address(a_line_1, segment);
    let b_address_0 = b_address(b_line_0, segment);
    let b_address_1 = b_address(b_line_1, segment);

    for (var k = first_step; k < last_step; k += 4u) {
      let a_0_0 = select(vec4<f32>(), a_values[a_index(a_address_0, k) >> 2u], (a_valid(a_address_0, k)));
      let a_0_1 = select(vec4<f32>(), a_values[a_index(a_address_0, k + 1u) >> 2u], (a_valid(a_address_0, k + 1u)) & (k + 1u < last_step));
      let a_0_2 = select(vec4<f32>(), a_values[a_index(a_address_0, k + 2u) >> 2u], (a_valid(a_address_0, k + 2u)) & (k + 2u < last_step));
      let a_0_3 = select(vec4<f32>(), a_values[a_index(a_address_0, k + 3u) >> 2u], (a_valid(a_address_0, k + 3u)) & (k + 3u < last_step));
      let a_1_0 = select(vec4<f32>(), a_values[a_index(a_address_1, k) >> 2u], (a_valid(a_address_1, k)));
      let a_1_1 = select(vec4<f32>(), a_values[a_index(a_address_1, k + 1u) >> 2u], (a_valid(a_address_1, k + 1u)) & (k + 1u < last_step));
      let a_1_2 = select(vec4<f32>(), a_values[a_index(a_address_1, k + 2u) >> 2u], (a_valid(a_address_1, k + 2u)) & (k + 2u < last_step));
      let a_1_3 = select(vec4<f32>(), a_values[a_index(a_address_1, k + 3u) >> 2u], (a_valid(a_address_1, k + 3u)) & (k + 3u < last_step));
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
    }
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
