@group(0) @binding(0) var<storage, read> images: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> image_indices: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
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
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = vec4<f32>;

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

fn along(first: f32, last: f32, i: u32, count: u32, size: u32) -> f32 {
  let begin = first * f32(size - 1u);
  let end = last * f32(size - 1u);
  if (count == 1u) {
    return (begin + end) * 0.5;
  }
  return select(begin + (end - begin) / f32(count - 1u) * f32(i), end, i == count - 1u);
}

fn point_of(item: u32, row: u32, column: u32) -> Point {
  let box = points[item];
  let y = along(box.x, box.z, row, params.rows, params.height);
  let x = along(box.y, box.w, column, params.columns, params.width);
  return Point(y, x, !(is_within(y, params.height) && is_within(x, params.width)));
}

fn inside(position: f32, size: f32) -> f32 {
  return position;
}

fn on_axis(position: f32, size: u32) -> u32 {
  return u32(clamp(position, 0.0, f32(size - 1u)));
}

fn pixel(image: u32, y: f32, x: f32, channel: u32) -> Pixel {
  let row = image * params.height + on_axis(y, params.height);
  let start = (row * params.width + on_axis(x, params.width)) * params.channels + channel;
  return Pixel(start);
}

// Ties go away from 0.
fn nearest_pixel(position: f32) -> f32 {
  return select(floor(position + 0.5), ceil(position - 0.5), position < 0.0);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u) * 1u;
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let sample = i / params.channels;
  let column = sample % params.columns;
  let row = sample / params.columns % params.rows;
  let item = sample / params.columns / params.rows;
  let point = point_of(item, row, column);
  let image = u32(image_indices[item]);
  let y = inside(point.y, f32(params.height));
  let x = inside(point.x, f32(params.width));
  let nearest = pixel(image, nearest_pixel(y), nearest_pixel(x), channel);
  out[i + 0u] = select(images[nearest.start + 0u], Value(params.fill), point.is_filled);
}
