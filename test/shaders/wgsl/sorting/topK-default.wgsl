@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> indices: array<i32>;
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
fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.x > b.x || (a.x == b.x && a.y < b.y);
}

fn key_of(value: f32) -> u32 {
  return ordered_bits(value);
}

fn element(at: u32) -> f32 {
  return x[at / 4u][at % 4u];
}

fn put(row: u32, run: u32, place: u32, entry: vec2<u32>) {
  let at = row * params.k + place;
  values[at] = element(row * params.n + entry.y);
  indices[at] = i32(entry.y);
}

var<private> best: array<vec2<u32>, 4>;

fn consider(entry: vec2<u32>) {
  if (!precedes(entry, best[3])) {
    return;
  }
  var place = 3u;
  for (; place > 0u && precedes(entry, best[place - 1u]); place--) {
    best[place] = best[place - 1u];
  }
  best[place] = entry;
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
  let run = i % params.runs_out;
  let row = i / params.runs_out;
  let first = run * params.cover;
  let end = min(params.n, first + params.cover);
  for (var place = 0u; place < 4u; place++) {
    best[place] = vec2<u32>(0u, 0xffffffffu);
  }
  for (var e = first; e < end; e += 4u) {
    let four = x[(row * params.n + e) / 4u];
    consider(vec2<u32>(key_of(four.x), e + 0u));
    consider(vec2<u32>(key_of(four.y), e + 1u));
    consider(vec2<u32>(key_of(four.z), e + 2u));
    consider(vec2<u32>(key_of(four.w), e + 3u));
  }
  for (var place = 0u; place < min(params.keep_out, end - first); place++) {
    put(row, run, place, best[place]);
  }
}
