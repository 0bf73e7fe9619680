@group(0) @binding(0) var<storage, read> images: array<f32>;
@group(0) @binding(1) var<storage, read> points: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  channels: u32,
  height: u32,
  width: u32,
  rows: u32,
  columns: u32,
  maps: u32,
  fill: f32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = f32;

struct Point {
  y: f32,
  x: f32,
  // Whether the value is params.fill, whatever the image.
  is_filled: bool,
}

struct Pixel {
  start: u32,
}

fn is_within(position: f32, size: u32) -> bool {
  return position >= 0.0 && position <= f32(size - 1u);
}

fn point_of(item: u32, row: u32, column: u32) -> Point {
  let position = points[(item * params.rows + row) * params.columns + column];
  return Point(position.x, position.y, false);
}

fn remainder(x: f32, period: f32) -> f32 {
  return x - period * floor(x / period);
}

fn inside(position: f32, size: f32) -> f32 {
  let period = remainder(position + 0.5, 2.0 * size);
  return clamp(min(period, 2.0 * size - period) - 0.5, 0.0, size - 1.0);
}

fn on_axis(position: f32, size: u32) -> u32 {
  return u32(clamp(position, 0.0, f32(size - 1u)));
}

fn pixel(image: u32, y: f32, x: f32, channel: u32) -> Pixel {
  let row = image * params.height + on_axis(y, params.height);
  let start = (row * params.width + on_axis(x, params.width)) * params.channels + channel;
  return Pixel(start);
}

fn mixed(a: Value, b: Value, share: f32) -> Value {
  return a + (b - a) * share;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u) * 3u;
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let sample = i / params.channels;
  let column = sample % params.columns;
  let row = sample / params.columns % params.rows;
  let item = sample / params.columns / params.rows;
  let point = point_of(item, row, column);
  let image = item;
  let y = inside(point.y, f32(params.height));
  let x = inside(point.x, f32(params.width));
  let top = floor(y);
  let left = floor(x);
  let top_left = pixel(image, top, left, channel);
  let top_right = pixel(image, top, left + 1.0, channel);
  let bottom_left = pixel(image, top + 1.0, left, channel);
  let bottom_right = pixel(image, top + 1.0, left + 1.0, channel);
  out[i + 0u] = select(mixed(mixed(images[top_left.start + 0u], images[top_right.start + 0u], x - left), mixed(images[bottom_left.start + 0u], images[bottom_right.start + 0u], x - left), y - top), Value(params.fill), point.is_filled);
  out[i + 1u] = select(mixed(mixed(images[top_left.start + 1u], images[top_right.start + 1u], x - left), mixed(images[bottom_left.start + 1u], images[bottom_right.start + 1u], x - left), y - top), Value(params.fill), point.is_filled);
  out[i + 2u] = select(mixed(mixed(images[top_left.start + 2u], images[top_right.start + 2u], x - left), mixed(images[bottom_left.start + 2u], images[bottom_right.start + 2u], x - left), y - top), Value(params.fill), point.is_filled);
}
