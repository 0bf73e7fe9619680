@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
struct Params {
  tiles: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let base = group.x * params.tiles;
  var before = 0u;
  for (var start = 0u; start < params.tiles; start += 256u) {
    let tile = start + local;
    var own = 0u;
    if (tile < params.tiles) {
      own = counts[base + tile];
    }
    sums[local] = own;
    workgroupBarrier();
    let used = min(256u, params.tiles - start);
    for (var reach = 1u; reach < used; reach <<= 1u) {
      var below = 0u;
      if (local >= reach) {
        below = sums[local - reach];
      }
      workgroupBarrier();
      sums[local] += below;
      workgroupBarrier();
    }
    if (tile < params.tiles) {
      counts[base + tile] = before + sums[local] - own;
    }
    before += sums[used - 1u];
    workgroupBarrier();
  }
  if (local == 0u) {
    totals[group.x] = before;
  }
}
