@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read_write> scales: array<f32>;
struct Params {
  count: u32,
  chunks: u32,
  clip: f32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn is_finite(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) < 0x7f800000;
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}
fn add(a: f32, b: f32) -> f32 {
  return a + b;
}

fn fold_line(value: f32, local: u32, lane: u32) -> f32 {
  return value;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 1u;
  let line_in_group = local / 1u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  let there = line < params.count;
  let begin = 0u;
  let end = select(0u, params.chunks, there);
  var total = 0.0;
  var first = begin + lane;
  while (first < end) {
    let stop = min(end, first + 32u);
    var sum = 0.0;
    for (var c = first; c < stop; c += 1u) {
      sum += sums[c];
    }
    total += sum;
    first += 32u;
  }
  let squared = fold_line(total, local, lane);
  if (lane == 0u && there) {
    let norm = sqrt(squared);
    let scale = select(1.0, params.clip / norm, norm > params.clip);
    scales[line] = select(nan_value(), scale, is_finite(squared));
  }
}
