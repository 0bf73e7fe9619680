@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
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

var<workgroup> image_tile: array<vec4<f32>, 30>;
var<workgroup> weight_tile: array<vec4<f32>, 48>;

// An element of a row of the image; zero outside of it. A negative position is a large unsigned one.
fn element_at(row_start: u32, position: u32, is_row: bool) -> f32 {
  return select(0.0, image[row_start + position], is_row & (position < params.from_w * 1u));
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let g = flat_group(group, groups);
  if (g >= params.count) {
    return;
  }
  let first_filter = g % params.group_filters * 16u;
  let rectangle = rectangle_at(g / params.group_filters);
  let from_position = rectangle.from_column * 1;
  var weight_at_0 = 0u;
  {
    let unit = min(local + 0u, 47u);
    let filter_at = min(first_filter + unit % 16u, params.filters - 1u);
    weight_at_0 = unit / 16u * params.filters + filter_at;
  }
  var loaded_0 = weights[weight_at_0];
  {
    let unit = min(local + 0u, 29u);
    let row = u32(rectangle.from_row + i32(unit / 5u));
    let is_row = row < params.from_h;
    let row_start = (rectangle.picture * params.from_h + row) * params.from_w * 1u;
    let position = u32(from_position + i32(unit % 5u * 4u));
    image_tile[unit] = vec4<f32>(
      element_at(row_start, position, is_row),
      element_at(row_start, position + 1u, is_row),
      element_at(row_start, position + 2u, is_row),
      element_at(row_start, position + 3u, is_row),
    );
  }
  weight_tile[min(local + 0u, 47u)] = loaded_0;
  let filter_lane = local % 8u;
  let pixel_lane = local / 8u;
  let block_row = pixel_lane / 4u;
  let block_column = pixel_lane % 4u;
  let first = block_row * 5u + block_column * 1u;
  var sum_0_0 = vec4<f32>();
  var sum_0_1 = vec4<f32>();
  var sum_1_0 = vec4<f32>();
  var sum_1_1 = vec4<f32>();
  var sum_2_0 = vec4<f32>();
  var sum_2_1 = vec4<f32>();
  var sum_3_0 = vec4<f32>();
  var sum_3_1 = vec4<f32>();
  for (var row = 0u; row < 3u; row++) {
    workgroupBarrier();
    let next = min(row + 1u, 2u);
    loaded_0 = weights[weight_at_0 + next * 3u * params.filters];
    let image_0 = image_tile[first + row * 5u + 0u];
    let image_1 = image_tile[first + row * 5u + 1u];
    {
      let filters = weight_tile[filter_lane + 0u];
      sum_0_0 += image_0.x * filters;
      sum_1_0 += image_0.y * filters;
      sum_2_0 += image_0.z * filters;
      sum_3_0 += image_0.w * filters;
    }
    {
      let filters = weight_tile[filter_lane + 8u];
      sum_0_1 += image_0.x * filters;
      sum_1_1 += image_0.y * filters;
      sum_2_1 += image_0.z * filters;
      sum_3_1 += image_0.w * filters;
    }
    {
      let filters = weight_tile[filter_lane + 16u];
      sum_0_0 += image_0.y * filters;
      sum_1_0 += image_0.z * filters;
      sum_2_0 += image_0.w * filters;
      sum_3_0 += image_1.x * filters;
    }
    {
      let filters = weight_tile[filter_lane + 24u];
      sum_0_1 += image_0.y * filters;
      sum_1_1 += image_0.z * filters;
      sum_2_1 += image_0.w * filters;
      sum_3_1 += image_1.x * filters;
    }
    {
      let filters = weight_tile[filter_lane + 32u];
      sum_0_0 += image_0.z * filters;
      sum_1_0 += image_0.w * filters;
      sum_2_0 += image_1.x * filters;
      sum_3_0 += image_1.y * filters;
    }
    {
      let filters = weight_tile[filter_lane + 40u];
      sum_0_1 += image_0.z * filters;
      sum_1_1 += image_0.w * filters;
      sum_2_1 += image_1.x * filters;
      sum_3_1 += image_1.y * filters;
    }
    workgroupBarrier();
    weight_tile[min(local + 0u, 47u)] = loaded_0;
  }
  let to_row = rectangle.to_row + block_row;
  let to_column = rectangle.to_column + block_column * 4u;
  let to_line = (rectangle.picture * params.to_h + to_row) * params.to_w;
  {
    let filter_at = first_filter + filter_lane + 0u;
    if (to_row < params.to_h && filter_at < params.filters) {
      if (to_column + 0u < params.to_w) {
        let value = sum_0_0;
        result[(to_line + to_column + 0u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 1u < params.to_w) {
        let value = sum_1_0;
        result[(to_line + to_column + 1u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 2u < params.to_w) {
        let value = sum_2_0;
        result[(to_line + to_column + 2u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 3u < params.to_w) {
        let value = sum_3_0;
        result[(to_line + to_column + 3u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
    }
  }
  {
    let filter_at = first_filter + filter_lane + 8u;
    if (to_row < params.to_h && filter_at < params.filters) {
      if (to_column + 0u < params.to_w) {
        let value = sum_0_1;
        result[(to_line + to_column + 0u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 1u < params.to_w) {
        let value = sum_1_1;
        result[(to_line + to_column + 1u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 2u < params.to_w) {
        let value = sum_2_1;
        result[(to_line + to_column + 2u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
      if (to_column + 3u < params.to_w) {
        let value = sum_3_1;
        result[(to_line + to_column + 3u) * params.filters + filter_at] = vec4<f32>(
          activate(value.x),
          activate(value.y),
          activate(value.z),
          activate(value.w),
        );
      }
    }
  }
}
