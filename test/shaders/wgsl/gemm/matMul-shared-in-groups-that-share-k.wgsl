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

// C[slice] = A[slice] · B[slice], of m × k and k × n: a workgroup computes a tile of 32 × 32 elements of C, from k
// tiles of 64 steps; an invocation computes 4 × 4 of them, from 16 steps of each.

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

var<workgroup> a_tile: array<vec4<f32>, 544>;
var<workgroup> b_tile: array<vec4<f32>, 512>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_group(group, groups);

  let column_blocks = (params.n + 31u) / 32u;
  let row_blocks = (params.m + 31u) / 32u;
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
  let first_row = row_block * 32u;
  let first_column = column_block * 32u;

  // Where steps don't fill k tiles, the first one has the remainder: all that follow are whole.
  let first_end = first_step + (last_step - first_step - 1u) % 64u + 1u;
  let a_unit_0 = local;
  let a_line_group_0 = a_unit_0 / 16u % 8u;
  let a_first_line_0 = a_unit_0 / 16u / 8u * 2u;
  let a_first_step_0 = a_unit_0 % 16u * 4u;
  let a_line_0_0 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 0u, params.m - 1u));
  let a_line_0_1 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 1u, params.m - 1u));
  let b_unit_1 = local;
  let b_line_group_1 = b_unit_1 % 8u;
  let b_first_line_1 = 0u;
  let b_first_step_1 = b_unit_1 / 8u * 2u;
  let b_line_1_0 = b_line(slice, min(first_column + b_line_group_1 * 4u + b_first_line_1 + 0u, params.n - 4u));
  var loaded_0_0 = vec4<f32>();
  var loaded_0_1 = vec4<f32>();

  var loaded_1_0 = vec4<f32>();
  var loaded_1_1 = vec4<f32>();

  let thread_row = local % 64u / 8u;
  let thread_column = local % 8u;
  let k_group = local / 64u;
  let a_first = thread_row + k_group * 136u;
  let b_first = thread_column + k_group * 128u;
  let a_slot_0 = a_first_step_0 / 4u * 34u + a_first_line_0 * 8u + a_line_group_0;
  let b_slot_1 = b_first_step_1 * 8u + b_line_group_1;
  var sum_0_0 = vec4<f32>();
  var sum_1_0 = vec4<f32>();
  var sum_2_0 = vec4<f32>();
  var sum_3_0 = vec4<f32>();

  var step = first_step;

  var is_stored = step < last_step;
  let segment = segment_of(slice, 0u);
  {
    let k = step + a_first_step_0;
    let address_0 = a_address(a_line_0_0, segment);
    let address_1 = a_address(a_line_0_1, segment);
    let first_0 = u32(i32(a_index(address_0, k)) >> 2u);
    let first_1 = u32(i32(a_index(address_1, k)) >> 2u);
    let at_0 = first_0;

    let at_1 = first_1;

    loaded_0_0 = a_values[at_0];
    loaded_0_1 = a_values[at_1];
  }
  {
    let k = step + b_first_step_1;
    let address_0 = b_address(b_line_1_0, segment);
    let first_0 = u32(i32(b_index(address_0, k)) >> 2u);
    let at_0 = first_0;

    let at_1 = first_0 + 1u * (b_step_size() >> 2u);

    loaded_1_0 = b_values[at_0];
    loaded_1_1 = b_values[at_1];
  }
  {
    let k = step + a_first_step_0;
    loaded_0_0 = select(vec4<f32>(), loaded_0_0, k < first_end);
    loaded_0_1 = select(vec4<f32>(), loaded_0_1, k < first_end);
  }
  {
    let k = step + b_first_step_1;
    loaded_1_0 = select(vec4<f32>(), loaded_1_0, k < first_end);
    loaded_1_1 = select(vec4<f32>(), loaded_1_1, k + 1u < first_end);
  }
  step = first_end - 64u;
  {
    let fetched_0 = loaded_0_0;
    let fetched_1 = loaded_0_1;
    a_tile[a_slot_0 + 0u] = fetched_0;
    a_tile[a_slot_0 + 8u] = fetched_1;
  }
  {
    let fetched_0 = loaded_1_0;
    let fetched_1 = loaded_1_1;
    b_tile[b_slot_1 + 0u] = fetched_0;
    b_tile[b_slot_1 + 8u] = fetched_1;
  }
  workgroupBarrier();
  // A k tile is read while the one before is multiplied; after the last, the same one again, which nothing waits for. What is read
  // lives in one iteration, in one block: a variable that outlives it is copied, and loads move to a block that uses them.
  while (is_stored) {
    var next_step = step + 64u;

    is_stored = next_step < last_step;
    step = select(step, next_step, is_stored);
    let segment = segment_of(slice, 0u);
    {
      let k = step + a_first_step_0;
      let address_0 = a_address(a_line_0_0, segment);
      let address_1 = a_address(a_line_0_1, segment);
      let first_0 = u32(i32(a_index(address_0, k)) >> 2u);
      let first_1 = u32(i32(a_index(address_1, k)) >> 2u);
      let at_0 = first_0;

      let at_1 = first_1;

      loaded_0_0 = a_values[at_0];
      loaded_0_1 = a_values[at_1];
    }
    {
      let k = step + b_first_step_1;
      let address_0 = b_address(b_line_1_0, segment);
      let first_0 = u32(i32(b_index(address_0, k)) >> 2u);
      let at_0 = first_0;

      let at_1 = first_0 + 1u * (b_step_size() >> 2u);

      loaded_1_0 = b_values[at_0];
      loaded_1_1 = b_values[at_1];
    }
    let a_0_0_0 = a_tile[a_first + 0u];
    let a_0_0_1 = a_tile[a_first + 8u];
    let a_0_0_2 = a_tile[a_first + 16u];
    let a_0_0_3 = a_tile[a_first + 24u];
    let b_0_0_0 = b_tile[b_first + 0u];
    let columns_0_0_0 = b_0_0_0;
    sum_0_0 += a_0_0_0.x * columns_0_0_0;
    sum_1_0 += a_0_0_1.x * columns_0_0_0;
    sum_2_0 += a_0_0_2.x * columns_0_0_0;
    sum_3_0 += a_0_0_3.x * columns_0_0_0;

    let b_0_0_1 = b_tile[b_first + 8u];
    let columns_0_1_0 = b_0_0_1;
    sum_0_0 += a_0_0_0.y * columns_0_1_0;
    sum_1_0 += a_0_0_1.y * columns_0_1_0;
    sum_2_0 += a_0_0_2.y * columns_0_1_0;
    sum_3_0 += a_0_0_3.y * columns_0_1_0;

    let b_0_0_2 = b_tile[b_first + 16u];
    let columns_0_2_0 = b_0_0_2;
    sum_0_0 += a_0_0_0.z * columns_0_2_0;
    sum_1_0 += a_0_0_1.z * columns_0_2_0;
    sum_2_0 += a_0_0_2.z * columns_0_2_0;
    sum_3_0 += a_0_0_3.z * columns_0_2_0;

    let b_0_0_3 = b_tile[b_first + 24u];
    let columns_0_3_0 = b_0_0_3;
    sum_0_0 += a_0_0_0.w * columns_0_3_0;
    sum_1_0 += a_0_0_1.w * columns_0_3_0;
    sum_2_0 += a_0_0_2.w * columns_0_3_0;
    sum_3_0 += a_0_0_3.w * columns_0_3_0;
    let a_1_0_0 = a_tile[a_first + 34u];
    let a_1_0_1 = a_tile[a_first + 42u];
    let a_1_0_2 = a_tile[a_first + 50u];
    let a_1_0_3 = a_tile[a_first + 58u];
    let b_1_0_0 = b_tile[b_first + 32u];
    let columns_1_0_0 = b_1_0_0;
    sum_0_0 += a_1_0_0.x * columns_1_0_0;
    sum_1_0 += a_1_0_1.x * columns_1_0_0;
    sum_2_0 += a_1_0_2.x * columns_1_0_0;
    sum_3_0 += a_1_0_3.x * columns_1_0_0;

    let b_1_0_1 = b_tile[b_first + 40u];
    let columns_1_1_0 = b_1_0_1;
    sum_0_0 += a_1_0_0.y * columns_1_1_0;
    sum_1_0 += a_1_0_1.y * columns_1_1_0;
    sum_2_0 += a_1_0_2.y * columns_1_1_0;
    sum_3_0 += a_1_0_3.y * columns_1_1_0;

    let b_1_0_2 = b_tile[b_first + 48u];
    let columns_1_2_0 = b_1_0_2;
    sum_0_0 += a_1_0_0.z * columns_1_2_0;
    sum_1_0 += a_1_0_1.z * columns_1_2_0;
    sum_2_0 += a_1_0_2.z * columns_1_2_0;
    sum_3_0 += a_1_0_3.z * columns_1_2_0;

    let b_1_0_3 = b_tile[b_first + 56u];
    let columns_1_3_0 = b_1_0_3;
    sum_0_0 += a_1_0_0.w * columns_1_3_0;
    sum_1_0 += a_1_0_1.w * columns_1_3_0;
    sum_2_0 += a_1_0_2.w * columns_1_3_0;
    sum_3_0 += a_1_0_3.w * columns_1_3_0;
    let a_2_0_0 = a_tile[a_first + 68u];
    let a_2_0_1 = a_tile[a_first + 76u];
    let a_2_0_2 = a_tile[a_first + 84u];
    let a_2_0_3 = a_tile[a_first + 92u];
    let b_2_0_0 = b_tile[b_first + 64u];
    let columns_2_0_0 = b_2_0_0;
    sum_0_0 += a_2_0_0.x * columns_2_0_0;
    sum_1_0 += a_2_0_1.x * columns_2_0_0;
    sum_2_0 += a_2_0_2.x * columns_2_0_0;
    sum_3_0 += a_2_0_3.x * columns_2_0_0;

    let b_2_0_1 = b_tile[b_first + 72u];
    let columns_2_1_0 = b_2_0_1;
    sum_0_0 += a_2_0_0.y * columns_2_1_0;
    sum_1_0 += a_2_0_1.y * columns_2_1_0;
    sum_2_0 += a_2_0_2.y * columns_2_1_0;
    sum_3_0 += a_2_0_3.y * columns_2_1_0;

    let b_2_0_2 = b_tile[b_first + 80u];
    let columns_2_2_0 = b_2_0_2;
    sum_0_0 += a_2_0_0.z * columns_2_2_0;
    sum_1_0 += a_2_0_1.z * columns_2_2_0;
    sum_2_0 += a_2_0_2.z * columns_2_2_0;
    sum_3_0 += a_2_0_3.z * columns_2_2_0;

    let b_2_0_3 = b_tile[b_first + 88u];
    let columns_2_3_0 = b_2_0_3;
    sum_0_0 += a_2_0_0.w * columns_2_3_0;
    sum_1_0 += a_2_0_1.w * columns_2_3_0;
    sum_2_0 += a_2_0_2.w * columns_2_3_0;
    sum_3_0 += a_2_0_3.w * columns_2_3_0;
    let a_3_0_0 = a_tile[a_first + 102u];
    let a_3_0_1 = a_tile[a_first + 110u];
    let a_3_0_2 = a_tile[a_first + 118u];
    let a_3_0_3 = a_tile[a_first + 126u];
    let b_3_0_0 = b_tile[b_first + 96u];
    let columns_3_0_0 = b_3_0_0;
    sum_0_0 += a_3_0_0.x * columns_3_0_0;
    sum_1_0 += a_3_0_1.x * columns_3_0_0;
    sum_2_0 += a_3_0_2.x * columns_3_0_0;
    sum_3_0 += a_3_0_3.x * columns_3_0_0;

    let b_3_0_1 = b_tile[b_first + 104u];
    let columns_3_1_0 = b_3_0_1;
    sum_0_0 += a_3_0_0.y * columns_3_1_0;
    sum_1_0 += a_3_0_1.y * columns_3_1_0;
    sum_2_0 += a_3_0_2.y * columns_3_1_0;
    sum_3_0 += a_3_0_3.y * columns_3_1_0;

    let b_3_0_2 = b_tile[b_first + 112u];
    let columns_3_2_0 = b_3_0_2;
    sum_0_0 += a_3_0_0.z * columns_3_2_0;
    sum_1_0 += a_3_0_1.z * columns_3_2_0;
    sum_2_0 += a_3_0_2.z * columns_3_2_0;
    sum_3_0 += a_3_0_3.z * columns_3_2_0;

    let b_3_0_3 = b_tile[b_first + 120u];
    let columns_3_3_0 = b_3_0_3;
    sum_0_0 += a_3_0_0.w * columns_3_3_0;
    sum_1_0 += a_3_0_1.w * columns_3_3_0;
    sum_2_0 += a_3_0_2.w * columns_3_3_0;
    sum_3_0 += a_3_0_3.w * columns_3_3_0;
    workgroupBarrier();
    {
      let fetched_0 = loaded_0_0;
      let fetched_1 = loaded_0_1;
      a_tile[a_slot_0 + 0u] = fetched_0;
      a_tile[a_slot_0 + 8u] = fetched_1;
    }
    {
      let fetched_0 = loaded_1_0;
      let fetched_1 = loaded_1_1;
      b_tile[b_slot_1 + 0u] = fetched_0;
      b_tile[b_slot_1 + 8u] = fetched_1;
    }
    workgroupBarrier();
  }

  if (k_group >= 2u && k_group < 4u) {
    a_tile[local - 128u + 0u] = sum_0_0;
    a_tile[local - 128u + 128u] = sum_1_0;
    a_tile[local - 128u + 256u] = sum_2_0;
    a_tile[local - 128u + 384u] = sum_3_0;
  }
  workgroupBarrier();
  if (k_group < 2u) {
    sum_0_0 += a_tile[local + 0u];
    sum_1_0 += a_tile[local + 128u];
    sum_2_0 += a_tile[local + 256u];
    sum_3_0 += a_tile[local + 384u];
  }
  workgroupBarrier();
  if (k_group >= 1u && k_group < 2u) {
    a_tile[local - 64u + 0u] = sum_0_0;
    a_tile[local - 64u + 64u] = sum_1_0;
    a_tile[local - 64u + 128u] = sum_2_0;
    a_tile[local - 64u + 192u] = sum_3_0;
  }
  workgroupBarrier();
  if (k_group < 1u) {
    sum_0_0 += a_tile[local + 0u];
    sum_1_0 += a_tile[local + 64u];
    sum_2_0 += a_tile[local + 128u];
    sum_3_0 += a_tile[local + 192u];
  }
  workgroupBarrier();
  if (k_group == 0u) {
    let bias_0 = bias_of(slice, first_column + (thread_column + 0u) * 4u);
    {
      let m = first_row + (thread_row + 0u) * 4u + 0u;
      if (m < params.m) {
        var row = c_row(slice, m);
        row.offset += split * params.split_stride;
        if (row.valid) {
          write_columns(row, first_column + (thread_column + 0u) * 4u, sum_0_0 + bias_0);
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
        }
      }
    }
  }
}
