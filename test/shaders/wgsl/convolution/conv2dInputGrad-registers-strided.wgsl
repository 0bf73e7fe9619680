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

struct Segment {
  index: u32,
  row: i32,
  column: i32,
  distance: u32,
  /** Whether the tap reaches the pixels of the slice. */
  reaches: bool,
}

fn distance_of(row: i32, column: i32) -> u32 {
  return u32(row * i32(params.out_w) + column) * params.out_c;
}

struct ImageAddress {
  offset: u32,
  valid: bool,
}

/** A pixel of an image before a segment moves it. */
struct Pixel {
  offset: u32,
  row: i32,
  column: i32,
}

fn moved(pixel: Pixel, row: i32, column: i32, distance: u32, height: u32, width: u32) -> ImageAddress {
  // A negative coordinate is a large number if unsigned.
  return ImageAddress(
    pixel.offset + distance,
    (u32(pixel.row + row) < height) & (u32(pixel.column + column) < width),
  );
}

fn group_of(slice: u32) -> u32 {
  return slice / u32(params.stride_h * params.stride_w);
}

/** Remainders of the pixels of a slice. */
fn remainder_of(slice: u32) -> vec2<i32> {
  let class_index = i32(slice) % (params.stride_h * params.stride_w);
  return vec2<i32>(class_index / params.stride_w, class_index % params.stride_w);
}

/** How far the result's pixel lies from its class's, times the strides. */
fn reach(slice: u32, index: u32) -> vec2<i32> {
  let kernel_row = i32(index / params.kernel_w);
  let kernel_column = i32(index % params.kernel_w);
  return remainder_of(slice) + vec2<i32>(
    params.pad_h - kernel_row * params.dilation_h,
    params.pad_w - kernel_column * params.dilation_w,
  );
}

fn skip_segment(slice: u32, index: u32) -> bool {
  let distance = reach(slice, index);
  return distance.x % params.stride_h != 0 || distance.y % params.stride_w != 0;
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let distance = reach(slice, index);
  let row = distance.x / params.stride_h;
  let column = distance.y / params.stride_w;
  return Segment(
    index,
    row,
    column,
    distance_of(row, column),
    (distance.x % params.stride_h == 0) & (distance.y % params.stride_w == 0),
  );
}

/** Rows and columns of a class of pixels: of the largest, where they differ. */
fn class_size() -> vec2<u32> {
  return vec2<u32>(
    (params.in_h + u32(params.stride_h) - 1u) / u32(params.stride_h),
    (params.in_w + u32(params.stride_w) - 1u) / u32(params.stride_w),
  );
}

fn a_line(slice: u32, line: u32) -> Pixel {
  let size = class_size();
  let row = line / size.y;
  let y = row % size.x;
  let x = line % size.y;
  let first = (row / size.x * params.out_h + y) * params.out_w + x;
  return Pixel(first * params.out_c + group_of(slice) * params.group_out, i32(y), i32(x));
}

fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  var reached = moved(pixel, tap.row, tap.column, tap.distance, params.out_h, params.out_w);
  reached.valid = reached.valid & tap.reaches;
  return reached;
}

fn a_index(address: ImageAddress, k: u32) -> u32 {
  return address.offset + k;
}

fn a_valid(address: ImageAddress, k: u32) -> bool {
  return address.valid;
}

fn b_line(slice: u32, line: u32) -> u32 {
  return line * params.out_c + group_of(slice) * params.group_out;
}

fn b_address(channel: u32, tap: Segment) -> u32 {
  return tap.index * params.group_in * params.out_c + channel;
}

fn b_index(address: u32, k: u32) -> u32 {
  return address + k;
}

fn c_row(slice: u32, row: u32) -> CRow {
  let channel = group_of(slice) * params.group_in;

  let size = class_size();
  let remainder = vec2<u32>(remainder_of(slice));
  let line = row / size.y;
  let y = line % size.x * u32(params.stride_h) + remainder.x;
  let x = row % size.y * u32(params.stride_w) + remainder.y;
  let pixel = (line / size.x * params.in_h + y) * params.in_w + x;
  return CRow(pixel * params.in_c + channel, (y < params.in_h) & (x < params.in_w));
}

fn bias_offset(slice: u32) -> u32 {
  return group_of(slice) * params.group_in;
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
  let a_line_0 = a_line(slice, min(first_row + 0u, params.m - 1u));
  let a_line_1 = a_line(slice, min(first_row + 1u, params.m - 1u));
  let a_line_2 = a_line(slice, min(first_row + 2u, params.m - 1u));
  let a_line_3 = a_line(slice, min(first_row + 3u, params.m - 1u));
  let a_line_4 = a_line(slice, min(first_row + 4u, params.m - 1u));
  let a_line_5 = a_line(slice, min(first_row + 5u, params.m - 1u));
  let a_line_6 = a_line(slice, min(first_row + 6u, params.m - 1u));
  let a_line_7 = a_line(slice, min(first_row + 7u, params.m - 1u));
  let b_line_0 = b_line(slice, min(first_column + 0u, params.n - 1u));
  let b_line_1 = b_line(slice, min(first_column + 1u, params.n - 1u));
  let b_line_2 = b_line(slice, min(first_column + 2u, params.n - 1u));
  let b_line_3 = b_line(slice, min(first_column + 3u, params.n - 1u));
  let b_line_4 = b_line(slice, min(first_column + 4u, params.n - 1u));
  let b_line_5 = b_line(slice, min(first_column + 5u, params.n - 1u));
  let b_line_6 = b_line(slice, min(first_column + 6u, params.n - 1u));
  let b_line_7 = b_line(slice, min(first_column + 7u, params.n - 1u));

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
    if (skip_segment(slice, index)) { continue; }
    let segment = segment_of(slice, index);
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
    let b_address_2 = b_address(b_line_2, segment);
    let b_address_3 = b_address(b_line_3, segment);
    let b_address_4 = b_address(b_line_4, segment);
    let b_address_5 = b_address(b_line_5, segment);
    let b_address_6 = b_address(b_line_6, segment);
    let b_address_7 = b_address(b_line_7, segment);

    for (var k = first_step; k < last_step; k += 4u) {
      let a_0 = select(vec4<f32>(), a_values[a_index(a_address_0, k) >> 2u], (a_valid(a_address_0, k)));
      let a_1 = select(vec4<f32>(), a_values[a_index(a_address_1, k) >> 2u], (a_valid(a_address_1, k)));
      let a_2 = select(vec4<f32>(), a_values[a_index(a_address_2, k) >> 2u], (a_valid(a_address_2, k)));
      let a_3 = select(vec4<f32>(), a_values[a_index(a_address_3, k) >> 2u], (a_valid(a_address_3, k)));
      let a_4 = select(vec4<f32>(), a_values[a_index(a_address_4, k) >> 2u], (a_valid(a_address_4, k)));
      let a_5 = select(vec4<f32>(), a_values[a_index(a_address_5, k) >> 2u], (a_valid(a_address_5, k)));
      let a_6 = select(vec4<f32>(), a_values[a_index(a_address_6, k) >> 2u], (a_valid(a_address_6, k)));
      let a_7 = select(vec4<f32>(), a_values[a_index(a_address_7, k) >> 2u], (a_valid(a_address_7, k)));
      let b_0 = b_values[b_index(b_address_0, k) >> 2u];
      let b_1 = b_values[b_index(b_address_1, k) >> 2u];
      let b_2 = b_values[b_index(b_address_2, k) >> 2u];
      let b_3 = b_values[b_index(b_address_3, k) >> 2u];
      let b_4 = b_values[b_index(b_address_4, k) >> 2u];
      let b_5 = b_values[b_index(b_address_5, k) >> 2u];
      let b_6 = b_values[b_index(b_address_6, k) >> 2u];
      let b_7 = b_values[b_index(b_address_7, k) >> 2u];
      let columns_0 = mat4x4<f32>(vec4<f32>(b_0.x, b_1.x, b_2.x, b_3.x), vec4<f32>(b_0.y, b_1.y, b_2.y, b_3.y), vec4<f32>(b_0.z, b_1.z, b_2.z, b_3.z), vec4<f32>(b_0.w, b_1.w, b_2.w, b_3.w));
      let columns_1 = mat4x4<f32>(vec4<f32>(b_4.x, b_5.x, b_6.x, b_7.x), vec4<f32>(b_4.y, b_5.y, b_6.y, b_7.y), vec4<f32>(b_4.z, b_5.z, b_6.z, b_7.z), vec4<f32>(b_4.w, b_5.w, b_6.w, b_7.w));
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
