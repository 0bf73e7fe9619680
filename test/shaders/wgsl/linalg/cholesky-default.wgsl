@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  nan: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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
  let matrix = flat_group(group, groups);
  let n = params.n;
  let base = matrix * n * n;
  // A folded grid may have workgroups beyond the last matrix.
  let end = select(0u, n, matrix < params.count);
  for (var column = 0u; column < n; column++) {
    for (var row = local; row < end; row += 64u) {
      var rest = 0.0;
      if (row >= column) {
        rest = x[base + row * n + column];
        for (var k = 0u; k < column; k++) {
          rest -= out[base + row * n + k] * out[base + column * n + k];
        }
      }
      out[base + row * n + column] = rest;
    }
    storageBarrier();
    let square = out[base + column * n + column];
    storageBarrier();
    // By comparison, since the root of a negative number may be anything.
    let pivot = select(bitcast<f32>(params.nan), sqrt(max(square, 0.0)), square > 0.0);
    for (var row = local; row < end; row += 64u) {
      if (row > column) {
        out[base + row * n + column] /= pivot;
      } else if (row == column) {
        out[base + row * n + column] = pivot;
      }
    }
    storageBarrier();
  }
}
