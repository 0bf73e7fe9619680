@group(0) @binding(0) var<storage, read> positions: array<u32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
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

alias Value = f32;
alias Position = u32;
alias Mask = bool;

fn store(at: u32, value: Value) {
  dx[at] = value;
}

// Windows [first, end) along one axis that cover input position `at`.
fn covering(at: u32, before: u32, window: u32, stride: u32, count: u32) -> vec2<u32> {
  let padded = at + before;
  let first = select(0u, (padded - window) / stride + 1u, padded >= window);
  return vec2<u32>(first, min(padded / stride + 1u, count));
}

fn compute(i: u32) {
  let line = i / params.channels;
  let channel = i % params.channels;
  let at = place_of(line, channel, params.x_height, params.x_width);
  let rows = covering(at.row, params.pad_h, params.kernel_h, params.stride_h, params.y_height);
  let columns = covering(at.column, params.pad_w, params.kernel_w, params.stride_w, params.y_width);
  var total_0 = Value(0);
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let window = y_index(at.image, row, column, at.channel);
      let mine = Position(at.row * params.x_width + at.column);
      total_0 += select(Value(0), dy[window + 0u], positions[window + 0u] == mine);
    }
  }
  let out = line * params.channels + channel;
  store(out + 0u, total_0);
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
