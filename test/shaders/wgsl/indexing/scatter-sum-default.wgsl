@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> updates: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> chunks: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> superchunks: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  outer: u32,
  inner: u32,
  entries: u32,
  rows: u32,
}
@group(0) @binding(6) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
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

  let within = i % params.inner;
  let row = (i / params.inner) % params.rows;
  let block = i / params.inner / params.rows;
  let batch = block / params.outer;
  let key = batch * params.rows + row;
  let end = offsets[key + 1u];
  var at = offsets[key];
  var total = vec4<f32>();
  let within_chunk = (block % params.outer) * params.inner + within;
  let chunk_stride = params.outer * params.inner;
  while (at < end) {
    if (at % 16384u == 0u && end - at >= 16384u) {
      total += superchunks[(at / 16384u) * chunk_stride + within_chunk];
      at += 16384u;
      continue;
    }
    if (at % 128u == 0u && end - at >= 128u) {
      total += chunks[(at / 128u) * chunk_stride + within_chunk];
      at += 128u;
      continue;
    }
    let k = order[at] - batch * params.entries;
    total += updates[(block * params.entries + k) * params.inner + within];
    at += 1u;
  }
  out[i] = total;
}
