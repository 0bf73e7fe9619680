@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> records: array<u32>;
struct Params {
  count: u32,
  groups: u32,
  base: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

struct Element {
  value: f32,
  is_special: bool,
  has_mantissa: bool,
}

fn half_of(word: u32, shift: u32) -> Element {
  let bits = (word >> shift) & 0xffffu;
  return Element(unpack2x16float(bits).x, (bits & 0x7c00u) == 0x7c00u, (bits & 0x03ffu) != 0u);
}

fn element_at(i: u32) -> Element {
  return Element(bitcast<f32>(x[i]), (x[i] & 0x7f800000u) == 0x7f800000u, (x[i] & 0x007fffffu) != 0u);
}

var<workgroup> bins: array<atomic<u32>, 32>;
var<workgroup> squares: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  var least = bitcast<f32>(records[params.base]);
  var most = bitcast<f32>(records[params.base + 1u]);
  for (var other = 1u; other < params.groups; other++) {
    least = min(least, bitcast<f32>(records[params.base + other * 48u]));
    most = max(most, bitcast<f32>(records[params.base + other * 48u + 1u]));
  }
  // By half its range and in units of the largest value, so that neither the width nor a square overflows.
  let width = max(0.5 * most - 0.5 * least, 0x1p-126f);
  let scale = max(max(abs(least), abs(most)), 0x1p-126f);
  var total = 0.0;
  for (var i = group.x * 256u + local; i < params.count; i += params.groups * 256u) {
    let element = element_at(i);
    if (!element.is_special) {
      let place = (0.5 * element.value - 0.5 * least) / width;
      atomicAdd(&bins[min(u32(place * 32.0), 31u)], 1u);
      let ratio = element.value / scale;
      total += ratio * ratio;
    }
  }
  squares[local] = total;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) {
    if (local < half) {
      squares[local] += squares[local + half];
    }
    workgroupBarrier();
  }
  let at = params.base + group.x * 48u;
  if (local == 0u) {
    records[at + 8u] = bitcast<u32>(squares[0]);
  }
  if (local < 32u) {
    records[at + 16u + local] = atomicLoad(&bins[local]);
  }
}
