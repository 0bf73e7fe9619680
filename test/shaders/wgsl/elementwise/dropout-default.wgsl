@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  seed_low: u32,
  seed_high: u32,
  threshold: u32,
  scale: f32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let carry = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (carry >> 16u);
}

fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var c = counter;
  var key = seed;
  for (var round = 0u; round < 10u; round++) {
    let first = 0xd2511f53u * c.x;
    let second = 0xcd9e8d57u * c.z;
    c = vec4<u32>(
      multiply_high(0xcd9e8d57u, c.z) ^ c.y ^ key.x,
      second,
      multiply_high(0xd2511f53u, c.x) ^ c.w ^ key.y,
      first,
    );
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return c;
}
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  if (i >= params.count) {
    return;
  }
  // The last word distinguishes these numbers from those of random tensors with the same seed.
  let counter = vec4<u32>(i, 0u, 0u, 1u);
  let words = philox(counter, vec2<u32>(params.seed_low, params.seed_high));
  out[i] = select(vec4<f32>(), x[i] * params.scale, words >= vec4<u32>(params.threshold));
}
