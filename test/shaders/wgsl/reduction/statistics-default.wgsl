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

const highest = 0x1.fffffep127f;

var<workgroup> lowest_values: array<f32, 256>;
var<workgroup> highest_values: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;
var<workgroup> zeros: atomic<u32>;
var<workgroup> infinities: atomic<u32>;
var<workgroup> nans: atomic<u32>;
var<workgroup> first_special: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  if (local == 0u) {
    atomicStore(&first_special, 0xffffffffu);
  }
  workgroupBarrier();
  var least = highest;
  var most = -highest;
  var total = 0.0;
  for (var i = group.x * 256u + local; i < params.count; i += params.groups * 256u) {
    let element = element_at(i);
    if (element.is_special) {
      atomicMin(&first_special, i);
      if (element.has_mantissa) {
        atomicAdd(&nans, 1u);
      } else {
        atomicAdd(&infinities, 1u);
      }
    } else {
      least = min(least, element.value);
      most = max(most, element.value);
      total += element.value;
      if (element.value == 0.0) {
        atomicAdd(&zeros, 1u);
      }
    }
  }
  lowest_values[local] = least;
  highest_values[local] = most;
  sums[local] = total;
  workgroupBarrier();
  for (var half = 128u; half > 0u; half /= 2u) {
    if (local < half) {
      lowest_values[local] = min(lowest_values[local], lowest_values[local + half]);
      highest_values[local] = max(highest_values[local], highest_values[local + half]);
      sums[local] += sums[local + half];
    }
    workgroupBarrier();
  }
  if (local == 0u) {
    let at = params.base + group.x * 48u;
    records[at] = bitcast<u32>(lowest_values[0]);
    records[at + 1u] = bitcast<u32>(highest_values[0]);
    records[at + 2u] = bitcast<u32>(sums[0]);
    records[at + 3u] = atomicLoad(&zeros);
    records[at + 4u] = atomicLoad(&infinities);
    records[at + 5u] = atomicLoad(&nans);
    records[at + 6u] = atomicLoad(&first_special);
  }
}
