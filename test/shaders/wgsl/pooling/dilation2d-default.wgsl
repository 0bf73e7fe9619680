@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
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

alias Value = vec4<f32>;
alias Position = vec4<u32>;
alias Mask = vec4<bool>;

// Taps [first, end) of a window along one axis that are in the image. The first tap is at `start`.
fn taps_inside(start: i32, taps: i32, dilation: i32, size: i32) -> vec2<i32> {
  return vec2<i32>(max(0, -start), min(taps, size - start));
}

fn tap_at(tap: vec2<i32>) -> u32 {
  return u32(tap.x) * params.kernel_w + u32(tap.y);
}

fn pixel_at(start: vec2<i32>, tap: vec2<i32>) -> u32 {
  let at = start + tap;
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
  var nan_0 = Position();
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let tap = tap_at(vec2<i32>(row, column));
      let pixel = pixel_at(start, vec2<i32>(row, column));
      let found = (image + pixel) * params.channels + channel;
      let weight = tap * params.channels + channel;
      let value_0 = x[found + 0u] + weights[weight + 0u];
      // As in pools, the top bit of a word says that there was NaN.
      best_0 = select(best_0, value_0, value_0 > best_0);
      nan_0 |= (bitcast<Position>(value_0) & Position(0x7fffffffu)) + Position(0x7fffffu);
    }
  }
  let out = line * params.channels + channel;
  let is_nan_0 = nan_0 >= Position(0x80000000u);
  y[out + 0u] = select(best_0, bitcast<Value>(nan_0 | Position(0x7fc00000u)), is_nan_0);
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
