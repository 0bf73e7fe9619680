@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<atomic<i32>>;
struct Params {
  count: u32,
  inner: u32,
  segments: u32,
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
  let row = i / params.inner;
  let segment = keys[row];
  if (segment >= params.segments) {
    return;
  }
  let bits = bitcast<i32>(x[i]);
  // The larger the magnitude of a negative number, the larger its bits. NaN is beyond all others.
  let ordered = select(bits ^ 0x7fffffff, bits, bits >= 0);
  let value = select(ordered, 0x7fffffff, (bits & 0x7fffffff) > 0x7f800000);
  atomicMax(&out[segment * params.inner + i - row * params.inner], value);
}
