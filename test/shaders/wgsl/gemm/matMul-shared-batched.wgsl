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

struct Segment {
  index: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(index);
}

fn batch_offset(slice: u32, strides: array<vec4<u32>, 2>) -> u32 {
  var remaining = slice;
  var offset = 0u;
  offset += (remaining % params.batch_shape[0][1]) * strides[0][1];
  remaining /= params.batch_shape[0][1];
  offset += (remaining % params.batch_shape[0][0]) * strides[0][0];
  remaining /= params.batch_shape[0][0];
  return offset;
}

struct AMatrix {
  offset: u32,
}

fn a_line(slice: u32, line: u32) -> AMatrix {
  return AMatrix(batch_offset(slice, params.a_batch_strides) + line * params.a_stride);
}

fn a_address(line: AMatrix, segment: Segment) -> AMatrix {
  return line;
}

fn a_index(address: AMatrix, k: u32) -> u32 {
  return address.offset + k;
}

struct BMatrix {
  offset: u32,
}

fn b_line(slice: u32, line: u32) -> BMatrix {
  return BMatrix(batch_offset(slice, params.b_batch_strides) + line);
}

fn b_address(line: BMatrix, segment: Segment) -> BMatrix {
  return line;
}

fn b_index(address: BMatrix, k: u32) -> u32 {
  return address.offset + k * params.b_stride;
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

// Writes four neighbouring columns of one row.
fn write_columns(row: CRow, column: u32, value: vec4<f32>) {
  if (column < params.n) {
    c_values[(row.offset + column) >> 2u] = vec4<f32>(
      activate(value.x),
      activate(value.y),
      activate(value.z),
      activate(value.w),
    );
  }
}

// The bias of four neighbouring columns.
fn bias_of(slice: u32, column: u32) -> vec4<f32> {
  return vec4<f32>();
}

var<workgroup> a_tile: array<vec4<f32>, 512>;
var<workgroup> b_tile: array<vec4<f32>, 512>;

fn swizzle(step_group: u32) -> u32 {
  return (step_group & 3u) * 2u;
}

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
  // Either segments are split, or the steps of a single one.
  let splits_segments = params.segments > 1u;
  let first_segment = select(0u, split * params.segments_per_split, splits_segments);
  let last_segment = min(first_segment + params.segments_per_split, params.segments);
  let first_step = select(split * params.steps_per_split, 0u, splits_segments);
  let last_step = min(first_step + params.steps_per_split, params.length);
  let first_row = row_block * 128u;
  let first_column = column_block * 128u;

  let a_unit_0 = local + 0u;
  let a_line_group_0 = a_unit_0 / 4u;
  let a_step_group_0 = a_unit_0 % 4u;
  let a_line_0_0 = a_line(slice, min(first_row + a_line_group_0 * 4u + 0u, params.m - 1u));
  let a_line_0_1 = a_line(slice, min(first_row + a_line_group_0 * 4u + 1u, params.m - 1u));
  let a_line_0_2 = a_line(slice, min(first_row + a_line_group_0 * 4u + 2u, params.m - 1u));
  let a_line_0_3 = a_line(slice, min(first_row + a_line_group_0 * 4u + 3u, params.m - 1u));
  var a_fetched_0_0 = vec4<f32>();
  var a_fetched_0_1 = vec4<f32>();
  var a_fetched_0_2 = vec4<f32>();
  var a_fetched_0_3 = vec4<f32>();
  let b_unit_0 = (local + 128u) % 256u + 0u;
  let b_line_group_0 = b_unit_0 % 32u;
  let b_step_group_0 = b_unit_0 / 32u;
  let b_line_0_0 = b_line(slice, min(first_column + b_line_group_0 * 4u + 0u, params.n - 4u));
  var b_fetched_0_0 = vec4<f32>();
  var b_fetched_0_1 = vec4<f32>();
  var b_fetched_0_2 = vec4<f32>();
  var b_fetched_0_3 = vec4<f32>();
  let thread_row = local / 16u;
  let thread_column = local % 16u;
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

  var index = first_segment;
  var step = first_step;
  var is_loaded = false;
  loop {
    // Read the next k tile.
    let has_more = index < last_segment && first_step < last_step;
    if (has_more) {
      let segment = segment_of(slice, index);
      if (a_unit_0 < 128u) {
        let k = step + a_step_group_0 * 4u;
        let address_0 = a_address(a_line_0_0, segment);
        let address_1 = a_address(a_line_0_1, segment);
        let address_2 = a_address(a_line_0_2, segment);
        let address_3 = a_address(a_line_0_3, segment);
        let line_0 = select(vec4<f32>(), a_values[a_index(address_0, k + 0u) >> 2u], (k + 0u < last_step));
        let line_1 = select(vec4<f32>(), a_values[a_index(address_1, k + 0u) >> 2u], (k + 0u < last_step));
        let line_2 = select(vec4<f32>(), a_values[a_index(address_2, k + 0u) >> 2u], (k + 0u < last_step));
        let line_3 = select(vec4<f32>(), a_values[a_index(address_3, k + 0u) >> 2u], (k + 0u < last_step));
        a_fetched_0_0 = vec4<f32>(line_0.x, line_1.x, line_2.x, line_3.x);
        a_fetched_0_1 = vec4<f32>(line_0.y, line_1.y, line_2.y, line_3.y);
        a_fetched_0_2 = vec4<f32>(line_0.z, line_1.z, line_2.z, line_3.z);
        a_fetched_0_3 = vec4<f32>(line_0.w, line_1.w, line_2.w, line_3.w);
      }
      if (b_unit_0 < 128u) {
        let k = step + b_step_group_0 * 4u;
        let address_0 = b_address(b_line_0_0, segment);
        b_fetched_0_0 = select(vec4<f32>(), b_values[b_index(address_0, k + 0u) >> 2u], (k + 0u < last_step));
        b_fetched_0_1 = select(vec4<f32>(), b_values[b_index(address_0, k + 1u) >> 2u], (k + 1u < last_step));
        b_fetched_0_2 = select(vec4<f32>(), b_values[b_index(address_0, k + 2u) >> 2u], (k + 2u < last_step));
        b_fetched_0_3 = select(vec4<f32>(), b_values[b_index(address_0, k + 3u) >> 2u], (k + 3u < last_step));
      }
    }

    // Multiply the one in workgroup memory, and replace it.
    if (is_loaded) {
      for (var step_group = 0u; step_group < 4u; step_group++) {
        let a_slot_0 = (thread_row + 0u) ^ swizzle(step_group);
        let a_slot_1 = (thread_row + 16u) ^ swizzle(step_group);
        let b_slot_0 = (thread_column + 0u) ^ swizzle(step_group);
        let b_slot_1 = (thread_column + 16u) ^ swizzle(step_group);
        let a_0_0 = a_tile[(step_group * 4u + 0u) * 32u + a_slot_0];
        let a_0_1 = a_tile[(step_group * 4u + 0u) * 32u + a_slot_1];
        let b_0_0 = b_tile[(step_group * 4u + 0u) * 32u + b_slot_0];
        let b_0_1 = b_tile[(step_group * 4u + 0u) * 32u + b_slot_1];
        sum_0_0 += a_0_0.x * b_0_0;
        sum_0_1 += a_0_0.x * b_0_1;
        sum_1_0 += a_0_0.y * b_0_0;
        sum_1_1 += a_0_0.y * b_0_1;
        sum_2_0 += a_0_0.z * b_0_0;
        sum_2_1 += a_0_0.z * b_0_1;
        sum_3_0 += a_0_0.w * b_0_0;
        sum_3_1 += a_0_0.w * b_0_1;
        sum_4_0 += a_0_1.x * b_0_0;
        sum_4_1 += a_0_1.x * b_0_1;
        sum_5_0 += a_0_1.y * b_0_0;
        sum_5_1 += a_0_1.y * b_0_1;
        sum_6_0 += a_0_1.z * b_0_0;
        sum_6_1 += a_0_1.z * b_0_1;
        sum_7_0 += a_0_1.w * b_0_0;
        sum_7_1 += a_0_1.w * b_0_1;
        let a_1_0 = a_tile[(step_group * 4u + 1u) * 32u + a_slot_0];
        let a_1_1 = a_tile[(step_group * 4u + 1u) * 32u + a_slot_1];
        let b_1_0 = b_tile[(step_group * 4u + 1u) * 32u + b_slot_0];
        let b_1_1 = b_tile[(step_group * 4u + 1u) * 32u + b_slot_1];
        sum_0_0 += a_1_0.x * b_1_0;
        sum_0_1 += a_1_0.x * b_1_1;
        sum_1_0 += a_1_0.y * b_1_0;
        sum_1_1 += a_1_0.y * b_1_1;
        sum_2_0 += a_1_0.z * b_1_0;
        sum_2_1 += a_1_0.z * b_1_1;
        sum_3_0 += a_1_0.w * b_1_0;
        sum_3_1 += a_1_0.w * b_1_1;
        sum_4_0 += a_1_1.x * b_1_0;
        sum_4_1 += a_1_1.x * b_1_1;
        sum_5_0 += a_1_1.y * b_1_0;
        sum_5_1 += a_1_1.y * b_1_1;
        sum_6_0 += a_1_1.z * b_1_0;
        sum_6_1 += a_1_1.z * b_1_1;
        sum_7_0 += a_1_1.w * b_1_0;
        sum_7_1 += a_1_1.w * b_1_1;
        let a_2_0 = a_tile[(step_group * 4u + 2u) * 32u + a_slot_0];
        let a_2_1 = a_tile[(step_group * 4u + 2u) * 32u + a_slot_1];
        let b_2_0 = b_tile[(step_group * 4u + 2u) * 32u + b_slot_0];
        let b_2_1 = b_tile[(step_group * 4u + 2u) * 32u + b_slot_1];
        sum_0_0 += a_2_0.x * b_2_0;
        sum_0_1 += a_2_0.x * b_2_1;
        sum_1_0 += a_2_0.y * b_2_0;
        sum_1_1 += a_2_0.y * b_2_1;
        sum_2_0 += a_2_0.z * b_2_0;
        sum_2_1 += a_2_0.z * b_2_1;
        sum_3_0 += a_2_0.w * b_2_0;
        sum_3_1 += a_2_0.w * b_2_1;
        sum_4_0 += a_2_1.x * b_2_0;
        sum_4_1 += a_2_1.x * b_2_1;
        sum_5_0 += a_2_1.y * b_2_0;
        sum_5_1 += a_2_1.y * b_2_1;
        sum_6_0 += a_2_1.z * b_2_0;
        sum_6_1 += a_2_1.z * b_2_1;
        sum_7_0 += a_2_1.w * b_2_0;
        sum_7_1 += a_2_1.w * b_2_1;
        let a_3_0 = a_tile[(step_group * 4u + 3u) * 32u + a_slot_0];
        let a_3_1 = a_tile[(step_group * 4u + 3u) * 32u + a_slot_1];
        let b_3_0 = b_tile[(step_group * 4u + 3u) * 32u + b_slot_0];
        let b_3_1 = b_tile[(step_group * 4u + 3u) * 32u + b_slot_1];
        sum_0_0 += a_3_0.x * b_3_0;
        sum_0_1 += a_3_0.x * b_3_1;
        sum_1_0 += a_3_0.y * b_3_0;
        sum_1_1 += a_3_0.y * b_3_1;
        sum_2_0 += a_3_0.z * b_3_0;
        sum_2_1 += a_3_0.z * b_3_1;
        sum_3_0 += a_3_0.w * b_3_0;
        sum_3_1 += a_3_0.w * b_3_1;
        sum_4_0 += a_3_1.x * b_3_0;
        sum_4_1 += a_3_1.x * b_3_1;
        sum_5_0 += a_3_1.y * b_3_0;
        sum_5_1 += a_3_1.y * b_3_1;
        sum_6_0 += a_3_1.z * b_3_0;
        sum_6_1 += a_3_1.z * b_3_1;
        sum_7_0 += a_3_1.w * b_3_0;
        sum_7_1 += a_3_1.w * b_3_1;
      }
    }
    if (!has_more) {
      break;
    }
    workgroupBarrier();
    if (a_unit_0 < 128u) {
      let swizzled = a_line_group_0 ^ swizzle(a_step_group_0);
      a_tile[(a_step_group_0 * 4u + 0u) * 32u + swizzled] = a_fetched_0_0;
      a_tile[(a_step_group_0 * 4u + 1u) * 32u + swizzled] = a_fetched_0_1;
      a_tile[(a_step_group_0 * 4u + 2u) * 32u + swizzled] = a_fetched_0_2;
      a_tile[(a_step_group_0 * 4u + 3u) * 32u + swizzled] = a_fetched_0_3;
    }
    if (b_unit_0 < 128u) {
      let swizzled = b_line_group_0 ^ swizzle(b_step_group_0);
      b_tile[(b_step_group_0 * 4u + 0u) * 32u + swizzled] = b_fetched_0_0;
      b_tile[(b_step_group_0 * 4u + 1u) * 32u + swizzled] = b_fetched_0_1;
      b_tile[(b_step_group_0 * 4u + 2u) * 32u + swizzled] = b_fetched_0_2;
      b_tile[(b_step_group_0 * 4u + 3u) * 32u + swizzled] = b_fetched_0_3;
    }
    workgroupBarrier();
    is_loaded = true;
    step += 16u;
    if (step >= last_step) {
      step = first_step;
      index++;
    }
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
