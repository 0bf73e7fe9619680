@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  tiles: u32,
  tile: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

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
  return before[tile_index(line, tile)];
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

var<workgroup> sums: array<Sum, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_group(group, groups);
  let tile = i % params.tiles;
  let line = i / params.tiles;
  let first = tile * params.tile + local * 8u;
  // A folded grid may have workgroups beyond the last tile; they have nothing to read or write.
  let end = select(0u, min(params.n, first + 8u), i < params.count);
  sums[local] = sum_elements(line, first, end);
  workgroupBarrier();
  for (var reach = 1u; reach < 256u; reach <<= 1u) {
    var sum = sums[local];
    if (local >= reach) {
      sum += sums[local - reach];
    }
    workgroupBarrier();
    sums[local] = sum;
    workgroupBarrier();
  }
  if (end > first) {
    var start = sum_before(line, tile);
    if (local > 0u) {
      start += sums[local - 1u];
    }
    scan_elements(line, first, end, start);
  }
}
