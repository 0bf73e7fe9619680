@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> order: array<u32>;
struct Params {
  count: u32,
  n: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

var<workgroup> pivot_row: u32;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let matrix = flat_group(group, groups);
  let n = params.n;
  let base = matrix * n * n;
  let rows = matrix * (2u * n + 1u);
  let end = select(0u, n, matrix < params.count);
  for (var i = local; i < end * end; i += 64u) {
    out[base + i] = x[base + i];
  }
  if (local == 0u && end > 0u) {
    for (var i = 0u; i < end; i++) {
      order[rows + i] = i;
    }
    order[rows + n] = 0u;
  }
  storageBarrier();
  for (var step = 0u; step < n; step++) {
    if (local == 0u && end > 0u) {
      var best = step;
      for (var row = step + 1u; row < end; row++) {
        if (abs(out[base + row * n + step]) > abs(out[base + best * n + step])) {
          best = row;
        }
      }
      if (best != step) {
        let moved = order[rows + step];
        order[rows + step] = order[rows + best];
        order[rows + best] = moved;
        order[rows + n] += 1u;
      }
      order[rows + n + 1u + step] = best;
      pivot_row = best;
    }
    let best = workgroupUniformLoad(&pivot_row);
    for (var column = local; column < end; column += 64u) {
      let moved = out[base + step * n + column];
      out[base + step * n + column] = out[base + best * n + column];
      out[base + best * n + column] = moved;
    }
    storageBarrier();
    let pivot = out[base + step * n + step];
    for (var row = step + 1u + local; row < end; row += 64u) {
      // A column of zeros has nothing to eliminate.
      let factor = select(out[base + row * n + step] / pivot, 0.0, pivot == 0.0);
      out[base + row * n + step] = factor;
      for (var column = step + 1u; column < n; column++) {
        out[base + row * n + column] -= factor * out[base + step * n + column];
      }
    }
    storageBarrier();
  }
}
