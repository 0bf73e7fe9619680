@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
struct Params {
  count_begin: u32,
  count_end: u32,
  sum_begin: u32,
  sum_end: u32,
  place_begin: u32,
  place_end: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(1)
fn main() {
  // Counted two places on and placed one place on: each list's begin moves to its end, which is the next one's begin.
  for (var entry = params.count_begin; entry < params.count_end; entry++) {
    offsets[keys[entry] + 2u] += 1u;
  }
  var before = offsets[params.sum_begin + 1u];
  for (var key = params.sum_begin + 2u; key < params.sum_end + 2u; key++) {
    before += offsets[key];
    offsets[key] = before;
  }
  for (var entry = params.place_begin; entry < params.place_end; entry++) {
    let slot = keys[entry] + 1u;
    let at = offsets[slot];
    order[at] = entry;
    offsets[slot] = at + 1u;
  }
}
