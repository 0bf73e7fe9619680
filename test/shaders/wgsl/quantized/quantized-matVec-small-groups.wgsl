enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> zeros: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
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
@group(0) @binding(5) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn scale_of(channel: u32, group_index: u32) -> f32 {
  return scales[channel * params.groups + group_index];
}

fn zero_of(channel: u32, group_index: u32) -> f32 {
  let word = bitcast<i32>(zeros[channel * params.zero_words + group_index / 4u]);
  return f32((word << (24u - 8u * (group_index % 4u))) >> 24u);
}

fn add_sums(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  return a + b;
}

// Zeros beyond the end of a row, where lines are padded.
fn x_at(at: u32, i: u32) -> vec4<f32> {
  return select(vec4<f32>(), x[min(at, params.last)], i < params.length);
}

var<workgroup> lanes_row_0: array<vec4<f32>, 16>;

fn fold_row_0(value: vec4<f32>, local: u32, lane: u32, size: u32) -> vec4<f32> {
  var folded = value;
  folded = add_sums(folded, subgroupShuffleXor(folded, 1u));
  folded = add_sums(folded, subgroupShuffleXor(folded, 2u));
  if (size > 4u) {
    folded = add_sums(folded, subgroupShuffleXor(folded, 4u));
  }
  if (size > 8u) {
    folded = add_sums(folded, subgroupShuffleXor(folded, 8u));
  }
  if (size > 16u) {
    folded = add_sums(folded, subgroupShuffleXor(folded, 16u));
  }
  if (size > 32u) {
    folded = add_sums(folded, subgroupShuffleXor(folded, 32u));
  }
  if (size < 64u) {
    if (local % size == 0u) {
      lanes_row_0[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_row_0[first];
    for (var part = 1u; part < 64u / size; part++) {
      folded = add_sums(folded, lanes_row_0[first + part]);
    }
  }
  return folded;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_size) subgroup_size: u32,
) {
  let lane = local;
  let line = flat_group(group, groups);
  let channel = line * 4u;
  let channel_0 = min(channel + 0u, params.channels - 1u);
  let channel_1 = min(channel + 1u, params.channels - 1u);
  let channel_2 = min(channel + 2u, params.channels - 1u);
  let channel_3 = min(channel + 3u, params.channels - 1u);
  let row_0 = min(0u, params.rows - 1u) * params.length;
  var sums_0 = vec4<f32>();
  for (var chunk = lane; chunk < params.chunks; chunk += 64u) {
    let q_0 = packed[channel_0 * params.chunks + chunk];
    let q_1 = packed[channel_1 * params.chunks + chunk];
    let q_2 = packed[channel_2 * params.chunks + chunk];
    let q_3 = packed[channel_3 * params.chunks + chunk];
    let i = chunk * 32u;

    let scale_0_0 = scale_of(channel_0, (i + 0u) / params.group_size);
    let zero_0_0 = zero_of(channel_0, (i + 0u) / params.group_size);
    let scale_1_0 = scale_of(channel_1, (i + 0u) / params.group_size);
    let zero_1_0 = zero_of(channel_1, (i + 0u) / params.group_size);
    let scale_2_0 = scale_of(channel_2, (i + 0u) / params.group_size);
    let zero_2_0 = zero_of(channel_2, (i + 0u) / params.group_size);
    let scale_3_0 = scale_of(channel_3, (i + 0u) / params.group_size);
    let zero_3_0 = zero_of(channel_3, (i + 0u) / params.group_size);
    let w_0_0 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_0_0) * scale_0_0;
    let w_1_0 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_1_0) * scale_1_0;
    let w_2_0 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_2_0) * scale_2_0;
    let w_3_0 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_3_0) * scale_3_0;
    let x_0_0 = x_at((row_0 + i) / 4u + 0u, i + 0u);
    sums_0.x = fma(w_0_0.x, x_0_0.x, fma(w_0_0.y, x_0_0.y, fma(w_0_0.z, x_0_0.z, fma(w_0_0.w, x_0_0.w, sums_0.x))));
    sums_0.y = fma(w_1_0.x, x_0_0.x, fma(w_1_0.y, x_0_0.y, fma(w_1_0.z, x_0_0.z, fma(w_1_0.w, x_0_0.w, sums_0.y))));
    sums_0.z = fma(w_2_0.x, x_0_0.x, fma(w_2_0.y, x_0_0.y, fma(w_2_0.z, x_0_0.z, fma(w_2_0.w, x_0_0.w, sums_0.z))));
    sums_0.w = fma(w_3_0.x, x_0_0.x, fma(w_3_0.y, x_0_0.y, fma(w_3_0.z, x_0_0.z, fma(w_3_0.w, x_0_0.w, sums_0.w))));
    let scale_0_1 = scale_of(channel_0, (i + 4u) / params.group_size);
    let zero_0_1 = zero_of(channel_0, (i + 4u) / params.group_size);
    let scale_1_1 = scale_of(channel_1, (i + 4u) / params.group_size);
    let zero_1_1 = zero_of(channel_1, (i + 4u) / params.group_size);
    let scale_2_1 = scale_of(channel_2, (i + 4u) / params.group_size);
    let zero_2_1 = zero_of(channel_2, (i + 4u) / params.group_size);
    let scale_3_1 = scale_of(channel_3, (i + 4u) / params.group_size);
    let zero_3_1 = zero_of(channel_3, (i + 4u) / params.group_size);
    let w_0_1 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_0_1) * scale_0_1;
    let w_1_1 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_1_1) * scale_1_1;
    let w_2_1 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_2_1) * scale_2_1;
    let w_3_1 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_3_1) * scale_3_1;
    let x_0_1 = x_at((row_0 + i) / 4u + 1u, i + 4u);
    sums_0.x = fma(w_0_1.x, x_0_1.x, fma(w_0_1.y, x_0_1.y, fma(w_0_1.z, x_0_1.z, fma(w_0_1.w, x_0_1.w, sums_0.x))));
    sums_0.y = fma(w_1_1.x, x_0_1.x, fma(w_1_1.y, x_0_1.y, fma(w_1_1.z, x_0_1.z, fma(w_1_1.w, x_0_1.w, sums_0.y))));
    sums_0.z = fma(w_2_1.x, x_0_1.x, fma(w_2_1.y, x_0_1.y, fma(w_2_1.z, x_0_1.z, fma(w_2_1.w, x_0_1.w, sums_0.z))));
    sums_0.w = fma(w_3_1.x, x_0_1.x, fma(w_3_1.y, x_0_1.y, fma(w_3_1.z, x_0_1.z, fma(w_3_1.w, x_0_1.w, sums_0.w))));
    let scale_0_2 = scale_of(channel_0, (i + 8u) / params.group_size);
    let zero_0_2 = zero_of(channel_0, (i + 8u) / params.group_size);
    let scale_1_2 = scale_of(channel_1, (i + 8u) / params.group_size);
    let zero_1_2 = zero_of(channel_1, (i + 8u) / params.group_size);
    let scale_2_2 = scale_of(channel_2, (i + 8u) / params.group_size);
    let zero_2_2 = zero_of(channel_2, (i + 8u) / params.group_size);
    let scale_3_2 = scale_of(channel_3, (i + 8u) / params.group_size);
    let zero_3_2 = zero_of(channel_3, (i + 8u) / params.group_size);
    let w_0_2 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_0_2) * scale_0_2;
    let w_1_2 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_1_2) * scale_1_2;
    let w_2_2 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_2_2) * scale_2_2;
    let w_3_2 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_3_2) * scale_3_2;
    let x_0_2 = x_at((row_0 + i) / 4u + 2u, i + 8u);
    sums_0.x = fma(w_0_2.x, x_0_2.x, fma(w_0_2.y, x_0_2.y, fma(w_0_2.z, x_0_2.z, fma(w_0_2.w, x_0_2.w, sums_0.x))));
    sums_0.y = fma(w_1_2.x, x_0_2.x, fma(w_1_2.y, x_0_2.y, fma(w_1_2.z, x_0_2.z, fma(w_1_2.w, x_0_2.w, sums_0.y))));
    sums_0.z = fma(w_2_2.x, x_0_2.x, fma(w_2_2.y, x_0_2.y, fma(w_2_2.z, x_0_2.z, fma(w_2_2.w, x_0_2.w, sums_0.z))));
    sums_0.w = fma(w_3_2.x, x_0_2.x, fma(w_3_2.y, x_0_2.y, fma(w_3_2.z, x_0_2.z, fma(w_3_2.w, x_0_2.w, sums_0.w))));
    let scale_0_3 = scale_of(channel_0, (i + 12u) / params.group_size);
    let zero_0_3 = zero_of(channel_0, (i + 12u) / params.group_size);
    let scale_1_3 = scale_of(channel_1, (i + 12u) / params.group_size);
    let zero_1_3 = zero_of(channel_1, (i + 12u) / params.group_size);
    let scale_2_3 = scale_of(channel_2, (i + 12u) / params.group_size);
    let zero_2_3 = zero_of(channel_2, (i + 12u) / params.group_size);
    let scale_3_3 = scale_of(channel_3, (i + 12u) / params.group_size);
    let zero_3_3 = zero_of(channel_3, (i + 12u) / params.group_size);
    let w_0_3 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_0_3) * scale_0_3;
    let w_1_3 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_1_3) * scale_1_3;
    let w_2_3 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_2_3) * scale_2_3;
    let w_3_3 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_3_3) * scale_3_3;
    let x_0_3 = x_at((row_0 + i) / 4u + 3u, i + 12u);
    sums_0.x = fma(w_0_3.x, x_0_3.x, fma(w_0_3.y, x_0_3.y, fma(w_0_3.z, x_0_3.z, fma(w_0_3.w, x_0_3.w, sums_0.x))));
    sums_0.y = fma(w_1_3.x, x_0_3.x, fma(w_1_3.y, x_0_3.y, fma(w_1_3.z, x_0_3.z, fma(w_1_3.w, x_0_3.w, sums_0.y))));
    sums_0.z = fma(w_2_3.x, x_0_3.x, fma(w_2_3.y, x_0_3.y, fma(w_2_3.z, x_0_3.z, fma(w_2_3.w, x_0_3.w, sums_0.z))));
    sums_0.w = fma(w_3_3.x, x_0_3.x, fma(w_3_3.y, x_0_3.y, fma(w_3_3.z, x_0_3.z, fma(w_3_3.w, x_0_3.w, sums_0.w))));
    let scale_0_4 = scale_of(channel_0, (i + 16u) / params.group_size);
    let zero_0_4 = zero_of(channel_0, (i + 16u) / params.group_size);
    let scale_1_4 = scale_of(channel_1, (i + 16u) / params.group_size);
    let zero_1_4 = zero_of(channel_1, (i + 16u) / params.group_size);
    let scale_2_4 = scale_of(channel_2, (i + 16u) / params.group_size);
    let zero_2_4 = zero_of(channel_2, (i + 16u) / params.group_size);
    let scale_3_4 = scale_of(channel_3, (i + 16u) / params.group_size);
    let zero_3_4 = zero_of(channel_3, (i + 16u) / params.group_size);
    let w_0_4 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_0_4) * scale_0_4;
    let w_1_4 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_1_4) * scale_1_4;
    let w_2_4 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_2_4) * scale_2_4;
    let w_3_4 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_3_4) * scale_3_4;
    let x_0_4 = x_at((row_0 + i) / 4u + 4u, i + 16u);
    sums_0.x = fma(w_0_4.x, x_0_4.x, fma(w_0_4.y, x_0_4.y, fma(w_0_4.z, x_0_4.z, fma(w_0_4.w, x_0_4.w, sums_0.x))));
    sums_0.y = fma(w_1_4.x, x_0_4.x, fma(w_1_4.y, x_0_4.y, fma(w_1_4.z, x_0_4.z, fma(w_1_4.w, x_0_4.w, sums_0.y))));
    sums_0.z = fma(w_2_4.x, x_0_4.x, fma(w_2_4.y, x_0_4.y, fma(w_2_4.z, x_0_4.z, fma(w_2_4.w, x_0_4.w, sums_0.z))));
    sums_0.w = fma(w_3_4.x, x_0_4.x, fma(w_3_4.y, x_0_4.y, fma(w_3_4.z, x_0_4.z, fma(w_3_4.w, x_0_4.w, sums_0.w))));
    let scale_0_5 = scale_of(channel_0, (i + 20u) / params.group_size);
    let zero_0_5 = zero_of(channel_0, (i + 20u) / params.group_size);
    let scale_1_5 = scale_of(channel_1, (i + 20u) / params.group_size);
    let zero_1_5 = zero_of(channel_1, (i + 20u) / params.group_size);
    let scale_2_5 = scale_of(channel_2, (i + 20u) / params.group_size);
    let zero_2_5 = zero_of(channel_2, (i + 20u) / params.group_size);
    let scale_3_5 = scale_of(channel_3, (i + 20u) / params.group_size);
    let zero_3_5 = zero_of(channel_3, (i + 20u) / params.group_size);
    let w_0_5 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_0_5) * scale_0_5;
    let w_1_5 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_1_5) * scale_1_5;
    let w_2_5 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_2_5) * scale_2_5;
    let w_3_5 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_3_5) * scale_3_5;
    let x_0_5 = x_at((row_0 + i) / 4u + 5u, i + 20u);
    sums_0.x = fma(w_0_5.x, x_0_5.x, fma(w_0_5.y, x_0_5.y, fma(w_0_5.z, x_0_5.z, fma(w_0_5.w, x_0_5.w, sums_0.x))));
    sums_0.y = fma(w_1_5.x, x_0_5.x, fma(w_1_5.y, x_0_5.y, fma(w_1_5.z, x_0_5.z, fma(w_1_5.w, x_0_5.w, sums_0.y))));
    sums_0.z = fma(w_2_5.x, x_0_5.x, fma(w_2_5.y, x_0_5.y, fma(w_2_5.z, x_0_5.z, fma(w_2_5.w, x_0_5.w, sums_0.z))));
    sums_0.w = fma(w_3_5.x, x_0_5.x, fma(w_3_5.y, x_0_5.y, fma(w_3_5.z, x_0_5.z, fma(w_3_5.w, x_0_5.w, sums_0.w))));
    let scale_0_6 = scale_of(channel_0, (i + 24u) / params.group_size);
    let zero_0_6 = zero_of(channel_0, (i + 24u) / params.group_size);
    let scale_1_6 = scale_of(channel_1, (i + 24u) / params.group_size);
    let zero_1_6 = zero_of(channel_1, (i + 24u) / params.group_size);
    let scale_2_6 = scale_of(channel_2, (i + 24u) / params.group_size);
    let zero_2_6 = zero_of(channel_2, (i + 24u) / params.group_size);
    let scale_3_6 = scale_of(channel_3, (i + 24u) / params.group_size);
    let zero_3_6 = zero_of(channel_3, (i + 24u) / params.group_size);
    let w_0_6 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_0_6) * scale_0_6;
    let w_1_6 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_1_6) * scale_1_6;
    let w_2_6 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_2_6) * scale_2_6;
    let w_3_6 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_3_6) * scale_3_6;
    let x_0_6 = x_at((row_0 + i) / 4u + 6u, i + 24u);
    sums_0.x = fma(w_0_6.x, x_0_6.x, fma(w_0_6.y, x_0_6.y, fma(w_0_6.z, x_0_6.z, fma(w_0_6.w, x_0_6.w, sums_0.x))));
    sums_0.y = fma(w_1_6.x, x_0_6.x, fma(w_1_6.y, x_0_6.y, fma(w_1_6.z, x_0_6.z, fma(w_1_6.w, x_0_6.w, sums_0.y))));
    sums_0.z = fma(w_2_6.x, x_0_6.x, fma(w_2_6.y, x_0_6.y, fma(w_2_6.z, x_0_6.z, fma(w_2_6.w, x_0_6.w, sums_0.z))));
    sums_0.w = fma(w_3_6.x, x_0_6.x, fma(w_3_6.y, x_0_6.y, fma(w_3_6.z, x_0_6.z, fma(w_3_6.w, x_0_6.w, sums_0.w))));
    let scale_0_7 = scale_of(channel_0, (i + 28u) / params.group_size);
    let zero_0_7 = zero_of(channel_0, (i + 28u) / params.group_size);
    let scale_1_7 = scale_of(channel_1, (i + 28u) / params.group_size);
    let zero_1_7 = zero_of(channel_1, (i + 28u) / params.group_size);
    let scale_2_7 = scale_of(channel_2, (i + 28u) / params.group_size);
    let zero_2_7 = zero_of(channel_2, (i + 28u) / params.group_size);
    let scale_3_7 = scale_of(channel_3, (i + 28u) / params.group_size);
    let zero_3_7 = zero_of(channel_3, (i + 28u) / params.group_size);
    let w_0_7 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_0_7) * scale_0_7;
    let w_1_7 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_1.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_1_7) * scale_1_7;
    let w_2_7 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_2.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_2_7) * scale_2_7;
    let w_3_7 = (vec4<f32>((vec4<i32>(bitcast<i32>(q_3.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_3_7) * scale_3_7;
    let x_0_7 = x_at((row_0 + i) / 4u + 7u, i + 28u);
    sums_0.x = fma(w_0_7.x, x_0_7.x, fma(w_0_7.y, x_0_7.y, fma(w_0_7.z, x_0_7.z, fma(w_0_7.w, x_0_7.w, sums_0.x))));
    sums_0.y = fma(w_1_7.x, x_0_7.x, fma(w_1_7.y, x_0_7.y, fma(w_1_7.z, x_0_7.z, fma(w_1_7.w, x_0_7.w, sums_0.y))));
    sums_0.z = fma(w_2_7.x, x_0_7.x, fma(w_2_7.y, x_0_7.y, fma(w_2_7.z, x_0_7.z, fma(w_2_7.w, x_0_7.w, sums_0.z))));
    sums_0.w = fma(w_3_7.x, x_0_7.x, fma(w_3_7.y, x_0_7.y, fma(w_3_7.z, x_0_7.z, fma(w_3_7.w, x_0_7.w, sums_0.w))));
  }
  let total_0 = fold_row_0(sums_0, local, lane, subgroup_size);
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
