@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  count: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn float16_bits(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  let sign = (bits >> 16u) & 0x8000u;
  let magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return sign | 0x7e00u;
  }
  if (magnitude >= 0x477ff000u) {
    return sign | 0x7c00u;
  }
  if (magnitude >= 0x38800000u) {
    // Bias 127 becomes 15, 23 bits of fraction become 10.
    let rebased = magnitude - 0x38000000u;
    return sign | ((rebased + 0xfffu + ((rebased >> 13u) & 1u)) >> 13u);
  }
  // Below 2⁻¹⁴, float16 values are multiples of 2⁻²⁴.
  let shift = 126u - (magnitude >> 23u);
  if (shift > 24u) {
    return sign;
  }
  let mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  let whole = mantissa >> shift;
  let rest = mantissa - (whole << shift);
  let middle = 1u << (shift - 1u);
  let up = rest > middle || (rest == middle && (whole & 1u) == 1u);
  return sign | (whole + select(0u, 1u, up));
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  let first = 2u * i;
  if (first >= params.count) {
    return;
  }
  let has_second = first + 1u < params.count;
  let second = select(0u, float16_bits(x[min(first + 1u, params.count - 1u)]), has_second);
  out[i] = float16_bits(x[first]) | (second << 16u);
}
