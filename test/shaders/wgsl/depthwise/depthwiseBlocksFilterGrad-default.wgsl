@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> cotangent: array<vec4<f32>>;
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
  let kx = place % params.blocks * 3u;
  let line = place / params.blocks;
  let ky = line % params.kernel_h;
  let part = line / params.kernel_h;
  let c = o / params.multiplier;
  let last_row = min((part + 1u) * params.rows_per_part, params.rows);
  var sum_0 = Value();
  var sum_1 = Value();
  var sum_2 = Value();
  for (var out_row = part * params.rows_per_part; out_row < last_row; out_row++) {
    let first_row = i32(out_row % params.out_h) * params.stride_h - params.pad_h;
    let row = row_at(out_row / params.out_h, first_row + i32(ky) * params.dilation_h);
    var x = i32(kx) * params.dilation_w - params.pad_w;
    var at = out_row * params.out_w * params.out_c + o;
    for (var column = 0u; column < params.out_w; column++) {
      let dy = cotangent[at];
      sum_0 += value_at(row, x + 0 * params.dilation_w, c) * dy;
      sum_1 += value_at(row, x + 1 * params.dilation_w, c) * dy;
      sum_2 += value_at(row, x + 2 * params.dilation_w, c) * dy;
      x += params.stride_w;
      at += params.out_c;
    }
  }
  let first = (line * params.kernel_w + kx) * params.out_c + o;
  if (kx + 0u < params.kernel_w) {
    out[first + 0u * params.out_c] = sum_0;
  }
  if (kx + 1u < params.kernel_w) {
    out[first + 1u * params.out_c] = sum_1;
  }
  if (kx + 2u < params.kernel_w) {
    out[first + 2u * params.out_c] = sum_2;
  }
}
