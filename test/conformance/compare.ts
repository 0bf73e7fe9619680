/**
 * @file When a result passes: `|x - expected| <= atol + rtol * |expected|`, with NaN equal to NaN and infinities equal
 * to themselves; the shape and the dtype must be those expected.
 */
import type { HostTensor } from './safetensors.ts';

export interface Tolerance {
  rtol: number;
  atol: number;
}

/** Describes what is wrong with `actual`; null if it passes. */
export function mismatch(actual: HostTensor, expected: HostTensor, tolerance: Tolerance): string | null {
  if (!sameShape(actual.shape, expected.shape))
    return `shape [${actual.shape}], expected [${expected.shape}]`;
  if (actual.dtype !== expected.dtype) return `dtype ${actual.dtype}, expected ${expected.dtype}`;
  if (actual.data.length !== expected.data.length)
    return `${actual.data.length} values, expected ${expected.data.length}`;
  let worst = -1;
  let worstExcess = 0;
  let count = 0;
  for (let i = 0; i < expected.data.length; i++) {
    const excess = excessOf(actual.data[i] as number, expected.data[i] as number, tolerance);
    if (excess <= 0) continue;
    count++;
    if (excess > worstExcess) [worst, worstExcess] = [i, excess];
  }
  if (count === 0) return null;
  const x = actual.data[worst] as number;
  const e = expected.data[worst] as number;
  const { rtol, atol } = tolerance;
  return (
    `at [${position(worst, expected.shape)}]: expected ${e}, got ${x}, off by ${Math.abs(x - e)}; ` +
    `allowed ${atol + rtol * Math.abs(e)} (atol ${atol}, rtol ${rtol}); ${count} of ${expected.data.length} elements are off`
  );
}

/** Returns how far `x` is outside the tolerance, as a multiple of it; not positive if it is inside. */
function excessOf(x: number, e: number, { rtol, atol }: Tolerance): number {
  if (Number.isNaN(x) || Number.isNaN(e))
    return Number.isNaN(x) && Number.isNaN(e) ? 0 : Number.POSITIVE_INFINITY;
  if (!Number.isFinite(x) || !Number.isFinite(e)) return x === e ? 0 : Number.POSITIVE_INFINITY;
  const allowed = atol + rtol * Math.abs(e);
  const off = Math.abs(x - e);
  if (off <= allowed) return 0;
  return allowed > 0 ? off / allowed : Number.MAX_VALUE;
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}

function position(flat: number, shape: readonly number[]): string {
  const index: number[] = [];
  let rest = flat;
  for (const n of [...shape].reverse()) {
    index.unshift(rest % n);
    rest = Math.floor(rest / n);
  }
  return index.join(', ');
}
