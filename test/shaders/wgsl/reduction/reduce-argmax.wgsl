@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_0: array<i32>;
struct Params {
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
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
  let key = select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
  return select(key, 0xffffffffu, is_nan(x));
}
fn prepare(value: f32, k: u32) -> vec2<u32> {
  return vec2<u32>(ordered_bits(value), k);
}

fn combine(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y));
}

fn finish_0(a: vec2<u32>) -> i32 {
  return i32(a.y);
}

var<workgroup> lanes_line: array<vec2<u32>, 256>;

fn fold_line(value: vec2<u32>, local: u32, lane: u32) -> vec2<u32> {
  lanes_line[local] = value;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_line[local] = combine(lanes_line[local], lanes_line[local + width * 1u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_line[local - lane * 1u];
  // The memory may be written again once all have read.
  workgroupBarrier();
  return folded;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 256u;
  let line_in_group = local / 256u;
  let line = flat_group(group, groups) * 1u + line_in_group;
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
  let chunk = 0u;
  let outer = line / params.inner;
  let n = select(0u, params.n, line < params.count);
  let start = outer * params.n * params.inner + line % params.inner;
  let stride = 256u * params.chunks;
  var total_0 = vec2<u32>(vec2<u32>(0u, 0xffffffffu));
  var first = chunk * 256u + lane;
  while (first < n) {
    let end = min(n, first + 32u * stride);
    var folded_0 = vec2<u32>(vec2<u32>(0u, 0xffffffffu));
    for (var k = first; k < end; k += stride) {
      let value = x[start + k * params.inner];
      folded_0 = combine(folded_0, prepare(value, k));
    }
    total_0 = combine(total_0, folded_0);
    first += 32u * stride;
  }
  let folded_0 = fold_line(total_0, local, lane);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded_0);
  }
}
