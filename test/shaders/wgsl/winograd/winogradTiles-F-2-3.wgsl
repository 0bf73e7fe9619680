@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read_write> tiles: array<f32>;
struct Params {
  count: u32,
  tiles: u32,
  first_tile: u32,
  tile_rows: u32,
  tile_columns: u32,
  height: u32,
  width: u32,
  channels: u32,
  tile_channels: u32,
  pad_h: i32,
  pad_w: i32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn image_line(x: array<f32, 4>) -> array<f32, 4> {
  return array(x[0] - x[2], x[1] + x[2], x[2] - x[1], x[3] - x[1]);
}

struct Place {
  image: u32,
  row: u32,
  column: u32,
}

fn place_of(tile: u32) -> Place {
  let line = tile / params.tile_columns;
  return Place(
    line / params.tile_rows,
    line % params.tile_rows * 2u,
    tile % params.tile_columns * 2u,
  );
}

struct Row {
  offset: u32,
  valid: bool,
}

fn row_at(image_row: u32, row: i32, valid: bool) -> Row {
  // A negative coordinate is a large number if unsigned.
  return Row((image_row + u32(row)) * params.width, valid & (u32(row) < params.height));
}

fn value_at(row: Row, column: i32, channel: u32) -> f32 {
  let value = image[(row.offset + u32(column)) * params.channels + channel];
  return select(0.0, value, row.valid & (u32(column) < params.width));
}

fn transform_tile(i: u32) {
  let channel = i % params.tile_channels;
  let tile = i / params.tile_channels;
  let place = place_of(params.first_tile + tile);
  let first_row = i32(place.row) - params.pad_h;
  let first_column = i32(place.column) - params.pad_w;
  let image_row = place.image * params.height;
  let is_channel = channel < params.channels;
  let line_0 = row_at(image_row, first_row + 0, is_channel);
  let line_1 = row_at(image_row, first_row + 1, is_channel);
  let line_2 = row_at(image_row, first_row + 2, is_channel);
  let line_3 = row_at(image_row, first_row + 3, is_channel);
  let row_0 = image_line(array(value_at(line_0, first_column + 0, channel), value_at(line_0, first_column + 1, channel), value_at(line_0, first_column + 2, channel), value_at(line_0, first_column + 3, channel)));
  let row_1 = image_line(array(value_at(line_1, first_column + 0, channel), value_at(line_1, first_column + 1, channel), value_at(line_1, first_column + 2, channel), value_at(line_1, first_column + 3, channel)));
  let row_2 = image_line(array(value_at(line_2, first_column + 0, channel), value_at(line_2, first_column + 1, channel), value_at(line_2, first_column + 2, channel), value_at(line_2, first_column + 3, channel)));
  let row_3 = image_line(array(value_at(line_3, first_column + 0, channel), value_at(line_3, first_column + 1, channel), value_at(line_3, first_column + 2, channel), value_at(line_3, first_column + 3, channel)));
  let column_0 = image_line(array(row_0[0], row_1[0], row_2[0], row_3[0]));
  let column_1 = image_line(array(row_0[1], row_1[1], row_2[1], row_3[1]));
  let column_2 = image_line(array(row_0[2], row_1[2], row_2[2], row_3[2]));
  let column_3 = image_line(array(row_0[3], row_1[3], row_2[3], row_3[3]));
  let stride = params.tiles * params.tile_channels;
  tiles[i + 0u * stride] = column_0[0];
  tiles[i + 1u * stride] = column_1[0];
  tiles[i + 2u * stride] = column_2[0];
  tiles[i + 3u * stride] = column_3[0];
  tiles[i + 4u * stride] = column_0[1];
  tiles[i + 5u * stride] = column_1[1];
  tiles[i + 6u * stride] = column_2[1];
  tiles[i + 7u * stride] = column_3[1];
  tiles[i + 8u * stride] = column_0[2];
  tiles[i + 9u * stride] = column_1[2];
  tiles[i + 10u * stride] = column_2[2];
  tiles[i + 11u * stride] = column_3[2];
  tiles[i + 12u * stride] = column_0[3];
  tiles[i + 13u * stride] = column_1[3];
  tiles[i + 14u * stride] = column_2[3];
  tiles[i + 15u * stride] = column_3[3];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  transform_tile(i);
}
