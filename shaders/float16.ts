/**
 * @file float16 (IEEE 754 binary16), two in a word, the first in its lower bits: from f32 and back. Core WGSL reads them
 * (`unpack2x16float`), but leaves open how numbers are rounded, and what happens to those that are too large. So packing is
 * done here, in the steps of src/core/float16.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type Float16Options = { direction: 'pack' | 'unpack' };

export const float16Workgroup = 256;

const rounding = `
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
`;

/** One invocation converts a word of two float16 values. */
export function float16({ direction }: Float16Options): string {
  return wgsl`
${flatIndex}
${direction === 'pack' ? rounding : ''}
@compute @workgroup_size(${float16Workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${float16Workgroup}u);
  let first = 2u * i;
  if (first >= params.count) {
    return;
  }
  let has_second = first + 1u < params.count;
#if ${direction === 'pack'}
  let second = select(0u, float16_bits(x[min(first + 1u, params.count - 1u)]), has_second);
  out[i] = float16_bits(x[first]) | (second << 16u);
#else
  let pair = unpack2x16float(x[i]);
  out[first] = pair.x;
  if (has_second) {
    out[first + 1u] = pair.y;
  }
#endif
}
`;
}
