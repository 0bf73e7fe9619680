@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  tiles: u32,
  tile: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = f32;
alias Sum = f32;

fn index_of(line: u32, k: u32) -> u32 {
  let along = k;
  return ((line / params.inner) * params.n + along) * params.inner + line % params.inner;
}

fn load(line: u32, k: u32) -> Value {
  return x[index_of(line, k)];
}

fn total_of(value: Value) -> Sum {
  return value;
}

fn store(line: u32, k: u32, start: Sum, value: Value) {
  out[index_of(line, k)] = start + value;
}

// Tiles are counted in the direction of the scan: [outer, tiles, inner].
fn tile_index(line: u32, tile: u32) -> u32 {
  return ((line / params.inner) * params.tiles + tile) * params.inner + line % params.inner;
}

fn sum_before(line: u32, tile: u32) -> Sum {
  return Sum();
}

// The running sums of elements first to end of a line, from start.
fn scan_elements(line: u32, first: u32, end: u32, start: Sum) {
  var sum = Sum();
  for (var k = first; k < end; k++) {
    let value = load(line, k);
    store(line, k, start + sum, value);
    sum += total_of(value);
  }
}

fn sum_elements(line: u32, first: u32, end: u32) -> Sum {
  var sum = Sum();
  for (var k = first; k < end; k++) {
    sum += total_of(load(line, k));
  }
  return sum;
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
  // Neighbouring invocations take neighbouring lines, where there are any.
  let tile = (i / params.inner) % params.tiles;
  let line = i / params.inner / params.tiles * params.inner + i % params.inner;
  let first = tile * params.tile;
  let end = min(params.n, first + params.tile);
  scan_elements(line, first, end, sum_before(line, tile));
}
