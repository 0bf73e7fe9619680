@group(0) @binding(0) var<storage, read> cotangent: array<vec4<f32>>;
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
  return Row((image_index * params.out_h + u32(row)) * params.out_w, u32(row) < params.out_h);
}

fn value_at(row: Row, column: i32, channel: u32) -> Value {
  let value = cotangent[(row.offset + u32(column)) * params.out_c + channel];
  return select(Value(), value, row.valid & (u32(column) < params.out_w));
}

struct Place {
  position: i32,
  valid: bool,
}

/** Where a tap leads from a coordinate: an exact multiple of the stride, or nowhere. */
fn reach(coordinate: i32, tap: u32, stride: i32, dilation: i32, pad: i32) -> Place {
  let distance = coordinate + pad - i32(tap) * dilation;
  let position = distance / stride;
  return Place(position, position * stride == distance);
}

fn first_tap(coordinate: i32, step: u32, pad: i32) -> u32 {
  return u32(coordinate + pad) % step;
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
  let c = i % params.in_c;
  let place = i / params.in_c;
  let block = i32(place % params.blocks);
  let line = place / params.blocks;
  let image_index = line / params.in_h;
  let image_row = i32(line % params.in_h);
  // Neighbouring blocks take the columns of each remainder by the stride.
  let column = block / params.stride_w * 4 * params.stride_w + block % params.stride_w;
  var sum_0 = Value();
  var sum_1 = Value();
  var sum_2 = Value();
  var sum_3 = Value();
  for (var ky = first_tap(image_row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(image_row, ky, params.stride_h, params.dilation_h, params.pad_h);
    var row = row_at(image_index, y.position);
    row.valid &= y.valid;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let reached = Row(row.offset, row.valid & x.valid);
      for (var m = 0u; m < params.multiplier; m++) {
        let o = c * params.multiplier + m;
        let weight = weights[(ky * params.kernel_w + kx) * params.out_c + o];
        sum_0 += value_at(reached, x.position + 0, o) * weight;
        sum_1 += value_at(reached, x.position + 1, o) * weight;
        sum_2 += value_at(reached, x.position + 2, o) * weight;
        sum_3 += value_at(reached, x.position + 3, o) * weight;
      }
    }
  }
  if (column + 0 * params.stride_w < i32(params.in_w)) {
    out[(line * params.in_w + u32(column + 0 * params.stride_w)) * params.in_c + c] = sum_0;
  }
  if (column + 1 * params.stride_w < i32(params.in_w)) {
    out[(line * params.in_w + u32(column + 1 * params.stride_w)) * params.in_c + c] = sum_1;
  }
  if (column + 2 * params.stride_w < i32(params.in_w)) {
    out[(line * params.in_w + u32(column + 2 * params.stride_w)) * params.in_c + c] = sum_2;
  }
  if (column + 3 * params.stride_w < i32(params.in_w)) {
    out[(line * params.in_w + u32(column + 3 * params.stride_w)) * params.in_c + c] = sum_3;
  }
}
