@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  inner: u32,
  neutral: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

// Tests bits, since compilers may assume that NaN does not occur.
fn is_nan(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}

fn takes_over(value: f32, best: f32) -> bool {
  return !is_nan(best) && (is_nan(value) || value > best);
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
  let segment = i / params.inner;
  let within = i % params.inner;
  let end = offsets[segment + 1u];
  var best = bitcast<f32>(params.neutral);
  for (var at = offsets[segment]; at < end; at++) {
    let value = x[order[at] * params.inner + within];
    best = select(best, value, takes_over(value, best));
  }
  out[i] = best;
}
