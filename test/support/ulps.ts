/** @file Errors of float32 values in units in the last place. */
const { fround } = Math;
const word = new DataView(new ArrayBuffer(4));

/** Returns the distance of neighbouring floats at `value`; subnormal numbers count as one. */
function ulp(value: number): number {
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -126) return 2 ** -126;
  word.setFloat32(0, fround(magnitude));
  word.setUint32(0, word.getUint32(0) + 1);
  return Math.min(word.getFloat32(0), 2 ** 128) - fround(magnitude);
}

/** How far `actual` is from `expected` rounded to float32; infinite for a wrong NaN or infinity. */
export function ulpsApart(actual: number, expected: number): number {
  if (Object.is(actual, expected) || actual === expected || (Number.isNaN(actual) && Number.isNaN(expected)))
    return 0;
  const rounded = fround(expected);
  if (!Number.isFinite(rounded)) return actual === rounded ? 0 : Number.POSITIVE_INFINITY;
  return Math.abs(actual - expected) / ulp(expected);
}
