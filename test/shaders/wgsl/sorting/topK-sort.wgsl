@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>>;
struct Params {
  count: u32,
  n: u32,
  k: u32,
  runs: u32,
  cover: u32,
  keep: u32,
  runs_out: u32,
  keep_out: u32,
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

fn ordered_bits(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, x == 0.0);
  let key = select(bits | 0x80000000u, ~bits, bitcast<i32>(bits) < 0);
  return select(key, 0xffffffffu, is_nan(x));
}
fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.x > b.x || (a.x == b.x && a.y < b.y);
}

fn key_of(value: f32) -> u32 {
  return ordered_bits(value);
}

fn element(at: u32) -> f32 {
  return x[at];
}

fn put(row: u32, run: u32, place: u32, entry: vec2<u32>) {
  out[(row * params.runs_out + run) * params.keep_out + place] = entry;
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
  let row = i / params.n;
  let index = i % params.n;
  let run = index / params.cover;
  let first = run * params.cover;
  let end = min(params.n, first + params.cover);
  let own = vec2<u32>(key_of(element(i)), index);
  var place = 0u;
  for (var e = first; e < end; e++) {
    place += u32(precedes(vec2<u32>(key_of(x[row * params.n + e]), e), own));
  }
  if (place < params.keep_out) {
    put(row, run, place, own);
  }
}
