@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  blocks: u32,
  in_h: u32,
  in_w: u32,
  in_c: u32,
  out_h: u32,
  out_w: u32,
  out_c: u32,
  multiplier: u32,
  kernel_h: u32,
  kernel_w: u32,
  stride_h: i32,
  stride_w: i32,
  dilation_h: i32,
  dilation_w: i32,
  pad_h: i32,
  pad_w: i32,
  step_h: u32,
  step_w: u32,
  rows: u32,
  rows_per_part: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = vec4<f32>;

struct Row {
  offset: u32,
  valid: bool,
}

fn row_at(image_index: u32, row: i32) -> Row {
  // A negative coordinate is a large unsigned one.
  return Row((image_index * params.in_h + u32(row)) * params.in_w, u32(row) < params.in_h);
}

fn value_at(row: Row, column: i32, channel: u32) -> Value {
  let value = image[(row.offset + u32(column)) * params.in_c + channel];
  return select(Value(), value, row.valid & (u32(column) < params.in_w));
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  let o = i % params.out_c;
  let place = i / params.out_c;
  let column = place % params.blocks * 4u;
  let line = place / params.blocks;
  let image_index = line / params.out_h;
  let first_row = i32(line % params.out_h) * params.stride_h - params.pad_h;
  let first_column = i32(column) * params.stride_w - params.pad_w;
  let c = o / params.multiplier;
  var sum_0 = Value();
  var sum_1 = Value();
  var sum_2 = Value();
  var sum_3 = Value();
  var tap = o;
  for (var ky = 0u; ky < params.kernel_h; ky++) {
    let row = row_at(image_index, first_row + i32(ky) * params.dilation_h);
    for (var kx = 0u; kx < params.kernel_w; kx++) {
      let weight = weights[tap];
      let x = first_column + i32(kx) * params.dilation_w;
      sum_0 += value_at(row, x + 0 * params.stride_w, c) * weight;
      sum_1 += value_at(row, x + 1 * params.stride_w, c) * weight;
      sum_2 += value_at(row, x + 2 * params.stride_w, c) * weight;
      sum_3 += value_at(row, x + 3 * params.stride_w, c) * weight;
      tap += params.out_c;
    }
  }
  let first = (line * params.out_w + column) * params.out_c + o;
  if (column + 0u < params.out_w) {
    out[first + 0u * params.out_c] = sum_0;
  }
  if (column + 1u < params.out_w) {
    out[first + 1u * params.out_c] = sum_1;
  }
  if (column + 2u < params.out_w) {
    out[first + 2u * params.out_c] = sum_2;
  }
  if (column + 3u < params.out_w) {
    out[first + 3u * params.out_c] = sum_3;
  }
}
