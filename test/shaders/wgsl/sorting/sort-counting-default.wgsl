@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
struct Params {
  count: u32,
  total: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(1)
fn main() {
  let count = params.count;
  let last = params.total + 2u;
  // Counted two places on and placed one place on: each list's begin moves to its end, which is the next one's begin.
  for (var entry = 0u; entry < count; entry++) {
    offsets[keys[entry] + 2u] += 1u;
  }
  var before = 0u;
  for (var key = 2u; key <= last; key++) {
    before += offsets[key];
    offsets[key] = before;
  }
  for (var entry = 0u; entry < count; entry++) {
    let slot = keys[entry] + 1u;
    let at = offsets[slot];
    order[at] = entry;
    offsets[slot] = at + 1u;
  }
}
