@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read> cotangent: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;
struct Params {
  count: u32,
  in_h: u32,
  in_w: u32,
  in_c: u32,
  group_in: u32,
  out_h: u32,
  out_w: u32,
  out_c: u32,
  vectors: u32,
  group_vectors: u32,
  kernel_h: u32,
  stride_h: i32,
  pad_h: i32,
  pad_w: i32,
  rows: u32,
  rows_per_part: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
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
  let vector = i % params.vectors;
  let filter_ = vector * 3u;
  var line = i / params.vectors;
  let channel = line % params.group_in;
  line /= params.group_in;
  let tap_row = line % params.kernel_h;
  let part = line / params.kernel_h;
  let last_row = min((part + 1u) * params.rows_per_part, params.rows);
  var sum_0 = vec3<f32>();
  var sum_1 = vec3<f32>();
  var out_row = part * params.rows_per_part;
  for (var iteration = 0u; iteration < 1073741824u; iteration++) {
    if (out_row >= last_row) {
      break;
    }
    let row = u32(i32(out_row % params.out_h) * params.stride_h + i32(tap_row) - params.pad_h);
    // A negative coordinate is a large unsigned one.
    let is_row = row < params.in_h;
    let in_row = (out_row / params.out_h * params.in_h + row) * params.in_w;
    let in_channel = vector / params.group_vectors * params.group_in + channel;
    for (var column = 0u; column < params.out_w; column += 4u) {
      let in_column = i32(column) * 2 - params.pad_w;
      let at = (in_row + u32(in_column)) * params.in_c + in_channel;
      let to = (out_row * params.out_w + column) * params.out_c + filter_;
      let value_0 = select(0.0, image[at + 0u * params.in_c], is_row & (u32(in_column + 0) < params.in_w));
      let value_1 = select(0.0, image[at + 1u * params.in_c], is_row & (u32(in_column + 1) < params.in_w));
      let value_2 = select(0.0, image[at + 2u * params.in_c], is_row & (u32(in_column + 2) < params.in_w));
      let value_3 = select(0.0, image[at + 3u * params.in_c], is_row & (u32(in_column + 3) < params.in_w));
      let value_4 = select(0.0, image[at + 4u * params.in_c], is_row & (u32(in_column + 4) < params.in_w));
      let value_5 = select(0.0, image[at + 5u * params.in_c], is_row & (u32(in_column + 5) < params.in_w));
      let value_6 = select(0.0, image[at + 6u * params.in_c], is_row & (u32(in_column + 6) < params.in_w));
      let value_7 = select(0.0, image[at + 7u * params.in_c], is_row & (u32(in_column + 7) < params.in_w));
      {
        let dy = select(
          vec3<f32>(),
          vec3<f32>(cotangent[to + 0u * params.out_c + 0u * 1u], cotangent[to + 0u * params.out_c + 1u * 1u], cotangent[to + 0u * params.out_c + 2u * 1u]),
          column + 0u < params.out_w,
        );
        sum_0 += value_0 * dy;
        sum_1 += value_1 * dy;
      }
      {
        let dy = select(
          vec3<f32>(),
          vec3<f32>(cotangent[to + 1u * params.out_c + 0u * 1u], cotangent[to + 1u * params.out_c + 1u * 1u], cotangent[to + 1u * params.out_c + 2u * 1u]),
          column + 1u < params.out_w,
        );
        sum_0 += value_2 * dy;
        sum_1 += value_3 * dy;
      }
      {
        let dy = select(
          vec3<f32>(),
          vec3<f32>(cotangent[to + 2u * params.out_c + 0u * 1u], cotangent[to + 2u * params.out_c + 1u * 1u], cotangent[to + 2u * params.out_c + 2u * 1u]),
          column + 2u < params.out_w,
        );
        sum_0 += value_4 * dy;
        sum_1 += value_5 * dy;
      }
      {
        let dy = select(
          vec3<f32>(),
          vec3<f32>(cotangent[to + 3u * params.out_c + 0u * 1u], cotangent[to + 3u * params.out_c + 1u * 1u], cotangent[to + 3u * params.out_c + 2u * 1u]),
          column + 3u < params.out_w,
        );
        sum_0 += value_6 * dy;
        sum_1 += value_7 * dy;
      }
    }
    out_row++;
  }
  let first = ((part * params.kernel_h + tap_row) * 2u * params.group_in + channel) * params.out_c + filter_;
  sums[first + 0u * params.group_in * params.out_c + 0u] = sum_0.x;
  sums[first + 0u * params.group_in * params.out_c + 1u] = sum_0.y;
  sums[first + 0u * params.group_in * params.out_c + 2u] = sum_0.z;
  sums[first + 1u * params.group_in * params.out_c + 0u] = sum_1.x;
  sums[first + 1u * params.group_in * params.out_c + 1u] = sum_1.y;
  sums[first + 1u * params.group_in * params.out_c + 2u] = sum_1.z;
}
