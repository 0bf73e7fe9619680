@group(0) @binding(0) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> bias_values: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;
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
  vectors: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

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
    i32(row * 8u) + params.from_row,
    i32(column * 16u) + params.from_column,
    row * 8u,
    column * 16u,
  );
}

// The last vectors, one for each invocation, are never read: what lies outside the image is stored there.
var<workgroup> tile: array<vec4<f32>, 404>;

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
  let rectangle = rectangle_at(g);
  var at_0 = 0u;
  var slot_0 = 340u + local;
  {
    let unit = local + 0u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_0 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_0 = unit % 2u * 170u + pixel;
    }
  }
  var at_1 = 0u;
  var slot_1 = 340u + local;
  {
    let unit = local + 64u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_1 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_1 = unit % 2u * 170u + pixel;
    }
  }
  var at_2 = 0u;
  var slot_2 = 340u + local;
  {
    let unit = local + 128u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_2 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_2 = unit % 2u * 170u + pixel;
    }
  }
  var at_3 = 0u;
  var slot_3 = 340u + local;
  {
    let unit = local + 192u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_3 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_3 = unit % 2u * 170u + pixel;
    }
  }
  var at_4 = 0u;
  var slot_4 = 340u + local;
  {
    let unit = local + 256u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_4 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_4 = unit % 2u * 170u + pixel;
    }
  }
  var at_5 = 0u;
  var slot_5 = 340u + local;
  {
    let unit = local + 320u;
    let pixel = unit / 2u;
    let row = u32(rectangle.from_row + i32(pixel / 17u));
    let column = u32(rectangle.from_column + i32(pixel % 17u));
    // A negative coordinate is a large unsigned one.
    if (unit < 340u && row < params.from_h && column < params.from_w) {
      at_5 = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % 2u;
      slot_5 = unit % 2u * 170u + pixel;
    }
  }
  for (var i = local; i < 340u; i += 64u) {
    tile[i] = vec4<f32>();
  }
  workgroupBarrier();
  var loaded_0 = values[at_0];
  var loaded_1 = values[at_1];
  var loaded_2 = values[at_2];
  var loaded_3 = values[at_3];
  var loaded_4 = values[at_4];
  var loaded_5 = values[at_5];
  tile[slot_0] = loaded_0;
  tile[slot_1] = loaded_1;
  tile[slot_2] = loaded_2;
  tile[slot_3] = loaded_3;
  tile[slot_4] = loaded_4;
  tile[slot_5] = loaded_5;
  let block_row = local / 16u;
  let block_column = local % 16u;
  let first = block_row * 34u + block_column * 1u;
  var sum_0_0_0 = 0.0;
  var sum_1_0_0 = 0.0;
  let chunks = params.vectors / 2u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    workgroupBarrier();
    let next = min(chunk + 1u, chunks - 1u);
    loaded_0 = values[at_0 + next * 2u];
    loaded_1 = values[at_1 + next * 2u];
    loaded_2 = values[at_2 + next * 2u];
    loaded_3 = values[at_3 + next * 2u];
    loaded_4 = values[at_4 + next * 2u];
    loaded_5 = values[at_5 + next * 2u];
    {
      let at = chunk * 2u + 0u;
      let weights_0 = at + 0u * params.vectors;
      let weights_1 = at + 2u * params.vectors;
      let weights_2 = at + 4u * params.vectors;
      {
        let value = tile[first + 0u];
        sum_0_0_0 += value.x * weights[(weights_0 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_0 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_0 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_0 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 17u];
        sum_0_0_0 += value.x * weights[(weights_1 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_1 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_1 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_1 + 0u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_0 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_0 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_0 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_0 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 34u];
        sum_0_0_0 += value.x * weights[(weights_2 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_2 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_2 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_2 + 0u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_1 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_1 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_1 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_1 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 51u];
        sum_1_0_0 += value.x * weights[(weights_2 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_2 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_2 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_2 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 1u];
        sum_0_0_0 += value.x * weights[(weights_0 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_0 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_0 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_0 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 18u];
        sum_0_0_0 += value.x * weights[(weights_1 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_1 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_1 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_1 + 1u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_0 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_0 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_0 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_0 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 35u];
        sum_0_0_0 += value.x * weights[(weights_2 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_2 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_2 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_2 + 1u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_1 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_1 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_1 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_1 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 52u];
        sum_1_0_0 += value.x * weights[(weights_2 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_2 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_2 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_2 + 1u * params.vectors) * 4u + 3u];
      }
    }
    {
      let at = chunk * 2u + 1u;
      let weights_0 = at + 0u * params.vectors;
      let weights_1 = at + 2u * params.vectors;
      let weights_2 = at + 4u * params.vectors;
      {
        let value = tile[first + 170u];
        sum_0_0_0 += value.x * weights[(weights_0 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_0 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_0 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_0 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 187u];
        sum_0_0_0 += value.x * weights[(weights_1 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_1 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_1 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_1 + 0u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_0 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_0 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_0 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_0 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 204u];
        sum_0_0_0 += value.x * weights[(weights_2 + 0u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_2 + 0u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_2 + 0u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_2 + 0u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_1 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_1 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_1 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_1 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 221u];
        sum_1_0_0 += value.x * weights[(weights_2 + 0u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_2 + 0u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_2 + 0u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_2 + 0u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 171u];
        sum_0_0_0 += value.x * weights[(weights_0 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_0 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_0 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_0 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 188u];
        sum_0_0_0 += value.x * weights[(weights_1 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_1 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_1 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_1 + 1u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_0 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_0 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_0 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_0 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 205u];
        sum_0_0_0 += value.x * weights[(weights_2 + 1u * params.vectors) * 4u + 0u];
        sum_0_0_0 += value.y * weights[(weights_2 + 1u * params.vectors) * 4u + 1u];
        sum_0_0_0 += value.z * weights[(weights_2 + 1u * params.vectors) * 4u + 2u];
        sum_0_0_0 += value.w * weights[(weights_2 + 1u * params.vectors) * 4u + 3u];
        sum_1_0_0 += value.x * weights[(weights_1 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_1 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_1 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_1 + 1u * params.vectors) * 4u + 3u];
      }
      {
        let value = tile[first + 222u];
        sum_1_0_0 += value.x * weights[(weights_2 + 1u * params.vectors) * 4u + 0u];
        sum_1_0_0 += value.y * weights[(weights_2 + 1u * params.vectors) * 4u + 1u];
        sum_1_0_0 += value.z * weights[(weights_2 + 1u * params.vectors) * 4u + 2u];
        sum_1_0_0 += value.w * weights[(weights_2 + 1u * params.vectors) * 4u + 3u];
      }
    }
    workgroupBarrier();
    tile[slot_0] = loaded_0;
    tile[slot_1] = loaded_1;
    tile[slot_2] = loaded_2;
    tile[slot_3] = loaded_3;
    tile[slot_4] = loaded_4;
    tile[slot_5] = loaded_5;
  }
  let to_row = rectangle.to_row + block_row * 2u;
  let to_column = rectangle.to_column + block_column * 1u;
  {
    let row = to_row + 0u;
    let column = to_column + 0u;
    if (row < params.to_h && column < params.to_w) {
      let to = ((rectangle.picture * params.to_h + row) * params.to_w + column) * 1u;
      result[to + 0u] = activate(sum_0_0_0 + bias_values[0]);
    }
  }
  {
    let row = to_row + 1u;
    let column = to_column + 0u;
    if (row < params.to_h && column < params.to_w) {
      let to = ((rectangle.picture * params.to_h + row) * params.to_w + column) * 1u;
      result[to + 0u] = activate(sum_1_0_0 + bias_values[0]);
    }
  }
}
