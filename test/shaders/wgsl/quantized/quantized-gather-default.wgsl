@group(0) @binding(0) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read> zeros: array<u32>;
@group(0) @binding(3) var<storage, read> indices: array<i32>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  channels: u32,
  length: u32,
  chunks: u32,
  group_size: u32,
  groups: u32,
  zero_words: u32,
  count: u32,
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

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, 64u);
  if (unit >= params.count) {
    return;
  }
  let line = unit / params.chunks;
  let chunk = unit % params.chunks;
  let index = bitcast<u32>(indices[line]);
  let channel = min(index, params.channels - 1u);
  let i = chunk * 32u;
  let q = packed[channel * params.chunks + chunk];
  if (i + 0u < params.length) {
    out[(line * params.length + i + 0u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 0u) / params.group_size)) * scale_of(channel, (i + 0u) / params.group_size), index < params.channels);
  }
  if (i + 4u < params.length) {
    out[(line * params.length + i + 4u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 4u) / params.group_size)) * scale_of(channel, (i + 4u) / params.group_size), index < params.channels);
  }
  if (i + 8u < params.length) {
    out[(line * params.length + i + 8u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 8u) / params.group_size)) * scale_of(channel, (i + 8u) / params.group_size), index < params.channels);
  }
  if (i + 12u < params.length) {
    out[(line * params.length + i + 12u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 12u) / params.group_size)) * scale_of(channel, (i + 12u) / params.group_size), index < params.channels);
  }
  if (i + 16u < params.length) {
    out[(line * params.length + i + 16u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 16u) / params.group_size)) * scale_of(channel, (i + 16u) / params.group_size), index < params.channels);
  }
  if (i + 20u < params.length) {
    out[(line * params.length + i + 20u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 20u) / params.group_size)) * scale_of(channel, (i + 20u) / params.group_size), index < params.channels);
  }
  if (i + 24u < params.length) {
    out[(line * params.length + i + 24u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 24u) / params.group_size)) * scale_of(channel, (i + 24u) / params.group_size), index < params.channels);
  }
  if (i + 28u < params.length) {
    out[(line * params.length + i + 28u) / 4u] = select(vec4<f32>(), (vec4<f32>((vec4<i32>(bitcast<i32>(q.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(channel, (i + 28u) / params.group_size)) * scale_of(channel, (i + 28u) / params.group_size), index < params.channels);
  }
}
