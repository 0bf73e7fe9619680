/** @file bfloat16 on the host, the upper half of a float32, for packed weights and files. */

const word = new DataView(new ArrayBuffer(4));

/** Returns the value of the 16 `bits`. */
export function bfloat16ToNumber(bits: number): number {
  word.setUint32(0, bits << 16);
  return word.getFloat32(0);
}

/** Returns the bits of the bfloat16 nearest to `value` rounded to float32; ties to even. NaN stays NaN. */
export function numberToBfloat16(value: number): number {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  // The highest bit of the fraction is set: the others may be in the lower half.
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}
