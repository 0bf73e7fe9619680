@group(0) @binding(0) var<storage, read> sorted: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
struct Params {
  count: u32,
  n: u32,
  stride: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn ordered_bits(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, x == 0.0);
  let key = select(bits | 0x80000000u, ~bits, bitcast<i32>(bits) < 0);
  return select(key, 0xffffffffu, is_nan(x));
}
fn key_of(value: f32) -> u32 {
  return ordered_bits(value);
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
  let start = 0u;
  let key = key_of(values[i]);
  // At least this many elements are before the query.
  var before = 0u;
  for (var stride = params.stride; stride > 0u; stride >>= 1u) {
    let next = before + stride;
    let element = key_of(sorted[start + min(next, params.n) - 1u]);
    before = select(before, next, (next <= params.n) & (element < key));
  }
  out[i] = i32(before);
}
