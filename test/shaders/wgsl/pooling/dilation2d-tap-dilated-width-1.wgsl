@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
struct Params {
  count: u32,
  channels: u32,
  groups: u32,
  x_height: u32,
  x_width: u32,
  y_height: u32,
  y_width: u32,
  kernel_h: u32,
  kernel_w: u32,
  stride_h: u32,
  stride_w: u32,
  dilation_h: u32,
  dilation_w: u32,
  pad_h: u32,
  pad_w: u32,
  lowest: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

struct Place {
  image: u32,
  row: u32,
  column: u32,
  channel: u32,
}

fn place_of(pixel: u32, channel: u32, height: u32, width: u32) -> Place {
  let row = pixel / width;
  return Place(row / height, row % height, pixel % width, channel);
}

alias Value = f32;
alias Position = u32;
alias Mask = bool;

// Tests bits, since compilers may assume that NaN does not occur.
fn nan_lanes(x: Value) -> Mask {
  return (bitcast<Position>(x) & Position(0x7fffffffu)) > Position(0x7f800000u);
}

// Whether a later value takes the place of the best so far: the first maximum stays, and the first NaN beats all.
fn takes_over(value: Value, best: Value) -> Mask {
  return !nan_lanes(best) & (nan_lanes(value) | (value > best));
}

// Taps [first, end) of a window along one axis that are in the image. The first tap is at `start`.
fn taps_inside(start: i32, taps: i32, dilation: i32, size: i32) -> vec2<i32> {
  let first = select(0, (-1 - start) / dilation + 1, start < 0);
  let end = select(0, (size - 1 - start) / dilation + 1, start < size);
  return vec2<i32>(first, min(taps, end));
}

fn tap_at(tap: vec2<i32>) -> u32 {
  return u32(tap.x) * params.kernel_w + u32(tap.y);
}

fn pixel_at(start: vec2<i32>, tap: vec2<i32>) -> u32 {
  let at = start + tap * vec2<i32>(i32(params.dilation_h), i32(params.dilation_w));
  return u32(at.x * i32(params.x_width) + at.y);
}

fn compute(i: u32) {
  let line = i / params.channels;
  let channel = i % params.channels;
  let at = place_of(line, channel, params.y_height, params.y_width);
  let start = vec2<i32>(i32(at.row * params.stride_h), i32(at.column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let rows = taps_inside(start.x, i32(params.kernel_h), i32(params.dilation_h), i32(params.x_height));
  let columns = taps_inside(start.y, i32(params.kernel_w), i32(params.dilation_w), i32(params.x_width));
  let image = at.image * params.x_height * params.x_width;
  var best_0 = Value(bitcast<f32>(params.lowest));
  let first = vec2<i32>(rows.x, columns.x);
  let is_empty = (rows.x >= rows.y) | (columns.x >= columns.y);
  let position = select(tap_at(first), 0xffffffffu, is_empty);
  var position_0 = Position(position);
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let tap = tap_at(vec2<i32>(row, column));
      let pixel = pixel_at(start, vec2<i32>(row, column));
      let found = (image + pixel) * params.channels + channel;
      let weight = tap * params.channels + channel;
      let value_0 = x[found + 0u] + weights[weight + 0u];
      let takes_0 = takes_over(value_0, best_0);
      best_0 = select(best_0, value_0, takes_0);
      position_0 = select(position_0, Position(tap), takes_0);
    }
  }
  let out = line * params.channels + channel;
  y[out + 0u] = position_0;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  if (i < params.count) {
    compute(i);
  }
}
