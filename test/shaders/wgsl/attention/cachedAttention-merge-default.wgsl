@group(0) @binding(0) var<storage, read> partials: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> stats: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  parts: u32,
  value_size: u32,
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
  let first = i / params.value_size * params.parts;
  let unit = i % params.value_size;
  var largest = stats[first].x;
  for (var part = 1u; part < params.parts; part++) {
    largest = max(largest, stats[first + part].x);
  }
  var total = 0.0;
  var sum = vec4<f32>();
  for (var part = 0u; part < params.parts; part++) {
    let of_part = stats[first + part];
    let factor = exp(of_part.x - largest);
    total += factor * of_part.y;
    sum += factor * partials[(first + part) * params.value_size + unit];
  }
  out[i] = select(sum / total, vec4<f32>(), total == 0.0);
}
