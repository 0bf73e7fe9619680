@group(0) @binding(0) var<storage, read> dy: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> dx: array<vec4<f32>>;
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
  cell_rows: u32,
  cell_columns: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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

// Rows and columns [first, end) of the window (row, column), clipped to the image.
struct Window {
  first: vec2<u32>,
  end: vec2<u32>,
}

fn window_at(row: u32, column: u32) -> Window {
  let start = vec2<i32>(i32(row * params.stride_h), i32(column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let end = start + vec2<i32>(i32(params.kernel_h), i32(params.kernel_w));
  let limit = vec2<i32>(i32(params.x_height), i32(params.x_width));
  return Window(vec2<u32>(max(start, vec2<i32>(0))), vec2<u32>(min(end, limit)));
}

fn x_index(image: u32, pixel: u32, channel: u32) -> u32 {
  return (image * params.x_height * params.x_width + pixel) * params.channels + channel;
}

fn y_index(image: u32, row: u32, column: u32, channel: u32) -> u32 {
  return ((image * params.y_height + row) * params.y_width + column) * params.channels + channel;
}

alias Value = vec4<f32>;
alias Position = vec4<u32>;
alias Mask = vec4<bool>;

fn store(at: u32, value: Value) {
  dx[at] = value;
}

fn compute(i: u32) {
  let line = i / params.channels;
  let channel = i % params.channels;
  let at = place_of(line, channel, params.cell_rows, params.cell_columns);
  // The last cells may lie past the last window: their pixels belong to none.
  let in_window = at.row < params.y_height && at.column < params.y_width;
  let window = window_at(at.row, at.column);
  var cotangent_0 = Value(0);
  if (in_window) {
    let cotangent = y_index(at.image, at.row, at.column, at.channel);
    let sides = window.end - window.first;
    cotangent_0 = dy[cotangent + 0u] / f32(sides.x * sides.y);
  }
  let start = vec2<i32>(i32(at.row * params.stride_h), i32(at.column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let end = start + vec2<i32>(i32(params.stride_h), i32(params.stride_w));
  let limit = vec2<i32>(i32(params.x_height), i32(params.x_width));
  let first_pixel = vec2<u32>(max(start, vec2<i32>(0)));
  let last_pixel = vec2<u32>(min(end, limit));
  for (var row = first_pixel.x; row < last_pixel.x; row++) {
    for (var column = first_pixel.y; column < last_pixel.y; column++) {
      let pixel = row * params.x_width + column;
      let target_index = x_index(at.image, pixel, at.channel);
      let takes = row < window.end.x && column < window.end.y;
      store(target_index + 0u, select(Value(0), cotangent_0, takes));
    }
  }
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
