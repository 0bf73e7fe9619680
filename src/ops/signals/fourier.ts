/**
 * @file fft, ifft, rfft, irfft: complex tensors are pairs of real ones. A transform of n = a · b elements consists of
 * transforms of a elements, twiddle factors, and transforms of b elements (Cooley and Tukey); prime and small sizes are
 * matrix products.
 */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, sameShape, type Shape, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { concat } from '../arrangement/concat.ts';
import { flip } from '../arrangement/flip.ts';
import { matMul } from '../products/matMul.ts';
import { type ComplexOp, takingPairs } from './pairs.ts';
import { reshape } from '../arrangement/reshape.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { transpose } from '../arrangement/transpose.ts';

/** Options of `rfft` and `irfft`. */
export interface RfftOptions {
  /** Length of the signal, which is truncated or padded with zeros. Default: that of the input; for irfft 2 · (bins - 1). */
  fftLength?: number;
}

type Pair = [real: Tensor, imaginary: Tensor];
type PairOp = ComplexOp<object, Pair>;

/** Up to this size, one matrix product is as fast as a split transform. */
const smallest = 64;

/** 1 for the transform, -1 for its inverse. */
type Direction = 1 | -1;

/**
 * The discrete Fourier transform of the last axis: X[k] = Σ x[j] e^(-2πi jk / n). float32; any length, fastest with small
 * prime factors. Shapes: real and imaginary [..., n], as two arguments or as a pair → a pair of the same.
 * Errors: ShapeError for scalars, no elements or parts of two shapes; DTypeError.
 */
export const fft: PairOp = /* @__PURE__ */ takingPairs(
  defineComposite({
    name: 'fft',
    acceptsFloat16: false,
    inputs: ['real', 'imaginary'],
    options: {},
    compose: ([real, imaginary]) => {
      requireSignal('fft', real, imaginary);
      return alongRows(real, imaginary, 1);
    },
  }),
);

/**
 * The inverse of `fft`: x[j] = 1/n Σ X[k] e^(2πi jk / n). float32. Shapes: real and imaginary [..., n], as two arguments or
 * as a pair → a pair of the same.
 * Errors: as for `fft`.
 */
export const ifft: PairOp = /* @__PURE__ */ takingPairs(
  defineComposite({
    name: 'ifft',
    acceptsFloat16: false,
    inputs: ['real', 'imaginary'],
    options: {},
    compose: ([real, imaginary]) => {
      requireSignal('ifft', real, imaginary);
      const n = real.shape.at(-1) as number;
      const [re, im] = alongRows(real, imaginary, -1);
      return [mul(re, 1 / n), mul(im, 1 / n)];
    },
  }),
);

/**
 * The Fourier transform of real signals: only the bins that aren't the conjugate of an earlier one. float32. Shapes: x
 * [..., n] → a pair [..., ⌊fftLength / 2⌋ + 1].
 * Errors: ShapeError for a scalar or no elements; ValueError for the option; DTypeError.
 */
export const rfft: CompositeOp<[x: Tensor], RfftOptions, Pair, ['fftLength']> =
  /* @__PURE__ */ defineComposite({
    name: 'rfft',
    acceptsFloat16: false,
    inputs: ['x'],
    options: { fftLength: true },
    compose: ([x], { fftLength = x.shape.at(-1) ?? 1 }) => {
      requireInteger('rfft', 'fftLength', fftLength, 1);
      requireSignal('rfft', x, x);
      const bins = Math.floor(fftLength / 2) + 1;
      const [re, im] = alongRows(withLength(x, fftLength), null, 1);
      return [withLength(re, bins), withLength(im, bins)];
    },
  });

/**
 * The inverse of `rfft`: real signals. The imaginary part of the first bin is ignored, and for an even length that of the
 * last one. float32. Shapes: real and imaginary [..., bins], as two arguments or as a pair → [..., fftLength].
 * Errors: as for `rfft`.
 */
export const irfft: ComplexOp<RfftOptions, Tensor, ['fftLength']> = /* @__PURE__ */ takingPairs(
  defineComposite({
    name: 'irfft',
    acceptsFloat16: false,
    inputs: ['real', 'imaginary'],
    options: { fftLength: true },
    compose: ([real, imaginary], { fftLength }) => {
      requireSignal('irfft', real, imaginary);
      const n = fftLength ?? Math.max(1, 2 * ((real.shape.at(-1) as number) - 1));
      requireInteger('irfft', 'fftLength', n, 1);
      const bins = Math.floor(n / 2) + 1;
      const re = withLength(real, bins);
      const im = withLength(imaginary, bins);
      // The other bins are conjugates in reverse order, except of the first one and, for an even length, the middle one.
      const others = (part: Tensor) => flip(slicedFrom(part, 1, n - bins), { axis: -1 });
      const whole: Pair = [
        concat([re, others(re)], { axis: -1 }),
        concat([im, neg(others(im))], { axis: -1 }),
      ];
      return mul(alongRows(...whole, -1)[0], 1 / n);
    },
  }),
);

/** `x` with its last axis truncated or padded with zeros to `length`. */
export function withLength(x: Tensor, length: number): Tensor {
  const n = x.shape.at(-1) as number;
  if (length === n) return x;
  if (length < n) return slicedFrom(x, 0, length);
  return pad(x, { paddings: x.shape.map((_, i) => (i === x.shape.length - 1 ? [0, length - n] : [0, 0])) });
}

function slicedFrom(x: Tensor, first: number, length: number): Tensor {
  const last = x.shape.length - 1;
  return slice(x, {
    begin: x.shape.map((_, i) => (i === last ? first : 0)),
    size: x.shape.map((n, i) => (i === last ? length : n)),
  });
}

function alongRows(real: Tensor, imaginary: Tensor | null, direction: Direction): Pair {
  const { shape } = real;
  const n = shape.at(-1) as number;
  const rows = (x: Tensor) => reshape(x, { shape: [sizeOf(shape.slice(0, -1)), n] });
  const parts = transformed(rows(real), imaginary && rows(imaginary), direction);
  return parts.map((part) => reshape(part, { shape })) as Pair;
}

/** Returns the transform of the rows of [m, n]; null stands for an imaginary part of zeros. */
function transformed(real: Tensor, imaginary: Tensor | null, direction: Direction): Pair {
  const [m, n] = real.shape as [number, number];
  const a = n <= smallest ? 1 : divisorNearRoot(n);
  if (a === 1) return byMatrix(real, imaginary, n, direction);
  const b = n / a;
  // x[j1 · b + j2] as one row for each j2, with elements j1.
  const columns = (x: Tensor) =>
    reshape(transpose(reshape(x, { shape: [m, a, b] }), { perm: [0, 2, 1] }), { shape: [m * b, a] });
  const inner = transformed(columns(real), imaginary && columns(imaginary), direction);
  const twiddled = multiplied(
    inner.map((x) => reshape(x, { shape: [m, b, a] })) as Pair,
    rotations(b, a, n, direction),
  );
  const back = (x: Tensor) => reshape(transpose(x, { perm: [0, 2, 1] }), { shape: [m * a, b] });
  const outer = transformed(back(twiddled[0]), back(twiddled[1]), direction);
  // X[k1 + a · k2].
  return outer.map((x) =>
    reshape(transpose(reshape(x, { shape: [m, a, b] }), { perm: [0, 2, 1] }), { shape: [m, n] }),
  ) as Pair;
}

function byMatrix(real: Tensor, imaginary: Tensor | null, n: number, direction: Direction): Pair {
  const [cos, sin] = rotations(n, n, n, direction);
  const re = matMul(real, cos);
  const im = matMul(real, sin);
  if (imaginary === null) return [re, im];
  return [sub(re, matMul(imaginary, sin)), add(im, matMul(imaginary, cos))];
}

function multiplied([a, b]: Pair, [c, d]: Pair): Pair {
  return [sub(mul(a, c), mul(b, d)), add(mul(a, d), mul(b, c))];
}

/** e^(∓2πi jk / n) as [rows, columns] of j and k. jk is reduced modulo n before rounding. */
function rotations(rows: number, columns: number, n: number, direction: Direction): Pair {
  const parts = [new Float32Array(rows * columns), new Float32Array(rows * columns)] as const;
  for (let j = 0; j < rows; j++) {
    for (let k = 0; k < columns; k++) {
      const angle = (-direction * 2 * Math.PI * ((j * k) % n)) / n;
      parts[0][j * columns + k] = Math.cos(angle);
      parts[1][j * columns + k] = Math.sin(angle);
    }
  }
  return parts.map((values) => tensor(values, { shape: [rows, columns] })) as Pair;
}

/** Returns the largest divisor of `n` not above √n. */
function divisorNearRoot(n: number): number {
  let a = Math.floor(Math.sqrt(n));
  while (n % a !== 0) a--;
  return a;
}

function requireSignal(op: string, real: Tensor, imaginary: Tensor): void {
  requireDType(op, 'real', real.dtype, ['float32']);
  requireDType(op, 'imaginary', imaginary.dtype, ['float32']);
  const isSignal = (shape: Shape) => shape.length > 0 && shape.at(-1) !== 0;
  if (isSignal(real.shape) && sameShape(real.shape, imaginary.shape)) return;
  throw new ShapeError({
    op,
    rule: 'signals have at least one element along their last axis, and both parts one shape.',
    received: `${formatShape(real.shape)} and ${formatShape(imaginary.shape)}`,
    hint: 'pass zeros if there is no imaginary part.',
  });
}
