@group(0) @binding(0) var<storage, read> a_values: array<f32>;
@group(0) @binding(1) var<storage, read> b_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> c_values: array<f32>;
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

/** A tap of the kernel. */
struct Segment {
  index: u32,
  row: i32,
  column: i32,
  distance: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = i32(index / params.kernel_w) * params.dilation_h - params.pad_h;
  let column = i32(index % params.kernel_w) * params.dilation_w - params.pad_w;
  return Segment(index, row, column, u32(row * i32(params.in_w) + column) * params.in_c);
}

fn a_line(slice: u32, line: u32) -> Pixel {
  let row = line / params.out_w;
  let y = i32(row % params.out_h) * params.stride_h;
  let x = i32(line % params.out_w) * params.stride_w;
  let first = (row / params.out_h * params.in_h + u32(y)) * params.in_w + u32(x);
  return Pixel(first * params.in_c + slice * params.group_in, y, x);
}

fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  return moved(pixel, tap.row, tap.column, tap.distance, params.in_h, params.in_w);
}

fn a_index(address: ImageAddress, k: u32) -> u32 {
  return address.offset + k;
}

fn a_valid(address: ImageAddress, k: u32) -> bool {
  return address.valid;
}

fn segment_size() -> u32 {
  return params.group_in;
}

fn b_line(slice: u32, line: u32) -> u32 {
  return slice * params.group_out + line;
}

fn b_step_size() -> u32 {
  return params.out_c;
}

fn b_address(column: u32, segment: Segment) -> u32 {
  return segment.index * segment_size() * params.out_c + column;
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
  // Either segments are split, or the steps of a single one.
  let splits_segments = params.segments > 1u;
  let first_segment = select(0u, split * params.segments_per_split, splits_segments);
  let last_segment = min(first_segment + params.segments_per_split, params.segments);
  let first_step = select(split * params.steps_per_split, 0u, splits_segments);
  let last_step = min(first_step + params.steps_per_split, params.length);
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

  for (var index = first_segment; index < last_segment; index++) {
    let segment = segment_of(slice, index);
    let a_address_0 = a_address(a_line_0, segment);
    let a_address_1 = a_address(a_line_1, segment);
    let b_address_0 = b_address(b_line_0, segment);
    let b_address_1 = b_address(b_line_1, segment);
    let b_address_2 = b_address(b_line_2, segment);
    let b_address_3 = b_address(b_line_3, segment);

    for (var k = first_step; k < last_step; k += 1u) {
      let a_0_0 = select(f32(), a_values[a_index(a_address_0, k)], (a_valid(a_address_0, k)));
      let a_1_0 = select(f32(), a_values[a_index(a_address_1, k)], (a_valid(a_address_1, k)));
      let b_0_0 = b_values[b_index(b_address_0, k)];
      let b_1_0 = b_values[b_index(b_address_1, k)];
      let b_2_0 = b_values[b_index(b_address_2, k)];
      let b_3_0 = b_values[b_index(b_address_3, k)];
      let columns_0 = vec4<f32>(b_0_0, b_1_0, b_2_0, b_3_0);
      sum_0_0 += a_0_0 * columns_0;
      sum_1_0 += a_1_0 * columns_0;
    }
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
