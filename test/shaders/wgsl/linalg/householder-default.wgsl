@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  rows: u32,
  columns: u32,
  steps: u32,
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
  let rows = params.rows;
  let columns = params.columns;
  let base = matrix * rows * columns;
  let end = select(0u, columns, matrix < params.count);
  for (var i = local; i < rows * end; i += 64u) {
    out[base + i] = x[base + i];
  }
  storageBarrier();
  for (var step = 0u; step < params.steps; step++) {
    // Every invocation finds the reflection by itself: v is the column, with v0 at its head.
    var largest = 0.0;
    for (var row = step; row < rows; row++) {
      largest = max(largest, abs(out[base + row * columns + step]));
    }
    let scale = select(largest, 1.0, largest == 0.0);
    var square = 0.0;
    for (var row = step; row < rows; row++) {
      let value = out[base + row * columns + step] / scale;
      square += value * value;
    }
    let length = sqrt(square) * scale;
    let head = out[base + step * columns + step];
    let v0 = head + select(length, -length, head < 0.0);
    for (var column = step + 1u + local; column < end; column += 64u) {
      var product = v0 / scale * out[base + step * columns + column];
      for (var row = step + 1u; row < rows; row++) {
        product += out[base + row * columns + step] / scale * out[base + row * columns + column];
      }
      // vᵀv = 2 · length · |v0|.
      let factor = select(product / (length / scale * abs(v0)), 0.0, length == 0.0);
      out[base + step * columns + column] -= factor * v0;
      for (var row = step + 1u; row < rows; row++) {
        out[base + row * columns + column] -= factor * out[base + row * columns + step];
      }
    }
    storageBarrier();
    if (local == 0u && end > 0u) {
      out[base + step * columns + step] = select(-length, length, head < 0.0);
    }
    storageBarrier();
  }
}
