@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read> cotangents: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;
struct Params {
  count: u32,
  group_rows: u32,
  group_columns: u32,
  from_h: u32,
  from_w: u32,
  from_row: i32,
  from_column: i32,
  to_h: u32,
  to_w: u32,
  alpha: f32,
  group_filters: u32,
  filters: u32,
  rectangles: u32,
  parts: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn activate(value: f32) -> f32 {
  return value;
}

struct Rectangle {
  picture: u32,
  from_row: i32,
  from_column: i32,
  to_row: u32,
  to_column: u32,
}

fn rectangle_at(i: u32) -> Rectangle {
  let line = i / params.group_columns;
  let row = line % params.group_rows;
  let column = i % params.group_columns;
  return Rectangle(
    line / params.group_rows,
    i32(row * 4u) + params.from_row,
    i32(column * 16u) + params.from_column,
    row * 4u,
    column * 16u,
  );
}

var<workgroup> image_tile: array<vec4<f32>, 64>;

// A vector of the tile, and where it is in the image.
struct Position {
  unit: u32,
  start: u32,
  // The element of the image's row; a negative one is a large unsigned one.
  column: u32,
  is_row: bool,
}

fn position_of(index: u32, rectangle: Rectangle, tap_row: u32) -> Position {
  let unit = min(index, 24u);
  let row = u32(rectangle.from_row + i32(unit / 5u * 1u + tap_row));
  let column = u32(rectangle.from_column * 1 + i32(unit % 5u * 4u));
  let start = (rectangle.picture * params.from_h + row) * params.from_w * 1u + column;
  return Position(unit, start, column, row < params.from_h);
}

fn cotangent_at(rectangle: Rectangle, pixel_lane: u32, filter_at: u32) -> u32 {
  let row = rectangle.picture * params.to_h + rectangle.to_row;
  let column = rectangle.to_column + pixel_lane * 4u;
  return (row * params.to_w + column) * params.filters + filter_at;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let g = flat_group(group, groups);
  if (g >= params.count) {
    return;
  }
  let first_filter = g % params.group_filters * 8u;
  let tap_row = g / params.group_filters % 1u;
  let part = g / params.group_filters / 1u;
  let filter_lane = local % 8u;
  let row_lane = local / 8u % 2u;
  let pixel_lane = local / 16u;
  let filter_at = min(first_filter + filter_lane, params.filters - 1u);
  let first = row_lane * 5u + pixel_lane * 1u;
  let line = params.to_w * params.filters;
  var sum_0 = vec4<f32>();
  var sum_1 = vec4<f32>();
  var sum_2 = vec4<f32>();
  var loaded_0 = vec4<f32>();
  var cotangent_0 = vec4<f32>();
  var cotangent_1 = vec4<f32>();
  var cotangent_2 = vec4<f32>();
  var cotangent_3 = vec4<f32>();
  var rectangle = rectangle_at(part);
  var at = cotangent_at(rectangle, pixel_lane, filter_at);
  {
    let at = position_of(local + 0u, rectangle, tap_row);
    loaded_0 = vec4<f32>(image[at.start], image[at.start + 1u], image[at.start + 2u], image[at.start + 3u]);
  }
  cotangent_0 = cotangents[at + 0u * params.filters];
  cotangent_1 = cotangents[at + 1u * params.filters];
  cotangent_2 = cotangents[at + 2u * params.filters];
  cotangent_3 = cotangents[at + 3u * params.filters];
  {
    let at = position_of(local + 0u, rectangle, tap_row);
    image_tile[at.unit] = vec4<f32>(
      select(0.0, loaded_0.x, at.is_row & (at.column + 0u < params.from_w * 1u)),
      select(0.0, loaded_0.y, at.is_row & (at.column + 1u < params.from_w * 1u)),
      select(0.0, loaded_0.z, at.is_row & (at.column + 2u < params.from_w * 1u)),
      select(0.0, loaded_0.w, at.is_row & (at.column + 3u < params.from_w * 1u)),
    );
  }
  workgroupBarrier();
  for (var i = part; i < params.rectangles; i += params.parts) {
    let next = rectangle_at(min(i + params.parts, params.rectangles - 1u));
    let next_at = cotangent_at(next, pixel_lane, filter_at);
    {
      let at = position_of(local + 0u, next, tap_row);
      loaded_0 = vec4<f32>(image[at.start], image[at.start + 1u], image[at.start + 2u], image[at.start + 3u]);
    }
    for (var row = 0u; row < 4u; row++) {
      at = select(at + line, next_at, row == 3u);
      let image_0 = image_tile[first + row * 5u + 0u];
      let image_1 = image_tile[first + row * 5u + 1u];
      sum_0 += image_0.x * cotangent_0;
      sum_1 += image_0.y * cotangent_0;
      sum_2 += image_0.z * cotangent_0;
      cotangent_0 = cotangents[at + 0u * params.filters];
      sum_0 += image_0.y * cotangent_1;
      sum_1 += image_0.z * cotangent_1;
      sum_2 += image_0.w * cotangent_1;
      cotangent_1 = cotangents[at + 1u * params.filters];
      sum_0 += image_0.z * cotangent_2;
      sum_1 += image_0.w * cotangent_2;
      sum_2 += image_1.x * cotangent_2;
      cotangent_2 = cotangents[at + 2u * params.filters];
      sum_0 += image_0.w * cotangent_3;
      sum_1 += image_1.x * cotangent_3;
      sum_2 += image_1.y * cotangent_3;
      cotangent_3 = cotangents[at + 3u * params.filters];
    }
    workgroupBarrier();
    {
      let at = position_of(local + 0u, next, tap_row);
      image_tile[at.unit] = vec4<f32>(
        select(0.0, loaded_0.x, at.is_row & (at.column + 0u < params.from_w * 1u)),
        select(0.0, loaded_0.y, at.is_row & (at.column + 1u < params.from_w * 1u)),
        select(0.0, loaded_0.z, at.is_row & (at.column + 2u < params.from_w * 1u)),
        select(0.0, loaded_0.w, at.is_row & (at.column + 3u < params.from_w * 1u)),
      );
    }
    workgroupBarrier();
    rectangle = next;
  }
  workgroupBarrier();
  image_tile[local + 0u] = sum_0;
  workgroupBarrier();
  for (var unit = local; unit < 16u; unit += 64u) {
    let step = unit / 16u;
    let lane = unit % 16u;
    var sum = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
      sum += image_tile[step * 64u + i * 16u + lane];
    }
    let filter_of_lane = first_filter + lane % 8u;
    if (filter_of_lane < params.filters) {
      let row = part * 2u + tap_row + lane / 8u;
      result[(row * 3u + 0u + step) * params.filters + filter_of_lane] = sum;
    }
  }
  workgroupBarrier();
  image_tile[local + 0u] = sum_1;
  workgroupBarrier();
  for (var unit = local; unit < 16u; unit += 64u) {
    let step = unit / 16u;
    let lane = unit % 16u;
    var sum = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
      sum += image_tile[step * 64u + i * 16u + lane];
    }
    let filter_of_lane = first_filter + lane % 8u;
    if (filter_of_lane < params.filters) {
      let row = part * 2u + tap_row + lane / 8u;
      result[(row * 3u + 1u + step) * params.filters + filter_of_lane] = sum;
    }
  }
  workgroupBarrier();
  image_tile[local + 0u] = sum_2;
  workgroupBarrier();
  for (var unit = local; unit < 16u; unit += 64u) {
    let step = unit / 16u;
    let lane = unit % 16u;
    var sum = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
      sum += image_tile[step * 64u + i * 16u + lane];
    }
    let filter_of_lane = first_filter + lane % 8u;
    if (filter_of_lane < params.filters) {
      let row = part * 2u + tap_row + lane / 8u;
      result[(row * 3u + 2u + step) * params.filters + filter_of_lane] = sum;
    }
  }
}
