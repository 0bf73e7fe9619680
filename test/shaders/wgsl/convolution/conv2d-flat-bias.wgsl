@group(0) @binding(0) var<storage, read> a_values: array<f32>;
@group(0) @binding(1) var<storage, read> b_values: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> bias_values: array<f32>;
@group(0) @binding(3) var<storage, read_write> c_values: array<vec4<f32>>;
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
@group(0) @binding(4) var<uniform> params: Params;

// C[slice] = A[slice] · B[slice], of m × k and k × n: a workgroup computes a tile of 128 × 128 elements of C, from k
// tiles of 16 steps; an invocation computes 8 × 8 of them.

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
  let first = bias_offset(slice) + min(column, params.n - 1u);
  let last = bias_offset(slice) + params.n - 1u;
  return vec4(
    bias_values[first],
    bias_values[min(first + 1u, last)],
    bias_values[min(first + 2u, last)],
    bias_values[min(first + 3u, last)],
  );
}

var<workgroup> a_tile: array<vec4<f32>, 520>;
var<workgroup> b_tile: array<vec4<f32>, 512>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_group(group, groups);

  let column_blocks = (params.n + 127u) / 128u;
  let row_blocks = (params.m + 127u) / 128u;
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
  let first_row = row_block * 128u;
  let first_column = column_block * 128u;

  // Where steps don't fill k tiles, the first one has the remainder: all that follow are whole.
  let first_end = first_step + (last_step - first_step - 1u) % 16u + 1u;
  let a_unit_0 = local;
  let a_line_group_0 = a_unit_0 / 8u;
  let a_first_line_0 = 0u;
  let a_first_step_0 = a_unit_0 % 8u * 2u;
  let a_line_0_0 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 0u, params.m - 1u));
  let a_line_0_1 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 1u, params.m - 1u));
  let a_line_0_2 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 2u, params.m - 1u));
  let a_line_0_3 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 3u, params.m - 1u));
  let b_unit_1 = local;
  let b_line_group_1 = b_unit_1 % 32u;
  let b_first_line_1 = 0u;
  let b_first_step_1 = b_unit_1 / 32u * 2u;
  let b_line_1_0 = b_line(slice, min(first_column + b_line_group_1 * 4u + b_first_line_1 + 0u, params.n - 4u));
  var loaded_0_0 = vec4<f32>();
  var loaded_0_1 = vec4<f32>();
  var exists_0_0 = vec4<bool>();
  var exists_0_1 = vec4<bool>();
  var loaded_1_0 = vec4<f32>();
  var loaded_1_1 = vec4<f32>();

  let thread_row = local / 16u;
  let thread_column = local % 16u;
  let a_slot_0 = a_unit_0 % 8u / 2u * 130u + a_unit_0 % 8u % 2u * 64u + a_line_group_0;
  let b_slot_1 = b_first_step_1 * 32u + b_line_group_1;
  var sum_0_0 = vec4<f32>();
  var sum_0_1 = vec4<f32>();
  var sum_1_0 = vec4<f32>();
  var sum_1_1 = vec4<f32>();
  var sum_2_0 = vec4<f32>();
  var sum_2_1 = vec4<f32>();
  var sum_3_0 = vec4<f32>();
  var sum_3_1 = vec4<f32>();
  var sum_4_0 = vec4<f32>();
  var sum_4_1 = vec4<f32>();
  var sum_5_0 = vec4<f32>();
  var sum_5_1 = vec4<f32>();
  var sum_6_0 = vec4<f32>();
  var sum_6_1 = vec4<f32>();
  var sum_7_0 = vec4<f32>();
  var sum_7_1 = vec4<f32>();

  var step = first_step;

  var is_stored = step < last_step;

  {
    let k = step + a_first_step_0;
    let segment_index_0 = k / params.length;
    let step_at0 = k % params.length;
    let segment_at0 = segment_of(slice, segment_index_0);
    let address_at0_0 = a_address(a_line_0_0, segment_at0);
    let address_at0_1 = a_address(a_line_0_1, segment_at0);
    let address_at0_2 = a_address(a_line_0_2, segment_at0);
    let address_at0_3 = a_address(a_line_0_3, segment_at0);
    let wraps_1 = step_at0 + 1u == params.length;
    let segment_index_1 = segment_index_0 + select(0u, 1u, wraps_1);
    let step_at1 = select(step_at0 + 1u, 0u, wraps_1);
    let segment_at1 = segment_of(slice, segment_index_1);
    let address_at1_0 = a_address(a_line_0_0, segment_at1);
    let address_at1_1 = a_address(a_line_0_1, segment_at1);
    let address_at1_2 = a_address(a_line_0_2, segment_at1);
    let address_at1_3 = a_address(a_line_0_3, segment_at1);
    let at_0 = vec4<u32>(a_index(address_at0_0, step_at0), a_index(address_at0_1, step_at0), a_index(address_at0_2, step_at0), a_index(address_at0_3, step_at0));
    exists_0_0 = vec4<bool>((a_valid(address_at0_0, step_at0)), (a_valid(address_at0_1, step_at0)), (a_valid(address_at0_2, step_at0)), (a_valid(address_at0_3, step_at0)));
    let at_1 = vec4<u32>(a_index(address_at1_0, step_at1), a_index(address_at1_1, step_at1), a_index(address_at1_2, step_at1), a_index(address_at1_3, step_at1));
    exists_0_1 = vec4<bool>((a_valid(address_at1_0, step_at1)), (a_valid(address_at1_1, step_at1)), (a_valid(address_at1_2, step_at1)), (a_valid(address_at1_3, step_at1)));
    loaded_0_0 = vec4<f32>(a_values[at_0.x], a_values[at_0.y], a_values[at_0.z], a_values[at_0.w]);
    loaded_0_1 = vec4<f32>(a_values[at_1.x], a_values[at_1.y], a_values[at_1.z], a_values[at_1.w]);
  }
  {
    let k = step + b_first_step_1;
    let segment_index_0 = k / params.length;
    let step_at0 = k % params.length;
    let segment_at0 = segment_of(slice, segment_index_0);
    let address_at0_0 = b_address(b_line_1_0, segment_at0);
    let wraps_1 = step_at0 + 1u == params.length;
    let segment_index_1 = segment_index_0 + select(0u, 1u, wraps_1);
    let step_at1 = select(step_at0 + 1u, 0u, wraps_1);
    let segment_at1 = segment_of(slice, segment_index_1);
    let address_at1_0 = b_address(b_line_1_0, segment_at1);
    let at_0 = b_index(address_at0_0, step_at0) >> 2u;

    let at_1 = b_index(address_at1_0, step_at1) >> 2u;

    loaded_1_0 = b_values[at_0];
    loaded_1_1 = b_values[at_1];
  }
  {
    let k = step + a_first_step_0;
    loaded_0_0 = select(vec4<f32>(), loaded_0_0, k < first_end);
    loaded_0_1 = select(vec4<f32>(), loaded_0_1, k + 1u < first_end);
  }
  {
    let k = step + b_first_step_1;
    loaded_1_0 = select(vec4<f32>(), loaded_1_0, k < first_end);
    loaded_1_1 = select(vec4<f32>(), loaded_1_1, k + 1u < first_end);
  }
  step = first_end - 16u;
  {
    let fetched_0 = select(vec4<f32>(), loaded_0_0, exists_0_0);
    let fetched_1 = select(vec4<f32>(), loaded_0_1, exists_0_1);
    a_tile[a_slot_0 + 0u] = fetched_0;
    a_tile[a_slot_0 + 32u] = fetched_1;
  }
  {
    let fetched_0 = loaded_1_0;
    let fetched_1 = loaded_1_1;
    b_tile[b_slot_1 + 0u] = fetched_0;
    b_tile[b_slot_1 + 32u] = fetched_1;
  }
  workgroupBarrier();
  // A k tile is read while the one before is multiplied; after the last, the same one again, which nothing waits for. What is read
  // lives in one iteration, in one block: a variable that outlives it is copied, and loads move to a block that uses them.
  while (is_stored) {
    var next_step = step + 16u;

    is_stored = next_step < last_step;
    step = select(step, next_step, is_stored);

    {
      let k = step + a_first_step_0;
      let segment_index_0 = k / params.length;
      let step_at0 = k % params.length;
      let segment_at0 = segment_of(slice, segment_index_0);
      let address_at0_0 = a_address(a_line_0_0, segment_at0);
      let address_at0_1 = a_address(a_line_0_1, segment_at0);
      let address_at0_2 = a_address(a_line_0_2, segment_at0);
      let address_at0_3 = a_address(a_line_0_3, segment_at0);
      let wraps_1 = step_at0 + 1u == params.length;
      let segment_index_1 = segment_index_0 + select(0u, 1u, wraps_1);
      let step_at1 = select(step_at0 + 1u, 0u, wraps_1);
      let segment_at1 = segment_of(slice, segment_index_1);
      let address_at1_0 = a_address(a_line_0_0, segment_at1);
      let address_at1_1 = a_address(a_line_0_1, segment_at1);
      let address_at1_2 = a_address(a_line_0_2, segment_at1);
      let address_at1_3 = a_address(a_line_0_3, segment_at1);
      let at_0 = vec4<u32>(a_index(address_at0_0, step_at0), a_index(address_at0_1, step_at0), a_index(address_at0_2, step_at0), a_index(address_at0_3, step_at0));
      exists_0_0 = vec4<bool>((a_valid(address_at0_0, step_at0)), (a_valid(address_at0_1, step_at0)), (a_valid(address_at0_2, step_at0)), (a_valid(address_at0_3, step_at0)));
      let at_1 = vec4<u32>(a_index(address_at1_0, step_at1), a_index(address_at1_1, step_at1), a_index(address_at1_2, step_at1), a_index(address_at1_3, step_at1));
      exists_0_1 = vec4<bool>((a_valid(address_at1_0, step_at1)), (a_valid(address_at1_1, step_at1)), (a_valid(address_at1_2, step_at1)), (a_valid(address_at1_3, step_at1)));
      loaded_0_0 = vec4<f32>(a_values[at_0.x], a_values[at_0.y], a_values[at_0.z], a_values[at_0.w]);
      loaded_0_1 = vec4<f32>(a_values[at_1.x], a_values[at_1.y], a_values[at_1.z], a_values[at_1.w]);
    }
    {
      let k = step + b_first_step_1;
      let segment_index_0 = k / params.length;
      let step_at0 = k % params.length;
      let segment_at0 = segment_of(slice, segment_index_0);
      let address_at0_0 = b_address(b_line_1_0, segment_at0);
      let wraps_1 = step_at0 + 1u == params.length;
      let segment_index_1 = segment_index_0 + select(0u, 1u, wraps_1);
      let step_at1 = select(step_at0 + 1u, 0u, wraps_1);
      let segment_at1 = segment_of(slice, segment_index_1);
      let address_at1_0 = b_address(b_line_1_0, segment_at1);
      let at_0 = b_index(address_at0_0, step_at0) >> 2u;

      let at_1 = b_index(address_at1_0, step_at1) >> 2u;

      loaded_1_0 = b_values[at_0];
      loaded_1_1 = b_values[at_1];
    }
    let a_0_0_0 = a_tile[thread_row + 0u];
    let a_0_1_0 = a_tile[thread_row + 16u];
    let b_0_0_0 = b_tile[thread_column + 0u];
    let b_0_1_0 = b_tile[thread_column + 16u];
    let columns_0_0_0 = b_0_0_0;
    let columns_0_0_1 = b_0_1_0;
    sum_0_0 += a_0_0_0.x * columns_0_0_0;
    sum_0_1 += a_0_0_0.x * columns_0_0_1;
    sum_1_0 += a_0_0_0.y * columns_0_0_0;
    sum_1_1 += a_0_0_0.y * columns_0_0_1;
    sum_2_0 += a_0_0_0.z * columns_0_0_0;
    sum_2_1 += a_0_0_0.z * columns_0_0_1;
    sum_3_0 += a_0_0_0.w * columns_0_0_0;
    sum_3_1 += a_0_0_0.w * columns_0_0_1;
    sum_4_0 += a_0_1_0.x * columns_0_0_0;
    sum_4_1 += a_0_1_0.x * columns_0_0_1;
    sum_5_0 += a_0_1_0.y * columns_0_0_0;
    sum_5_1 += a_0_1_0.y * columns_0_0_1;
    sum_6_0 += a_0_1_0.z * columns_0_0_0;
    sum_6_1 += a_0_1_0.z * columns_0_0_1;
    sum_7_0 += a_0_1_0.w * columns_0_0_0;
    sum_7_1 += a_0_1_0.w * columns_0_0_1;
    let a_0_0_1 = a_tile[thread_row + 32u];
    let a_0_1_1 = a_tile[thread_row + 48u];
    let b_0_0_1 = b_tile[thread_column + 32u];
    let b_0_1_1 = b_tile[thread_column + 48u];
    let columns_0_1_0 = b_0_0_1;
    let columns_0_1_1 = b_0_1_1;
    sum_0_0 += a_0_0_1.x * columns_0_1_0;
    sum_0_1 += a_0_0_1.x * columns_0_1_1;
    sum_1_0 += a_0_0_1.y * columns_0_1_0;
    sum_1_1 += a_0_0_1.y * columns_0_1_1;
    sum_2_0 += a_0_0_1.z * columns_0_1_0;
    sum_2_1 += a_0_0_1.z * columns_0_1_1;
    sum_3_0 += a_0_0_1.w * columns_0_1_0;
    sum_3_1 += a_0_0_1.w * columns_0_1_1;
    sum_4_0 += a_0_1_1.x * columns_0_1_0;
    sum_4_1 += a_0_1_1.x * columns_0_1_1;
    sum_5_0 += a_0_1_1.y * columns_0_1_0;
    sum_5_1 += a_0_1_1.y * columns_0_1_1;
    sum_6_0 += a_0_1_1.z * columns_0_1_0;
    sum_6_1 += a_0_1_1.z * columns_0_1_1;
    sum_7_0 += a_0_1_1.w * columns_0_1_0;
    sum_7_1 += a_0_1_1.w * columns_0_1_1;
    let a_0_0_2 = a_tile[thread_row + 64u];
    let a_0_1_2 = a_tile[thread_row + 80u];
    let b_0_0_2 = b_tile[thread_column + 64u];
    let b_0_1_2 = b_tile[thread_column + 80u];
    let columns_0_2_0 = b_0_0_2;
    let columns_0_2_1 = b_0_1_2;
    sum_0_0 += a_0_0_2.x * columns_0_2_0;
    sum_0_1 += a_0_0_2.x * columns_0_2_1;
    sum_1_0 += a_0_0_2.y * columns_0_2_0;
    sum_1_1 += a_0_0_2.y * columns_0_2_1;
    sum_2_0 += a_0_0_2.z * columns_0_2_0;
    sum_2_1 += a_0_0_2.z * columns_0_2_1;
    sum_3_0 += a_0_0_2.w * columns_0_2_0;
    sum_3_1 += a_0_0_2.w * columns_0_2_1;
    sum_4_0 += a_0_1_2.x * columns_0_2_0;
    sum_4_1 += a_0_1_2.x * columns_0_2_1;
    sum_5_0 += a_0_1_2.y * columns_0_2_0;
    sum_5_1 += a_0_1_2.y * columns_0_2_1;
    sum_6_0 += a_0_1_2.z * columns_0_2_0;
    sum_6_1 += a_0_1_2.z * columns_0_2_1;
    sum_7_0 += a_0_1_2.w * columns_0_2_0;
    sum_7_1 += a_0_1_2.w * columns_0_2_1;
    let a_0_0_3 = a_tile[thread_row + 96u];
    let a_0_1_3 = a_tile[thread_row + 112u];
    let b_0_0_3 = b_tile[thread_column + 96u];
    let b_0_1_3 = b_tile[thread_column + 112u];
    let columns_0_3_0 = b_0_0_3;
    let columns_0_3_1 = b_0_1_3;
    sum_0_0 += a_0_0_3.x * columns_0_3_0;
    sum_0_1 += a_0_0_3.x * columns_0_3_1;
    sum_1_0 += a_0_0_3.y * columns_0_3_0;
    sum_1_1 += a_0_0_3.y * columns_0_3_1;
    sum_2_0 += a_0_0_3.z * columns_0_3_0;
    sum_2_1 += a_0_0_3.z * columns_0_3_1;
    sum_3_0 += a_0_0_3.w * columns_0_3_0;
    sum_3_1 += a_0_0_3.w * columns_0_3_1;
    sum_4_0 += a_0_1_3.x * columns_0_3_0;
    sum_4_1 += a_0_1_3.x * columns_0_3_1;
    sum_5_0 += a_0_1_3.y * columns_0_3_0;
    sum_5_1 += a_0_1_3.y * columns_0_3_1;
    sum_6_0 += a_0_1_3.z * columns_0_3_0;
    sum_6_1 += a_0_1_3.z * columns_0_3_1;
    sum_7_0 += a_0_1_3.w * columns_0_3_0;
    sum_7_1 += a_0_1_3.w * columns_0_3_1;
    let a_1_0_0 = a_tile[thread_row + 130u];
    let a_1_1_0 = a_tile[thread_row + 146u];
    let b_1_0_0 = b_tile[thread_column + 128u];
    let b_1_1_0 = b_tile[thread_column + 144u];
    let columns_1_0_0 = b_1_0_0;
    let columns_1_0_1 = b_1_1_0;
    sum_0_0 += a_1_0_0.x * columns_1_0_0;
    sum_0_1 += a_1_0_0.x * columns_1_0_1;
    sum_1_0 += a_1_0_0.y * columns_1_0_0;
    sum_1_1 += a_1_0_0.y * columns_1_0_1;
    sum_2_0 += a_1_0_0.z * columns_1_0_0;
    sum_2_1 += a_1_0_0.z * columns_1_0_1;
    sum_3_0 += a_1_0_0.w * columns_1_0_0;
    sum_3_1 += a_1_0_0.w * columns_1_0_1;
    sum_4_0 += a_1_1_0.x * columns_1_0_0;
    sum_4_1 += a_1_1_0.x * columns_1_0_1;
    sum_5_0 += a_1_1_0.y * columns_1_0_0;
    sum_5_1 += a_1_1_0.y * columns_1_0_1;
    sum_6_0 += a_1_1_0.z * columns_1_0_0;
    sum_6_1 += a_1_1_0.z * columns_1_0_1;
    sum_7_0 += a_1_1_0.w * columns_1_0_0;
    sum_7_1 += a_1_1_0.w * columns_1_0_1;
    let a_1_0_1 = a_tile[thread_row + 162u];
    let a_1_1_1 = a_tile[thread_row + 178u];
    let b_1_0_1 = b_tile[thread_column + 160u];
    let b_1_1_1 = b_tile[thread_column + 176u];
    let columns_1_1_0 = b_1_0_1;
    let columns_1_1_1 = b_1_1_1;
    sum_0_0 += a_1_0_1.x * columns_1_1_0;
    sum_0_1 += a_1_0_1.x * columns_1_1_1;
    sum_1_0 += a_1_0_1.y * columns_1_1_0;
    sum_1_1 += a_1_0_1.y * columns_1_1_1;
    sum_2_0 += a_1_0_1.z * columns_1_1_0;
    sum_2_1 += a_1_0_1.z * columns_1_1_1;
    sum_3_0 += a_1_0_1.w * columns_1_1_0;
    sum_3_1 += a_1_0_1.w * columns_1_1_1;
    sum_4_0 += a_1_1_1.x * columns_1_1_0;
    sum_4_1 += a_1_1_1.x * columns_1_1_1;
    sum_5_0 += a_1_1_1.y * columns_1_1_0;
    sum_5_1 += a_1_1_1.y * columns_1_1_1;
    sum_6_0 += a_1_1_1.z * columns_1_1_0;
    sum_6_1 += a_1_1_1.z * columns_1_1_1;
    sum_7_0 += a_1_1_1.w * columns_1_1_0;
    sum_7_1 += a_1_1_1.w * columns_1_1_1;
    let a_1_0_2 = a_tile[thread_row + 194u];
    let a_1_1_2 = a_tile[thread_row + 210u];
    let b_1_0_2 = b_tile[thread_column + 192u];
    let b_1_1_2 = b_tile[thread_column + 208u];
    let columns_1_2_0 = b_1_0_2;
    let columns_1_2_1 = b_1_1_2;
    sum_0_0 += a_1_0_2.x * columns_1_2_0;
    sum_0_1 += a_1_0_2.x * columns_1_2_1;
    sum_1_0 += a_1_0_2.y * columns_1_2_0;
    sum_1_1 += a_1_0_2.y * columns_1_2_1;
    sum_2_0 += a_1_0_2.z * columns_1_2_0;
    sum_2_1 += a_1_0_2.z * columns_1_2_1;
    sum_3_0 += a_1_0_2.w * columns_1_2_0;
    sum_3_1 += a_1_0_2.w * columns_1_2_1;
    sum_4_0 += a_1_1_2.x * columns_1_2_0;
    sum_4_1 += a_1_1_2.x * columns_1_2_1;
    sum_5_0 += a_1_1_2.y * columns_1_2_0;
    sum_5_1 += a_1_1_2.y * columns_1_2_1;
    sum_6_0 += a_1_1_2.z * columns_1_2_0;
    sum_6_1 += a_1_1_2.z * columns_1_2_1;
    sum_7_0 += a_1_1_2.w * columns_1_2_0;
    sum_7_1 += a_1_1_2.w * columns_1_2_1;
    let a_1_0_3 = a_tile[thread_row + 226u];
    let a_1_1_3 = a_tile[thread_row + 242u];
    let b_1_0_3 = b_tile[thread_column + 224u];
    let b_1_1_3 = b_tile[thread_column + 240u];
    let columns_1_3_0 = b_1_0_3;
    let columns_1_3_1 = b_1_1_3;
    sum_0_0 += a_1_0_3.x * columns_1_3_0;
    sum_0_1 += a_1_0_3.x * columns_1_3_1;
    sum_1_0 += a_1_0_3.y * columns_1_3_0;
    sum_1_1 += a_1_0_3.y * columns_1_3_1;
    sum_2_0 += a_1_0_3.z * columns_1_3_0;
    sum_2_1 += a_1_0_3.z * columns_1_3_1;
    sum_3_0 += a_1_0_3.w * columns_1_3_0;
    sum_3_1 += a_1_0_3.w * columns_1_3_1;
    sum_4_0 += a_1_1_3.x * columns_1_3_0;
    sum_4_1 += a_1_1_3.x * columns_1_3_1;
    sum_5_0 += a_1_1_3.y * columns_1_3_0;
    sum_5_1 += a_1_1_3.y * columns_1_3_1;
    sum_6_0 += a_1_1_3.z * columns_1_3_0;
    sum_6_1 += a_1_1_3.z * columns_1_3_1;
    sum_7_0 += a_1_1_3.w * columns_1_3_0;
    sum_7_1 += a_1_1_3.w * columns_1_3_1;
    let a_2_0_0 = a_tile[thread_row + 260u];
    let a_2_1_0 = a_tile[thread_row + 276u];
    let b_2_0_0 = b_tile[thread_column + 256u];
    let b_2_1_0 = b_tile[thread_column + 272u];
    let columns_2_0_0 = b_2_0_0;
    let columns_2_0_1 = b_2_1_0;
    sum_0_0 += a_2_0_0.x * columns_2_0_0;
    sum_0_1 += a_2_0_0.x * columns_2_0_1;
    sum_1_0 += a_2_0_0.y * columns_2_0_0;
    sum_1_1 += a_2_0_0.y * columns_2_0_1;
    sum_2_0 += a_2_0_0.z * columns_2_0_0;
    sum_2_1 += a_2_0_0.z * columns_2_0_1;
    sum_3_0 += a_2_0_0.w * columns_2_0_0;
    sum_3_1 += a_2_0_0.w * columns_2_0_1;
    sum_4_0 += a_2_1_0.x * columns_2_0_0;
    sum_4_1 += a_2_1_0.x * columns_2_0_1;
    sum_5_0 += a_2_1_0.y * columns_2_0_0;
    sum_5_1 += a_2_1_0.y * columns_2_0_1;
    sum_6_0 += a_2_1_0.z * columns_2_0_0;
    sum_6_1 += a_2_1_0.z * columns_2_0_1;
    sum_7_0 += a_2_1_0.w * columns_2_0_0;
    sum_7_1 += a_2_1_0.w * columns_2_0_1;
    let a_2_0_1 = a_tile[thread_row + 292u];
    let a_2_1_1 = a_tile[thread_row + 308u];
    let b_2_0_1 = b_tile[thread_column + 288u];
    let b_2_1_1 = b_tile[thread_column + 304u];
    let columns_2_1_0 = b_2_0_1;
    let columns_2_1_1 = b_2_1_1;
    sum_0_0 += a_2_0_1.x * columns_2_1_0;
    sum_0_1 += a_2_0_1.x * columns_2_1_1;
    sum_1_0 += a_2_0_1.y * columns_2_1_0;
    sum_1_1 += a_2_0_1.y * columns_2_1_1;
    sum_2_0 += a_2_0_1.z * columns_2_1_0;
    sum_2_1 += a_2_0_1.z * columns_2_1_1;
    sum_3_0 += a_2_0_1.w * columns_2_1_0;
    sum_3_1 += a_2_0_1.w * columns_2_1_1;
    sum_4_0 += a_2_1_1.x * columns_2_1_0;
    sum_4_1 += a_2_1_1.x * columns_2_1_1;
    sum_5_0 += a_2_1_1.y * columns_2_1_0;
    sum_5_1 += a_2_1_1.y * columns_2_1_1;
    sum_6_0 += a_2_1_1.z * columns_2_1_0;
    sum_6_1 += a_2_1_1.z * columns_2_1_1;
    sum_7_0 += a_2_1_1.w * columns_2_1_0;
    sum_7_1 += a_2_1_1.w * columns_2_1_1;
    let a_2_0_2 = a_tile[thread_row + 324u];
    let a_2_1_2 = a_tile[thread_row + 340u];
    let b_2_0_2 = b_tile[thread_column + 320u];
    let b_2_1_2 = b_tile[thread_column + 336u];
    let columns_2_2_0 = b_2_0_2;
    let columns_2_2_1 = b_2_1_2;
    sum_0_0 += a_2_0_2.x * columns_2_2_0;
    sum_0_1 += a_2_0_2.x * columns_2_2_1;
    sum_1_0 += a_2_0_2.y * columns_2_2_0;
    sum_1_1 += a_2_0_2.y * columns_2_2_1;
    sum_2_0 += a_2_0_2.z * columns_2_2_0;
    sum_2_1 += a_2_0_2.z * columns_2_2_1;
    sum_3_0 += a_2_0_2.w * columns_2_2_0;
    sum_3_1 += a_2_0_2.w * columns_2_2_1;
    sum_4_0 += a_2_1_2.x * columns_2_2_0;
    sum_4_1 += a_2_1_2.x * columns_2_2_1;
    sum_5_0 += a_2_1_2.y * columns_2_2_0;
    sum_5_1 += a_2_1_2.y * columns_2_2_1;
    sum_6_0 += a_2_1_2.z * columns_2_2_0;
    sum_6_1 += a_2_1_2.z * columns_2_2_1;
    sum_7_0 += a_2_1_2.w * columns_2_2_0;
    sum_7_1 += a_2_1_2.w * columns_2_2_1;
    let a_2_0_3 = a_tile[thread_row + 356u];
    let a_2_1_3 = a_tile[thread_row + 372u];
    let b_2_0_3 = b_tile[thread_column + 352u];
    let b_2_1_3 = b_tile[thread_column + 368u];
    let columns_2_3_0 = b_2_0_3;
    let columns_2_3_1 = b_2_1_3;
    sum_0_0 += a_2_0_3.x * columns_2_3_0;
    sum_0_1 += a_2_0_3.x * columns_2_3_1;
    sum_1_0 += a_2_0_3.y * columns_2_3_0;
    sum_1_1 += a_2_0_3.y * columns_2_3_1;
    sum_2_0 += a_2_0_3.z * columns_2_3_0;
    sum_2_1 += a_2_0_3.z * columns_2_3_1;
    sum_3_0 += a_2_0_3.w * columns_2_3_0;
    sum_3_1 += a_2_0_3.w * columns_2_3_1;
    sum_4_0 += a_2_1_3.x * columns_2_3_0;
    sum_4_1 += a_2_1_3.x * columns_2_3_1;
    sum_5_0 += a_2_1_3.y * columns_2_3_0;
    sum_5_1 += a_2_1_3.y * columns_2_3_1;
    sum_6_0 += a_2_1_3.z * columns_2_3_0;
    sum_6_1 += a_2_1_3.z * columns_2_3_1;
    sum_7_0 += a_2_1_3.w * columns_2_3_0;
    sum_7_1 += a_2_1_3.w * columns_2_3_1;
    let a_3_0_0 = a_tile[thread_row + 390u];
    let a_3_1_0 = a_tile[thread_row + 406u];
    let b_3_0_0 = b_tile[thread_column + 384u];
    let b_3_1_0 = b_tile[thread_column + 400u];
    let columns_3_0_0 = b_3_0_0;
    let columns_3_0_1 = b_3_1_0;
    sum_0_0 += a_3_0_0.x * columns_3_0_0;
    sum_0_1 += a_3_0_0.x * columns_3_0_1;
    sum_1_0 += a_3_0_0.y * columns_3_0_0;
    sum_1_1 += a_3_0_0.y * columns_3_0_1;
    sum_2_0 += a_3_0_0.z * columns_3_0_0;
    sum_2_1 += a_3_0_0.z * columns_3_0_1;
    sum_3_0 += a_3_0_0.w * columns_3_0_0;
    sum_3_1 += a_3_0_0.w * columns_3_0_1;
    sum_4_0 += a_3_1_0.x * columns_3_0_0;
    sum_4_1 += a_3_1_0.x * columns_3_0_1;
    sum_5_0 += a_3_1_0.y * columns_3_0_0;
    sum_5_1 += a_3_1_0.y * columns_3_0_1;
    sum_6_0 += a_3_1_0.z * columns_3_0_0;
    sum_6_1 += a_3_1_0.z * columns_3_0_1;
    sum_7_0 += a_3_1_0.w * columns_3_0_0;
    sum_7_1 += a_3_1_0.w * columns_3_0_1;
    let a_3_0_1 = a_tile[thread_row + 422u];
    let a_3_1_1 = a_tile[thread_row + 438u];
    let b_3_0_1 = b_tile[thread_column + 416u];
    let b_3_1_1 = b_tile[thread_column + 432u];
    let columns_3_1_0 = b_3_0_1;
    let columns_3_1_1 = b_3_1_1;
    sum_0_0 += a_3_0_1.x * columns_3_1_0;
    sum_0_1 += a_3_0_1.x * columns_3_1_1;
    sum_1_0 += a_3_0_1.y * columns_3_1_0;
    sum_1_1 += a_3_0_1.y * columns_3_1_1;
    sum_2_0 += a_3_0_1.z * columns_3_1_0;
    sum_2_1 += a_3_0_1.z * columns_3_1_1;
    sum_3_0 += a_3_0_1.w * columns_3_1_0;
    sum_3_1 += a_3_0_1.w * columns_3_1_1;
    sum_4_0 += a_3_1_1.x * columns_3_1_0;
    sum_4_1 += a_3_1_1.x * columns_3_1_1;
    sum_5_0 += a_3_1_1.y * columns_3_1_0;
    sum_5_1 += a_3_1_1.y * columns_3_1_1;
    sum_6_0 += a_3_1_1.z * columns_3_1_0;
    sum_6_1 += a_3_1_1.z * columns_3_1_1;
    sum_7_0 += a_3_1_1.w * columns_3_1_0;
    sum_7_1 += a_3_1_1.w * columns_3_1_1;
    let a_3_0_2 = a_tile[thread_row + 454u];
    let a_3_1_2 = a_tile[thread_row + 470u];
    let b_3_0_2 = b_tile[thread_column + 448u];
    let b_3_1_2 = b_tile[thread_column + 464u];
    let columns_3_2_0 = b_3_0_2;
    let columns_3_2_1 = b_3_1_2;
    sum_0_0 += a_3_0_2.x * columns_3_2_0;
    sum_0_1 += a_3_0_2.x * columns_3_2_1;
    sum_1_0 += a_3_0_2.y * columns_3_2_0;
    sum_1_1 += a_3_0_2.y * columns_3_2_1;
    sum_2_0 += a_3_0_2.z * columns_3_2_0;
    sum_2_1 += a_3_0_2.z * columns_3_2_1;
    sum_3_0 += a_3_0_2.w * columns_3_2_0;
    sum_3_1 += a_3_0_2.w * columns_3_2_1;
    sum_4_0 += a_3_1_2.x * columns_3_2_0;
    sum_4_1 += a_3_1_2.x * columns_3_2_1;
    sum_5_0 += a_3_1_2.y * columns_3_2_0;
    sum_5_1 += a_3_1_2.y * columns_3_2_1;
    sum_6_0 += a_3_1_2.z * columns_3_2_0;
    sum_6_1 += a_3_1_2.z * columns_3_2_1;
    sum_7_0 += a_3_1_2.w * columns_3_2_0;
    sum_7_1 += a_3_1_2.w * columns_3_2_1;
    let a_3_0_3 = a_tile[thread_row + 486u];
    let a_3_1_3 = a_tile[thread_row + 502u];
    let b_3_0_3 = b_tile[thread_column + 480u];
    let b_3_1_3 = b_tile[thread_column + 496u];
    let columns_3_3_0 = b_3_0_3;
    let columns_3_3_1 = b_3_1_3;
    sum_0_0 += a_3_0_3.x * columns_3_3_0;
    sum_0_1 += a_3_0_3.x * columns_3_3_1;
    sum_1_0 += a_3_0_3.y * columns_3_3_0;
    sum_1_1 += a_3_0_3.y * columns_3_3_1;
    sum_2_0 += a_3_0_3.z * columns_3_3_0;
    sum_2_1 += a_3_0_3.z * columns_3_3_1;
    sum_3_0 += a_3_0_3.w * columns_3_3_0;
    sum_3_1 += a_3_0_3.w * columns_3_3_1;
    sum_4_0 += a_3_1_3.x * columns_3_3_0;
    sum_4_1 += a_3_1_3.x * columns_3_3_1;
    sum_5_0 += a_3_1_3.y * columns_3_3_0;
    sum_5_1 += a_3_1_3.y * columns_3_3_1;
    sum_6_0 += a_3_1_3.z * columns_3_3_0;
    sum_6_1 += a_3_1_3.z * columns_3_3_1;
    sum_7_0 += a_3_1_3.w * columns_3_3_0;
    sum_7_1 += a_3_1_3.w * columns_3_3_1;
    workgroupBarrier();
    {
      let fetched_0 = select(vec4<f32>(), loaded_0_0, exists_0_0);
      let fetched_1 = select(vec4<f32>(), loaded_0_1, exists_0_1);
      a_tile[a_slot_0 + 0u] = fetched_0;
      a_tile[a_slot_0 + 32u] = fetched_1;
    }
    {
      let fetched_0 = loaded_1_0;
      let fetched_1 = loaded_1_1;
      b_tile[b_slot_1 + 0u] = fetched_0;
      b_tile[b_slot_1 + 32u] = fetched_1;
    }
    workgroupBarrier();
  }

  let bias_0 = bias_of(slice, first_column + (thread_column + 0u) * 4u);
  let bias_1 = bias_of(slice, first_column + (thread_column + 16u) * 4u);
  {
    let m = first_row + (thread_row + 0u) * 4u + 0u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_0_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_0_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 0u) * 4u + 1u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_1_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_1_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 0u) * 4u + 2u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_2_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_2_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 0u) * 4u + 3u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_3_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_3_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 16u) * 4u + 0u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_4_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_4_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 16u) * 4u + 1u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_5_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_5_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 16u) * 4u + 2u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_6_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_6_1 + bias_1);
      }
    }
  }
  {
    let m = first_row + (thread_row + 16u) * 4u + 3u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        write_columns(row, first_column + (thread_column + 0u) * 4u, sum_7_0 + bias_0);
        write_columns(row, first_column + (thread_column + 16u) * 4u, sum_7_1 + bias_1);
      }
    }
  }
}
