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

fn sample(axis: Axis, position: i32) -> i32 {
  return clamp(floor_divide(position * axis.scale + axis.shift, axis.unit), 0, axis.input - 1);
}

fn weight(axis: Axis, position: i32, pixel: i32) -> f32 {
  return select(0.0, 1.0, sample(axis, position) == pixel);
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
  let i = flat_index(group, groups, local, 256u) * 1u;
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
  let start = x_index(image, sample(rows, row), sample(columns, column), channel);
  y[i + 0u] = x[start + 0u];
}
