enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
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
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn scale_of(channel: u32, group_index: u32) -> f32 {
  return scales[channel * params.groups + group_index];
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

var<workgroup> lanes_row_1: array<vec4<f32>, 16>;

fn fold_row_1(value: vec4<f32>, local: u32, lane: u32, size: u32) -> vec4<f32> {
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
      lanes_row_1[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_row_1[first];
    for (var part = 1u; part < 64u / size; part++) {
      folded = add_sums(folded, lanes_row_1[first + part]);
    }
  }
  return folded;
}

var<workgroup> lanes_row_2: array<vec4<f32>, 16>;

fn fold_row_2(value: vec4<f32>, local: u32, lane: u32, size: u32) -> vec4<f32> {
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
      lanes_row_2[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_row_2[first];
    for (var part = 1u; part < 64u / size; part++) {
      folded = add_sums(folded, lanes_row_2[first + part]);
    }
  }
  return folded;
}

var<workgroup> lanes_row_3: array<vec4<f32>, 16>;

fn fold_row_3(value: vec4<f32>, local: u32, lane: u32, size: u32) -> vec4<f32> {
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
      lanes_row_3[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_row_3[first];
    for (var part = 1u; part < 64u / size; part++) {
      folded = add_sums(folded, lanes_row_3[first + part]);
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
  let row_1 = min(1u, params.rows - 1u) * params.length;
  var sums_1 = vec4<f32>();
  let row_2 = min(2u, params.rows - 1u) * params.length;
  var sums_2 = vec4<f32>();
  let row_3 = min(3u, params.rows - 1u) * params.length;
  var sums_3 = vec4<f32>();
  for (var chunk = lane; chunk < params.chunks; chunk += 64u) {
    let q_0 = packed[channel_0 * params.chunks + chunk];
    let q_1 = packed[channel_1 * params.chunks + chunk];
    let q_2 = packed[channel_2 * params.chunks + chunk];
    let q_3 = packed[channel_3 * params.chunks + chunk];
    let i = chunk * 16u;

    let w_0_0 = vec4<f32>((vec4<i32>(bitcast<i32>(q_0.x)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_1_0 = vec4<f32>((vec4<i32>(bitcast<i32>(q_1.x)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_2_0 = vec4<f32>((vec4<i32>(bitcast<i32>(q_2.x)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_3_0 = vec4<f32>((vec4<i32>(bitcast<i32>(q_3.x)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let x_0_0 = x_at((row_0 + i) / 4u + 0u, i + 0u);
    let x_1_0 = x_at((row_1 + i) / 4u + 0u, i + 0u);
    let x_2_0 = x_at((row_2 + i) / 4u + 0u, i + 0u);
    let x_3_0 = x_at((row_3 + i) / 4u + 0u, i + 0u);
    sums_0.x = fma(w_0_0.x, x_0_0.x, fma(w_0_0.y, x_0_0.y, fma(w_0_0.z, x_0_0.z, fma(w_0_0.w, x_0_0.w, sums_0.x))));
    sums_0.y = fma(w_1_0.x, x_0_0.x, fma(w_1_0.y, x_0_0.y, fma(w_1_0.z, x_0_0.z, fma(w_1_0.w, x_0_0.w, sums_0.y))));
    sums_0.z = fma(w_2_0.x, x_0_0.x, fma(w_2_0.y, x_0_0.y, fma(w_2_0.z, x_0_0.z, fma(w_2_0.w, x_0_0.w, sums_0.z))));
    sums_0.w = fma(w_3_0.x, x_0_0.x, fma(w_3_0.y, x_0_0.y, fma(w_3_0.z, x_0_0.z, fma(w_3_0.w, x_0_0.w, sums_0.w))));
    sums_1.x = fma(w_0_0.x, x_1_0.x, fma(w_0_0.y, x_1_0.y, fma(w_0_0.z, x_1_0.z, fma(w_0_0.w, x_1_0.w, sums_1.x))));
    sums_1.y = fma(w_1_0.x, x_1_0.x, fma(w_1_0.y, x_1_0.y, fma(w_1_0.z, x_1_0.z, fma(w_1_0.w, x_1_0.w, sums_1.y))));
    sums_1.z = fma(w_2_0.x, x_1_0.x, fma(w_2_0.y, x_1_0.y, fma(w_2_0.z, x_1_0.z, fma(w_2_0.w, x_1_0.w, sums_1.z))));
    sums_1.w = fma(w_3_0.x, x_1_0.x, fma(w_3_0.y, x_1_0.y, fma(w_3_0.z, x_1_0.z, fma(w_3_0.w, x_1_0.w, sums_1.w))));
    sums_2.x = fma(w_0_0.x, x_2_0.x, fma(w_0_0.y, x_2_0.y, fma(w_0_0.z, x_2_0.z, fma(w_0_0.w, x_2_0.w, sums_2.x))));
    sums_2.y = fma(w_1_0.x, x_2_0.x, fma(w_1_0.y, x_2_0.y, fma(w_1_0.z, x_2_0.z, fma(w_1_0.w, x_2_0.w, sums_2.y))));
    sums_2.z = fma(w_2_0.x, x_2_0.x, fma(w_2_0.y, x_2_0.y, fma(w_2_0.z, x_2_0.z, fma(w_2_0.w, x_2_0.w, sums_2.z))));
    sums_2.w = fma(w_3_0.x, x_2_0.x, fma(w_3_0.y, x_2_0.y, fma(w_3_0.z, x_2_0.z, fma(w_3_0.w, x_2_0.w, sums_2.w))));
    sums_3.x = fma(w_0_0.x, x_3_0.x, fma(w_0_0.y, x_3_0.y, fma(w_0_0.z, x_3_0.z, fma(w_0_0.w, x_3_0.w, sums_3.x))));
    sums_3.y = fma(w_1_0.x, x_3_0.x, fma(w_1_0.y, x_3_0.y, fma(w_1_0.z, x_3_0.z, fma(w_1_0.w, x_3_0.w, sums_3.y))));
    sums_3.z = fma(w_2_0.x, x_3_0.x, fma(w_2_0.y, x_3_0.y, fma(w_2_0.z, x_3_0.z, fma(w_2_0.w, x_3_0.w, sums_3.z))));
    sums_3.w = fma(w_3_0.x, x_3_0.x, fma(w_3_0.y, x_3_0.y, fma(w_3_0.z, x_3_0.z, fma(w_3_0.w, x_3_0.w, sums_3.w))));

    let w_0_1 = vec4<f32>((vec4<i32>(bitcast<i32>(q_0.y)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_1_1 = vec4<f32>((vec4<i32>(bitcast<i32>(q_1.y)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_2_1 = vec4<f32>((vec4<i32>(bitcast<i32>(q_2.y)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_3_1 = vec4<f32>((vec4<i32>(bitcast<i32>(q_3.y)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let x_0_1 = x_at((row_0 + i) / 4u + 1u, i + 4u);
    let x_1_1 = x_at((row_1 + i) / 4u + 1u, i + 4u);
    let x_2_1 = x_at((row_2 + i) / 4u + 1u, i + 4u);
    let x_3_1 = x_at((row_3 + i) / 4u + 1u, i + 4u);
    sums_0.x = fma(w_0_1.x, x_0_1.x, fma(w_0_1.y, x_0_1.y, fma(w_0_1.z, x_0_1.z, fma(w_0_1.w, x_0_1.w, sums_0.x))));
    sums_0.y = fma(w_1_1.x, x_0_1.x, fma(w_1_1.y, x_0_1.y, fma(w_1_1.z, x_0_1.z, fma(w_1_1.w, x_0_1.w, sums_0.y))));
    sums_0.z = fma(w_2_1.x, x_0_1.x, fma(w_2_1.y, x_0_1.y, fma(w_2_1.z, x_0_1.z, fma(w_2_1.w, x_0_1.w, sums_0.z))));
    sums_0.w = fma(w_3_1.x, x_0_1.x, fma(w_3_1.y, x_0_1.y, fma(w_3_1.z, x_0_1.z, fma(w_3_1.w, x_0_1.w, sums_0.w))));
    sums_1.x = fma(w_0_1.x, x_1_1.x, fma(w_0_1.y, x_1_1.y, fma(w_0_1.z, x_1_1.z, fma(w_0_1.w, x_1_1.w, sums_1.x))));
    sums_1.y = fma(w_1_1.x, x_1_1.x, fma(w_1_1.y, x_1_1.y, fma(w_1_1.z, x_1_1.z, fma(w_1_1.w, x_1_1.w, sums_1.y))));
    sums_1.z = fma(w_2_1.x, x_1_1.x, fma(w_2_1.y, x_1_1.y, fma(w_2_1.z, x_1_1.z, fma(w_2_1.w, x_1_1.w, sums_1.z))));
    sums_1.w = fma(w_3_1.x, x_1_1.x, fma(w_3_1.y, x_1_1.y, fma(w_3_1.z, x_1_1.z, fma(w_3_1.w, x_1_1.w, sums_1.w))));
    sums_2.x = fma(w_0_1.x, x_2_1.x, fma(w_0_1.y, x_2_1.y, fma(w_0_1.z, x_2_1.z, fma(w_0_1.w, x_2_1.w, sums_2.x))));
    sums_2.y = fma(w_1_1.x, x_2_1.x, fma(w_1_1.y, x_2_1.y, fma(w_1_1.z, x_2_1.z, fma(w_1_1.w, x_2_1.w, sums_2.y))));
    sums_2.z = fma(w_2_1.x, x_2_1.x, fma(w_2_1.y, x_2_1.y, fma(w_2_1.z, x_2_1.z, fma(w_2_1.w, x_2_1.w, sums_2.z))));
    sums_2.w = fma(w_3_1.x, x_2_1.x, fma(w_3_1.y, x_2_1.y, fma(w_3_1.z, x_2_1.z, fma(w_3_1.w, x_2_1.w, sums_2.w))));
    sums_3.x = fma(w_0_1.x, x_3_1.x, fma(w_0_1.y, x_3_1.y, fma(w_0_1.z, x_3_1.z, fma(w_0_1.w, x_3_1.w, sums_3.x))));
    sums_3.y = fma(w_1_1.x, x_3_1.x, fma(w_1_1.y, x_3_1.y, fma(w_1_1.z, x_3_1.z, fma(w_1_1.w, x_3_1.w, sums_3.y))));
    sums_3.z = fma(w_2_1.x, x_3_1.x, fma(w_2_1.y, x_3_1.y, fma(w_2_1.z, x_3_1.z, fma(w_2_1.w, x_3_1.w, sums_3.z))));
    sums_3.w = fma(w_3_1.x, x_3_1.x, fma(w_3_1.y, x_3_1.y, fma(w_3_1.z, x_3_1.z, fma(w_3_1.w, x_3_1.w, sums_3.w))));

    let w_0_2 = vec4<f32>((vec4<i32>(bitcast<i32>(q_0.z)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_1_2 = vec4<f32>((vec4<i32>(bitcast<i32>(q_1.z)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_2_2 = vec4<f32>((vec4<i32>(bitcast<i32>(q_2.z)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_3_2 = vec4<f32>((vec4<i32>(bitcast<i32>(q_3.z)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let x_0_2 = x_at((row_0 + i) / 4u + 2u, i + 8u);
    let x_1_2 = x_at((row_1 + i) / 4u + 2u, i + 8u);
    let x_2_2 = x_at((row_2 + i) / 4u + 2u, i + 8u);
    let x_3_2 = x_at((row_3 + i) / 4u + 2u, i + 8u);
    sums_0.x = fma(w_0_2.x, x_0_2.x, fma(w_0_2.y, x_0_2.y, fma(w_0_2.z, x_0_2.z, fma(w_0_2.w, x_0_2.w, sums_0.x))));
    sums_0.y = fma(w_1_2.x, x_0_2.x, fma(w_1_2.y, x_0_2.y, fma(w_1_2.z, x_0_2.z, fma(w_1_2.w, x_0_2.w, sums_0.y))));
    sums_0.z = fma(w_2_2.x, x_0_2.x, fma(w_2_2.y, x_0_2.y, fma(w_2_2.z, x_0_2.z, fma(w_2_2.w, x_0_2.w, sums_0.z))));
    sums_0.w = fma(w_3_2.x, x_0_2.x, fma(w_3_2.y, x_0_2.y, fma(w_3_2.z, x_0_2.z, fma(w_3_2.w, x_0_2.w, sums_0.w))));
    sums_1.x = fma(w_0_2.x, x_1_2.x, fma(w_0_2.y, x_1_2.y, fma(w_0_2.z, x_1_2.z, fma(w_0_2.w, x_1_2.w, sums_1.x))));
    sums_1.y = fma(w_1_2.x, x_1_2.x, fma(w_1_2.y, x_1_2.y, fma(w_1_2.z, x_1_2.z, fma(w_1_2.w, x_1_2.w, sums_1.y))));
    sums_1.z = fma(w_2_2.x, x_1_2.x, fma(w_2_2.y, x_1_2.y, fma(w_2_2.z, x_1_2.z, fma(w_2_2.w, x_1_2.w, sums_1.z))));
    sums_1.w = fma(w_3_2.x, x_1_2.x, fma(w_3_2.y, x_1_2.y, fma(w_3_2.z, x_1_2.z, fma(w_3_2.w, x_1_2.w, sums_1.w))));
    sums_2.x = fma(w_0_2.x, x_2_2.x, fma(w_0_2.y, x_2_2.y, fma(w_0_2.z, x_2_2.z, fma(w_0_2.w, x_2_2.w, sums_2.x))));
    sums_2.y = fma(w_1_2.x, x_2_2.x, fma(w_1_2.y, x_2_2.y, fma(w_1_2.z, x_2_2.z, fma(w_1_2.w, x_2_2.w, sums_2.y))));
    sums_2.z = fma(w_2_2.x, x_2_2.x, fma(w_2_2.y, x_2_2.y, fma(w_2_2.z, x_2_2.z, fma(w_2_2.w, x_2_2.w, sums_2.z))));
    sums_2.w = fma(w_3_2.x, x_2_2.x, fma(w_3_2.y, x_2_2.y, fma(w_3_2.z, x_2_2.z, fma(w_3_2.w, x_2_2.w, sums_2.w))));
    sums_3.x = fma(w_0_2.x, x_3_2.x, fma(w_0_2.y, x_3_2.y, fma(w_0_2.z, x_3_2.z, fma(w_0_2.w, x_3_2.w, sums_3.x))));
    sums_3.y = fma(w_1_2.x, x_3_2.x, fma(w_1_2.y, x_3_2.y, fma(w_1_2.z, x_3_2.z, fma(w_1_2.w, x_3_2.w, sums_3.y))));
    sums_3.z = fma(w_2_2.x, x_3_2.x, fma(w_2_2.y, x_3_2.y, fma(w_2_2.z, x_3_2.z, fma(w_2_2.w, x_3_2.w, sums_3.z))));
    sums_3.w = fma(w_3_2.x, x_3_2.x, fma(w_3_2.y, x_3_2.y, fma(w_3_2.z, x_3_2.z, fma(w_3_2.w, x_3_2.w, sums_3.w))));

    let w_0_3 = vec4<f32>((vec4<i32>(bitcast<i32>(q_0.w)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_1_3 = vec4<f32>((vec4<i32>(bitcast<i32>(q_1.w)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_2_3 = vec4<f32>((vec4<i32>(bitcast<i32>(q_2.w)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let w_3_3 = vec4<f32>((vec4<i32>(bitcast<i32>(q_3.w)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u));
    let x_0_3 = x_at((row_0 + i) / 4u + 3u, i + 12u);
    let x_1_3 = x_at((row_1 + i) / 4u + 3u, i + 12u);
    let x_2_3 = x_at((row_2 + i) / 4u + 3u, i + 12u);
    let x_3_3 = x_at((row_3 + i) / 4u + 3u, i + 12u);
    sums_0.x = fma(w_0_3.x, x_0_3.x, fma(w_0_3.y, x_0_3.y, fma(w_0_3.z, x_0_3.z, fma(w_0_3.w, x_0_3.w, sums_0.x))));
    sums_0.y = fma(w_1_3.x, x_0_3.x, fma(w_1_3.y, x_0_3.y, fma(w_1_3.z, x_0_3.z, fma(w_1_3.w, x_0_3.w, sums_0.y))));
    sums_0.z = fma(w_2_3.x, x_0_3.x, fma(w_2_3.y, x_0_3.y, fma(w_2_3.z, x_0_3.z, fma(w_2_3.w, x_0_3.w, sums_0.z))));
    sums_0.w = fma(w_3_3.x, x_0_3.x, fma(w_3_3.y, x_0_3.y, fma(w_3_3.z, x_0_3.z, fma(w_3_3.w, x_0_3.w, sums_0.w))));
    sums_1.x = fma(w_0_3.x, x_1_3.x, fma(w_0_3.y, x_1_3.y, fma(w_0_3.z, x_1_3.z, fma(w_0_3.w, x_1_3.w, sums_1.x))));
    sums_1.y = fma(w_1_3.x, x_1_3.x, fma(w_1_3.y, x_1_3.y, fma(w_1_3.z, x_1_3.z, fma(w_1_3.w, x_1_3.w, sums_1.y))));
    sums_1.z = fma(w_2_3.x, x_1_3.x, fma(w_2_3.y, x_1_3.y, fma(w_2_3.z, x_1_3.z, fma(w_2_3.w, x_1_3.w, sums_1.z))));
    sums_1.w = fma(w_3_3.x, x_1_3.x, fma(w_3_3.y, x_1_3.y, fma(w_3_3.z, x_1_3.z, fma(w_3_3.w, x_1_3.w, sums_1.w))));
    sums_2.x = fma(w_0_3.x, x_2_3.x, fma(w_0_3.y, x_2_3.y, fma(w_0_3.z, x_2_3.z, fma(w_0_3.w, x_2_3.w, sums_2.x))));
    sums_2.y = fma(w_1_3.x, x_2_3.x, fma(w_1_3.y, x_2_3.y, fma(w_1_3.z, x_2_3.z, fma(w_1_3.w, x_2_3.w, sums_2.y))));
    sums_2.z = fma(w_2_3.x, x_2_3.x, fma(w_2_3.y, x_2_3.y, fma(w_2_3.z, x_2_3.z, fma(w_2_3.w, x_2_3.w, sums_2.z))));
    sums_2.w = fma(w_3_3.x, x_2_3.x, fma(w_3_3.y, x_2_3.y, fma(w_3_3.z, x_2_3.z, fma(w_3_3.w, x_2_3.w, sums_2.w))));
    sums_3.x = fma(w_0_3.x, x_3_3.x, fma(w_0_3.y, x_3_3.y, fma(w_0_3.z, x_3_3.z, fma(w_0_3.w, x_3_3.w, sums_3.x))));
    sums_3.y = fma(w_1_3.x, x_3_3.x, fma(w_1_3.y, x_3_3.y, fma(w_1_3.z, x_3_3.z, fma(w_1_3.w, x_3_3.w, sums_3.y))));
    sums_3.z = fma(w_2_3.x, x_3_3.x, fma(w_2_3.y, x_3_3.y, fma(w_2_3.z, x_3_3.z, fma(w_2_3.w, x_3_3.w, sums_3.z))));
    sums_3.w = fma(w_3_3.x, x_3_3.x, fma(w_3_3.y, x_3_3.y, fma(w_3_3.z, x_3_3.z, fma(w_3_3.w, x_3_3.w, sums_3.w))));
  }
  let total_0 = fold_row_0(sums_0, local, lane, subgroup_size);
  let total_1 = fold_row_1(sums_1, local, lane, subgroup_size);
  let total_2 = fold_row_2(sums_2, local, lane, subgroup_size);
  let total_3 = fold_row_3(sums_3, local, lane, subgroup_size);
  if (lane == 0u) {
    if (channel + 0u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 0u] = total_0.x / scale_of(channel_0, 0u);
    }
    if (channel + 1u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 1u] = total_0.y / scale_of(channel_1, 0u);
    }
    if (channel + 2u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 2u] = total_0.z / scale_of(channel_2, 0u);
    }
    if (channel + 3u < params.channels && 0u < params.rows) {
      out[0u * params.channels + channel + 3u] = total_0.w / scale_of(channel_3, 0u);
    }
    if (channel + 0u < params.channels && 1u < params.rows) {
      out[1u * params.channels + channel + 0u] = total_1.x / scale_of(channel_0, 0u);
    }
    if (channel + 1u < params.channels && 1u < params.rows) {
      out[1u * params.channels + channel + 1u] = total_1.y / scale_of(channel_1, 0u);
    }
    if (channel + 2u < params.channels && 1u < params.rows) {
      out[1u * params.channels + channel + 2u] = total_1.z / scale_of(channel_2, 0u);
    }
    if (channel + 3u < params.channels && 1u < params.rows) {
      out[1u * params.channels + channel + 3u] = total_1.w / scale_of(channel_3, 0u);
    }
    if (channel + 0u < params.channels && 2u < params.rows) {
      out[2u * params.channels + channel + 0u] = total_2.x / scale_of(channel_0, 0u);
    }
    if (channel + 1u < params.channels && 2u < params.rows) {
      out[2u * params.channels + channel + 1u] = total_2.y / scale_of(channel_1, 0u);
    }
    if (channel + 2u < params.channels && 2u < params.rows) {
      out[2u * params.channels + channel + 2u] = total_2.z / scale_of(channel_2, 0u);
    }
    if (channel + 3u < params.channels && 2u < params.rows) {
      out[2u * params.channels + channel + 3u] = total_2.w / scale_of(channel_3, 0u);
    }
    if (channel + 0u < params.channels && 3u < params.rows) {
      out[3u * params.channels + channel + 0u] = total_3.x / scale_of(channel_0, 0u);
    }
    if (channel + 1u < params.channels && 3u < params.rows) {
      out[3u * params.channels + channel + 1u] = total_3.y / scale_of(channel_1, 0u);
    }
    if (channel + 2u < params.channels && 3u < params.rows) {
      out[3u * params.channels + channel + 2u] = total_3.z / scale_of(channel_2, 0u);
    }
    if (channel + 3u < params.channels && 3u < params.rows) {
      out[3u * params.channels + channel + 3u] = total_3.w / scale_of(channel_3, 0u);
    }
  }
}
