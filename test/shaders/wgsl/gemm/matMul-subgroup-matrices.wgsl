enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;
diagnostic(off, chromium.subgroup_matrix_uniformity);
@group(0) @binding(0) var<storage, read> a_values: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> b_values: array<vec2<u32>>;
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

fn unpack_float16(word: u32, index: u32) -> f32 {
  return unpack2x16float(word >> (16u * (index & 1u))).x;
}

fn unpack_four_float16(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
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

var<workgroup> a_tile: array<f16, 2176>;
var<workgroup> b_tile: array<f16, 2176>;
var<workgroup> staged: array<f32, 512>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_id) subgroup: u32,
  @builtin(subgroup_invocation_id) lane: u32,
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
  let a_unit_0 = min(local, 127u);
  let a_line_group_0 = a_unit_0 / 4u;
  let a_first_line_0 = 0u;
  let a_first_step_0 = a_unit_0 % 4u * 4u;
  let a_line_0_0 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 0u, params.m - 1u));
  let a_line_0_1 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 1u, params.m - 1u));
  let a_line_0_2 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 2u, params.m - 1u));
  let a_line_0_3 = a_line(slice, min(first_row + a_line_group_0 * 4u + a_first_line_0 + 3u, params.m - 1u));
  let b_unit_0 = min(local - min(local, 128u), 127u);
  let b_line_group_0 = b_unit_0 % 32u;
  let b_first_line_0 = 0u;
  let b_first_step_0 = b_unit_0 / 32u * 4u;
  let b_line_0_0 = b_line(slice, min(first_column + b_line_group_0 * 4u + b_first_line_0 + 0u, params.n - 4u));
  var loaded_0_0 = vec4<f32>();
  var loaded_0_1 = vec4<f32>();
  var loaded_0_2 = vec4<f32>();
  var loaded_0_3 = vec4<f32>();

  let matrix_row = subgroup / 2u * 128u;
  let matrix_column = subgroup % 2u * 64u;
  var sum_0_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_0_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_0_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_0_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_1_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_1_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_1_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_1_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_2_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_2_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_2_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_2_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_3_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_3_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_3_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_3_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_4_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_4_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_4_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_4_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_5_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_5_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_5_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_5_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_6_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_6_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_6_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_6_3 = subgroup_matrix_result<f32, 16, 16>();
  var sum_7_0 = subgroup_matrix_result<f32, 16, 16>();
  var sum_7_1 = subgroup_matrix_result<f32, 16, 16>();
  var sum_7_2 = subgroup_matrix_result<f32, 16, 16>();
  var sum_7_3 = subgroup_matrix_result<f32, 16, 16>();

  var step = first_step;

  var is_stored = step < last_step;
  let segment = segment_of(slice, 0u);
  if (local < 128u) {
    let k = step + a_first_step_0;
    let address_0 = a_address(a_line_0_0, segment);
    let address_1 = a_address(a_line_0_1, segment);
    let address_2 = a_address(a_line_0_2, segment);
    let address_3 = a_address(a_line_0_3, segment);
    let first_0 = u32(i32(a_index(address_0, k)) >> 2u);
    let first_1 = u32(i32(a_index(address_1, k)) >> 2u);
    let first_2 = u32(i32(a_index(address_2, k)) >> 2u);
    let first_3 = u32(i32(a_index(address_3, k)) >> 2u);
    let at_0 = first_0;

    let at_1 = first_1;

    let at_2 = first_2;

    let at_3 = first_3;

    loaded_0_0 = unpack_four_float16(a_values[at_0]);
    loaded_0_1 = unpack_four_float16(a_values[at_1]);
    loaded_0_2 = unpack_four_float16(a_values[at_2]);
    loaded_0_3 = unpack_four_float16(a_values[at_3]);
  } else {
    let k = step + b_first_step_0;
    let address_0 = b_address(b_line_0_0, segment);
    let first_0 = u32(i32(b_index(address_0, k)) >> 2u);
    let at_0 = first_0;

    let at_1 = first_0 + 1u * (b_step_size() >> 2u);

    let at_2 = first_0 + 2u * (b_step_size() >> 2u);

    let at_3 = first_0 + 3u * (b_step_size() >> 2u);

    loaded_0_0 = unpack_four_float16(b_values[at_0]);
    loaded_0_1 = unpack_four_float16(b_values[at_1]);
    loaded_0_2 = unpack_four_float16(b_values[at_2]);
    loaded_0_3 = unpack_four_float16(b_values[at_3]);
  }
  if (local < 128u) {
    let k = step + a_first_step_0;
    loaded_0_0 = select(vec4<f32>(), loaded_0_0, k < first_end);
    loaded_0_1 = select(vec4<f32>(), loaded_0_1, k < first_end);
    loaded_0_2 = select(vec4<f32>(), loaded_0_2, k < first_end);
    loaded_0_3 = select(vec4<f32>(), loaded_0_3, k < first_end);
  } else {
    let k = step + b_first_step_0;
    loaded_0_0 = select(vec4<f32>(), loaded_0_0, k < first_end);
    loaded_0_1 = select(vec4<f32>(), loaded_0_1, k + 1u < first_end);
    loaded_0_2 = select(vec4<f32>(), loaded_0_2, k + 2u < first_end);
    loaded_0_3 = select(vec4<f32>(), loaded_0_3, k + 3u < first_end);
  }
  step = first_end - 16u;
  if (local < 128u) {
    let at = a_first_step_0 * 136u + a_line_group_0 * 4u;
    let line_0 = loaded_0_0;
    let line_1 = loaded_0_1;
    let line_2 = loaded_0_2;
    let line_3 = loaded_0_3;
    let fetched_0 = vec4<f32>(line_0.x,line_1.x,line_2.x,line_3.x);
    let fetched_1 = vec4<f32>(line_0.y,line_1.y,line_2.y,line_3.y);
    let fetched_2 = vec4<f32>(line_0.z,line_1.z,line_2.z,line_3.z);
    let fetched_3 = vec4<f32>(line_0.w,line_1.w,line_2.w,line_3.w);
    a_tile[at + 0u] = f16(fetched_0.x);
    a_tile[at + 1u] = f16(fetched_0.y);
    a_tile[at + 2u] = f16(fetched_0.z);
    a_tile[at + 3u] = f16(fetched_0.w);
    a_tile[at + 136u] = f16(fetched_1.x);
    a_tile[at + 137u] = f16(fetched_1.y);
    a_tile[at + 138u] = f16(fetched_1.z);
    a_tile[at + 139u] = f16(fetched_1.w);
    a_tile[at + 272u] = f16(fetched_2.x);
    a_tile[at + 273u] = f16(fetched_2.y);
    a_tile[at + 274u] = f16(fetched_2.z);
    a_tile[at + 275u] = f16(fetched_2.w);
    a_tile[at + 408u] = f16(fetched_3.x);
    a_tile[at + 409u] = f16(fetched_3.y);
    a_tile[at + 410u] = f16(fetched_3.z);
    a_tile[at + 411u] = f16(fetched_3.w);
  } else {
    let at = b_first_step_0 * 136u + b_line_group_0 * 4u;
    let fetched_0 = loaded_0_0;
    let fetched_1 = loaded_0_1;
    let fetched_2 = loaded_0_2;
    let fetched_3 = loaded_0_3;
    b_tile[at + 0u] = f16(fetched_0.x);
    b_tile[at + 1u] = f16(fetched_0.y);
    b_tile[at + 2u] = f16(fetched_0.z);
    b_tile[at + 3u] = f16(fetched_0.w);
    b_tile[at + 136u] = f16(fetched_1.x);
    b_tile[at + 137u] = f16(fetched_1.y);
    b_tile[at + 138u] = f16(fetched_1.z);
    b_tile[at + 139u] = f16(fetched_1.w);
    b_tile[at + 272u] = f16(fetched_2.x);
    b_tile[at + 273u] = f16(fetched_2.y);
    b_tile[at + 274u] = f16(fetched_2.z);
    b_tile[at + 275u] = f16(fetched_2.w);
    b_tile[at + 408u] = f16(fetched_3.x);
    b_tile[at + 409u] = f16(fetched_3.y);
    b_tile[at + 410u] = f16(fetched_3.z);
    b_tile[at + 411u] = f16(fetched_3.w);
  }
  workgroupBarrier();
  // A k tile is read while the one before is multiplied; after the last, the same one again, which nothing waits for. What is read
  // lives in one iteration, in one block: a variable that outlives it is copied, and loads move to a block that uses them.
  while (is_stored) {
    var next_step = step + 16u;

    is_stored = next_step < last_step;
    step = select(step, next_step, is_stored);
    let segment = segment_of(slice, 0u);
    if (local < 128u) {
      let k = step + a_first_step_0;
      let address_0 = a_address(a_line_0_0, segment);
      let address_1 = a_address(a_line_0_1, segment);
      let address_2 = a_address(a_line_0_2, segment);
      let address_3 = a_address(a_line_0_3, segment);
      let first_0 = u32(i32(a_index(address_0, k)) >> 2u);
      let first_1 = u32(i32(a_index(address_1, k)) >> 2u);
      let first_2 = u32(i32(a_index(address_2, k)) >> 2u);
      let first_3 = u32(i32(a_index(address_3, k)) >> 2u);
      let at_0 = first_0;

      let at_1 = first_1;

      let at_2 = first_2;

      let at_3 = first_3;

      loaded_0_0 = unpack_four_float16(a_values[at_0]);
      loaded_0_1 = unpack_four_float16(a_values[at_1]);
      loaded_0_2 = unpack_four_float16(a_values[at_2]);
      loaded_0_3 = unpack_four_float16(a_values[at_3]);
    } else {
      let k = step + b_first_step_0;
      let address_0 = b_address(b_line_0_0, segment);
      let first_0 = u32(i32(b_index(address_0, k)) >> 2u);
      let at_0 = first_0;

      let at_1 = first_0 + 1u * (b_step_size() >> 2u);

      let at_2 = first_0 + 2u * (b_step_size() >> 2u);

      let at_3 = first_0 + 3u * (b_step_size() >> 2u);

      loaded_0_0 = unpack_four_float16(b_values[at_0]);
      loaded_0_1 = unpack_four_float16(b_values[at_1]);
      loaded_0_2 = unpack_four_float16(b_values[at_2]);
      loaded_0_3 = unpack_four_float16(b_values[at_3]);
    }
    {
      let left_0 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 0u, 136u);
      let left_1 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 16u, 136u);
      let left_2 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 32u, 136u);
      let left_3 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 48u, 136u);
      let left_4 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 64u, 136u);
      let left_5 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 80u, 136u);
      let left_6 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 96u, 136u);
      let left_7 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&a_tile, matrix_row + 112u, 136u);
      let right_0 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&b_tile, matrix_column + 0u, 136u);
      let right_1 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&b_tile, matrix_column + 16u, 136u);
      let right_2 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&b_tile, matrix_column + 32u, 136u);
      let right_3 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&b_tile, matrix_column + 48u, 136u);
      sum_0_0 = subgroupMatrixMultiplyAccumulate(left_0, right_0, sum_0_0);
      sum_0_1 = subgroupMatrixMultiplyAccumulate(left_0, right_1, sum_0_1);
      sum_0_2 = subgroupMatrixMultiplyAccumulate(left_0, right_2, sum_0_2);
      sum_0_3 = subgroupMatrixMultiplyAccumulate(left_0, right_3, sum_0_3);
      sum_1_0 = subgroupMatrixMultiplyAccumulate(left_1, right_0, sum_1_0);
      sum_1_1 = subgroupMatrixMultiplyAccumulate(left_1, right_1, sum_1_1);
      sum_1_2 = subgroupMatrixMultiplyAccumulate(left_1, right_2, sum_1_2);
      sum_1_3 = subgroupMatrixMultiplyAccumulate(left_1, right_3, sum_1_3);
      sum_2_0 = subgroupMatrixMultiplyAccumulate(left_2, right_0, sum_2_0);
      sum_2_1 = subgroupMatrixMultiplyAccumulate(left_2, right_1, sum_2_1);
      sum_2_2 = subgroupMatrixMultiplyAccumulate(left_2, right_2, sum_2_2);
      sum_2_3 = subgroupMatrixMultiplyAccumulate(left_2, right_3, sum_2_3);
      sum_3_0 = subgroupMatrixMultiplyAccumulate(left_3, right_0, sum_3_0);
      sum_3_1 = subgroupMatrixMultiplyAccumulate(left_3, right_1, sum_3_1);
      sum_3_2 = subgroupMatrixMultiplyAccumulate(left_3, right_2, sum_3_2);
      sum_3_3 = subgroupMatrixMultiplyAccumulate(left_3, right_3, sum_3_3);
      sum_4_0 = subgroupMatrixMultiplyAccumulate(left_4, right_0, sum_4_0);
      sum_4_1 = subgroupMatrixMultiplyAccumulate(left_4, right_1, sum_4_1);
      sum_4_2 = subgroupMatrixMultiplyAccumulate(left_4, right_2, sum_4_2);
      sum_4_3 = subgroupMatrixMultiplyAccumulate(left_4, right_3, sum_4_3);
      sum_5_0 = subgroupMatrixMultiplyAccumulate(left_5, right_0, sum_5_0);
      sum_5_1 = subgroupMatrixMultiplyAccumulate(left_5, right_1, sum_5_1);
      sum_5_2 = subgroupMatrixMultiplyAccumulate(left_5, right_2, sum_5_2);
      sum_5_3 = subgroupMatrixMultiplyAccumulate(left_5, right_3, sum_5_3);
      sum_6_0 = subgroupMatrixMultiplyAccumulate(left_6, right_0, sum_6_0);
      sum_6_1 = subgroupMatrixMultiplyAccumulate(left_6, right_1, sum_6_1);
      sum_6_2 = subgroupMatrixMultiplyAccumulate(left_6, right_2, sum_6_2);
      sum_6_3 = subgroupMatrixMultiplyAccumulate(left_6, right_3, sum_6_3);
      sum_7_0 = subgroupMatrixMultiplyAccumulate(left_7, right_0, sum_7_0);
      sum_7_1 = subgroupMatrixMultiplyAccumulate(left_7, right_1, sum_7_1);
      sum_7_2 = subgroupMatrixMultiplyAccumulate(left_7, right_2, sum_7_2);
      sum_7_3 = subgroupMatrixMultiplyAccumulate(left_7, right_3, sum_7_3);
    }
    workgroupBarrier();
    if (local < 128u) {
      let at = a_first_step_0 * 136u + a_line_group_0 * 4u;
      let line_0 = loaded_0_0;
      let line_1 = loaded_0_1;
      let line_2 = loaded_0_2;
      let line_3 = loaded_0_3;
      let fetched_0 = vec4<f32>(line_0.x,line_1.x,line_2.x,line_3.x);
      let fetched_1 = vec4<f32>(line_0.y,line_1.y,line_2.y,line_3.y);
      let fetched_2 = vec4<f32>(line_0.z,line_1.z,line_2.z,line_3.z);
      let fetched_3 = vec4<f32>(line_0.w,line_1.w,line_2.w,line_3.w);
      a_tile[at + 0u] = f16(fetched_0.x);
      a_tile[at + 1u] = f16(fetched_0.y);
      a_tile[at + 2u] = f16(fetched_0.z);
      a_tile[at + 3u] = f16(fetched_0.w);
      a_tile[at + 136u] = f16(fetched_1.x);
      a_tile[at + 137u] = f16(fetched_1.y);
      a_tile[at + 138u] = f16(fetched_1.z);
      a_tile[at + 139u] = f16(fetched_1.w);
      a_tile[at + 272u] = f16(fetched_2.x);
      a_tile[at + 273u] = f16(fetched_2.y);
      a_tile[at + 274u] = f16(fetched_2.z);
      a_tile[at + 275u] = f16(fetched_2.w);
      a_tile[at + 408u] = f16(fetched_3.x);
      a_tile[at + 409u] = f16(fetched_3.y);
      a_tile[at + 410u] = f16(fetched_3.z);
      a_tile[at + 411u] = f16(fetched_3.w);
    } else {
      let at = b_first_step_0 * 136u + b_line_group_0 * 4u;
      let fetched_0 = loaded_0_0;
      let fetched_1 = loaded_0_1;
      let fetched_2 = loaded_0_2;
      let fetched_3 = loaded_0_3;
      b_tile[at + 0u] = f16(fetched_0.x);
      b_tile[at + 1u] = f16(fetched_0.y);
      b_tile[at + 2u] = f16(fetched_0.z);
      b_tile[at + 3u] = f16(fetched_0.w);
      b_tile[at + 136u] = f16(fetched_1.x);
      b_tile[at + 137u] = f16(fetched_1.y);
      b_tile[at + 138u] = f16(fetched_1.z);
      b_tile[at + 139u] = f16(fetched_1.w);
      b_tile[at + 272u] = f16(fetched_2.x);
      b_tile[at + 273u] = f16(fetched_2.y);
      b_tile[at + 274u] = f16(fetched_2.z);
      b_tile[at + 275u] = f16(fetched_2.w);
      b_tile[at + 408u] = f16(fetched_3.x);
      b_tile[at + 409u] = f16(fetched_3.y);
      b_tile[at + 410u] = f16(fetched_3.z);
      b_tile[at + 411u] = f16(fetched_3.w);
    }
    workgroupBarrier();
  }

  let own = subgroup * 256u;
  subgroupMatrixStore<row_major>(&staged, own, sum_0_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 0u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_0_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 0u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_0_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 0u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_0_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 0u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_1_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 16u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_1_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 16u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_1_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 16u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_1_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 16u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_2_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 32u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_2_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 32u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_2_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 32u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_2_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 32u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_3_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 48u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_3_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 48u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_3_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 48u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_3_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 48u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_4_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 64u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_4_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 64u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_4_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 64u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_4_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 64u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_5_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 80u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_5_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 80u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_5_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 80u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_5_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 80u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_6_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 96u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_6_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 96u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_6_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 96u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_6_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 96u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_7_0, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 112u + at / 16u;
    let column = first_column + matrix_column + 0u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_7_1, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 112u + at / 16u;
    let column = first_column + matrix_column + 16u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_7_2, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 112u + at / 16u;
    let column = first_column + matrix_column + 32u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&staged, own, sum_7_3, 16u);
  workgroupBarrier();
  for (var at = 4u * lane; at < 256u; at += 512u) {
    let line = first_row + matrix_row + 112u + at / 16u;
    let column = first_column + matrix_column + 48u + at % 16u;
    if (line < params.m) {
      var row = c_row(slice, line);
      row.offset += split * params.split_stride;
      if (row.valid) {
        let first = own + at;
        let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
        write_columns(row, column, sum + bias_of(slice, column));
      }
    }
  }
  workgroupBarrier();
}
