@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
struct Params {
  count: u32,
  channels: u32,
  x_height: u32,
  x_width: u32,
  y_height: u32,
  y_width: u32,
  row_scale: i32,
  row_shift: i32,
  row_unit: i32,
  column_scale: i32,
  column_shift: i32,
  column_unit: i32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = vec4<f32>;

struct Axis {
  scale: i32,
  shift: i32,
  unit: i32,
  // Sizes of the input and of the output.
  input: i32,
  output: i32,
}

fn row_axis() -> Axis {
  return Axis(params.row_scale, params.row_shift, params.row_unit, i32(params.x_height), i32(params.y_height));
}

fn column_axis() -> Axis {
  return Axis(
    params.column_scale, params.column_shift, params.column_unit, i32(params.x_width), i32(params.y_width));
}

fn floor_divide(a: i32, b: i32) -> i32 {
  return select(a, a - b + 1, a < 0) / b;
}

struct Sample {
  low: i32,
  high: i32,
  // Weight of high. Where it is 0, high is low: a NaN next to the sampled pixel doesn't leak.
  fraction: f32,
}

fn sample(axis: Axis, position: i32) -> Sample {
  let place = position * axis.scale + axis.shift;
  let low = floor_divide(place, axis.unit);
  let rest = place - low * axis.unit;
  if (low < 0) {
    return Sample(0, 0, 0.0);
  }
  if (low >= axis.input - 1 || rest == 0) {
    let last = min(low, axis.input - 1);
    return Sample(last, last, 0.0);
  }
  return Sample(low, low + 1, f32(rest) / f32(axis.unit));
}

fn weight(axis: Axis, position: i32, pixel: i32) -> f32 {
  let at = sample(axis, position);
  return select(0.0, 1.0 - at.fraction, at.low == pixel) + select(0.0, at.fraction, at.high == pixel);
}

fn blend(low: Value, high: Value, fraction: f32) -> Value {
  return select(low + (high - low) * fraction, low, fraction == 0.0);
}

fn x_index(image: i32, row: i32, column: i32, channel: u32) -> u32 {
  return u32((image * i32(params.x_height) + row) * i32(params.x_width) + column) * params.channels + channel;
}

fn y_index(image: i32, row: i32, column: i32, channel: u32) -> u32 {
  return u32((image * i32(params.y_height) + row) * i32(params.y_width) + column) * params.channels + channel;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u) * 8u;
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let pixel = i32(i / params.channels);
  let rows = row_axis();
  let columns = column_axis();
  let column = pixel % columns.output;
  let row = pixel / columns.output % rows.output;
  let image = pixel / columns.output / rows.output;
  let down = sample(rows, row);
  let across = sample(columns, column);
  let top_low = x_index(image, down.low, across.low, channel);
  let top_high = x_index(image, down.low, across.high, channel);
  let bottom_low = x_index(image, down.high, across.low, channel);
  let bottom_high = x_index(image, down.high, across.high, channel);
  y[i + 0u] = blend(blend(x[top_low + 0u], x[top_high + 0u], across.fraction), blend(x[bottom_low + 0u], x[bottom_high + 0u], across.fraction), down.fraction);
  y[i + 1u] = blend(blend(x[top_low + 1u], x[top_high + 1u], across.fraction), blend(x[bottom_low + 1u], x[bottom_high + 1u], across.fraction), down.fraction);
  y[i + 2u] = blend(blend(x[top_low + 2u], x[top_high + 2u], across.fraction), blend(x[bottom_low + 2u], x[bottom_high + 2u], across.fraction), down.fraction);
  y[i + 3u] = blend(blend(x[top_low + 3u], x[top_high + 3u], across.fraction), blend(x[bottom_low + 3u], x[bottom_high + 3u], across.fraction), down.fraction);
  y[i + 4u] = blend(blend(x[top_low + 4u], x[top_high + 4u], across.fraction), blend(x[bottom_low + 4u], x[bottom_high + 4u], across.fraction), down.fraction);
  y[i + 5u] = blend(blend(x[top_low + 5u], x[top_high + 5u], across.fraction), blend(x[bottom_low + 5u], x[bottom_high + 5u], across.fraction), down.fraction);
  y[i + 6u] = blend(blend(x[top_low + 6u], x[top_high + 6u], across.fraction), blend(x[bottom_low + 6u], x[bottom_high + 6u], across.fraction), down.fraction);
  y[i + 7u] = blend(blend(x[top_low + 7u], x[top_high + 7u], across.fraction), blend(x[bottom_low + 7u], x[bottom_high + 7u], across.fraction), down.fraction);
}
