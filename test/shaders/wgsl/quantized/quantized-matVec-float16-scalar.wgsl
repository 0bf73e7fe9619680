@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  channels: u32,
  length: u32,
  chunks: u32,
  group_size: u32,
  groups: u32,
  zero_words: u32,
  rows: u32,
  last: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn add_sums(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  return a + b;
}

// Zeros beyond the end of a row, where lines are padded.
fn x_at(at: u32, i: u32) -> vec4<f32> {
  let value = vec4<f32>(x[min(at, params.last)], x[min(at + 1u, params.last)], x[min(at + 2u, params.last)], x[min(at + 3u, params.last)]);
  return select(vec4<f32>(), value, vec4<u32>(i, i + 1u, i + 2u, i + 3u) < vec4<u32>(params.length));
}

var<workgroup> lanes_row_0: array<vec4<f32>, 64>;

fn fold_row_0(value: vec4<f32>, local: u32, lane: u32) -> vec4<f32> {
  lanes_row_0[local] = value;
  workgroupBarrier();
  if (lane < 2u) {
    lanes_row_0[local] = add_sums(lanes_row_0[local], lanes_row_0[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_row_0[local] = add_sums(lanes_row_0[local], lanes_row_0[local + 1u]);
  }
  workgroupBarrier();
  return lanes_row_0[local - lane * 1u];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 4u;
  let line_in_group = local / 4u;
  let line = flat_group(group, groups) * 16u + line_in_group;
  let channel = line * 4u;
  let channel_0 = min(channel + 0u, params.channels - 1u);
  let channel_1 = min(channel + 1u, params.channels - 1u);
  let channel_2 = min(channel + 2u, params.channels - 1u);
  let channel_3 = min(channel + 3u, params.channels - 1u);
  let row_0 = min(0u, params.rows - 1u) * params.length;
  var sums_0 = vec4<f32>();
  for (var chunk = lane; chunk < params.chunks; chunk += 4u) {
    let q_0 = packed[channel_0 * params.chunks + chunk];
    let q_1 = packed[channel_1 * params.chunks + chunk];
    let q_2 = packed[channel_2 * params.chunks + chunk];
    let q_3 = packed[channel_3 * params.chunks + chunk];
    let i = chunk * 8u;

    let w_0_0 = vec4<f32>(unpack2x16float(q_0.x), unpack2x16float(q_0.y));
    let w_1_0 = vec4<f32>(unpack2x16float(q_1.x), unpack2x16float(q_1.y));
    let w_2_0 = vec4<f32>(unpack2x16float(q_2.x), unpack2x16float(q_2.y));
    let w_3_0 = vec4<f32>(unpack2x16float(q_3.x), unpack2x16float(q_3.y));
    let x_0_0 = x_at(row_0 + i + 0u, i + 0u);
    sums_0.x = fma(w_0_0.x, x_0_0.x, fma(w_0_0.y, x_0_0.y, fma(w_0_0.z, x_0_0.z, fma(w_0_0.w, x_0_0.w, sums_0.x))));
    sums_0.y = fma(w_1_0.x, x_0_0.x, fma(w_1_0.y, x_0_0.y, fma(w_1_0.z, x_0_0.z, fma(w_1_0.w, x_0_0.w, sums_0.y))));
    sums_0.z = fma(w_2_0.x, x_0_0.x, fma(w_2_0.y, x_0_0.y, fma(w_2_0.z, x_0_0.z, fma(w_2_0.w, x_0_0.w, sums_0.z))));
    sums_0.w = fma(w_3_0.x, x_0_0.x, fma(w_3_0.y, x_0_0.y, fma(w_3_0.z, x_0_0.z, fma(w_3_0.w, x_0_0.w, sums_0.w))));

    let w_0_1 = vec4<f32>(unpack2x16float(q_0.z), unpack2x16float(q_0.w));
    let w_1_1 = vec4<f32>(unpack2x16float(q_1.z), unpack2x16float(q_1.w));
    let w_2_1 = vec4<f32>(unpack2x16float(q_2.z), unpack2x16float(q_2.w));
    let w_3_1 = vec4<f32>(unpack2x16float(q_3.z), unpack2x16float(q_3.w));
    let x_0_1 = x_at(row_0 + i + 4u, i + 4u);
    sums_0.x = fma(w_0_1.x, x_0_1.x, fma(w_0_1.y, x_0_1.y, fma(w_0_1.z, x_0_1.z, fma(w_0_1.w, x_0_1.w, sums_0.x))));
    sums_0.y = fma(w_1_1.x, x_0_1.x, fma(w_1_1.y, x_0_1.y, fma(w_1_1.z, x_0_1.z, fma(w_1_1.w, x_0_1.w, sums_0.y))));
    sums_0.z = fma(w_2_1.x, x_0_1.x, fma(w_2_1.y, x_0_1.y, fma(w_2_1.z, x_0_1.z, fma(w_2_1.w, x_0_1.w, sums_0.z))));
    sums_0.w = fma(w_3_1.x, x_0_1.x, fma(w_3_1.y, x_0_1.y, fma(w_3_1.z, x_0_1.z, fma(w_3_1.w, x_0_1.w, sums_0.w))));
  }
  let total_0 = fold_row_0(sums_0, local, lane);
  if (lane == 0u) {
    if (channel + 0u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 0u] = total_0.x;
    }
    if (channel + 1u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 1u] = total_0.y;
    }
    if (channel + 2u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 2u] = total_0.z;
    }
    if (channel + 3u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 3u] = total_0.w;
    }
  }
}
