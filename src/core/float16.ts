/** @file IEEE 754 binary16 on the host, for float16 tensors and files. */

/** Returns the value of the 16 `bits`. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const word = new DataView(new ArrayBuffer(4));

/**
 * Returns the bits of the float16 nearest to `value` rounded to float32; ties to even, infinity from 65520 on. The device
 * rounds in the same steps (shaders/float16).
 */
export function numberToFloat16(value: number): number {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    // The exponent bias changes from 127 to 15, the fraction from 23 bits to 10.
    const rebased = magnitude - 0x38000000;
    return sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13);
  }
  // Below 2⁻¹⁴, float16 values are multiples of 2⁻²⁴.
  const shift = 126 - (magnitude >> 23);
  if (shift > 24) return sign;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const whole = mantissa >> shift;
  const rest = mantissa - (whole << shift);
  const middle = 1 << (shift - 1);
  return sign | (whole + Number(rest > middle || (rest === middle && (whole & 1) === 1)));
}
