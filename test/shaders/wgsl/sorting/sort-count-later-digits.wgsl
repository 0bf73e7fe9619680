@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
struct Params {
  count: u32,
  tiles: u32,
  shift: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn entry_at(at: u32) -> u32 {
  return order[at];
}

fn digit_at(at: u32) -> u32 {
  return (keys[entry_at(at)] >> params.shift) & 255u;
}

var<workgroup> histogram: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let tile = flat_group(group, groups);
  if (tile >= params.tiles) {
    return;
  }
  for (var t = 0u; t < 4u; t++) {
    let at = tile * 1024u + t * 256u + local;
    if (at < params.count) {
      atomicAdd(&histogram[digit_at(at)], 1u);
    }
  }
  workgroupBarrier();
  counts[local * params.tiles + tile] = atomicLoad(&histogram[local]);
}
