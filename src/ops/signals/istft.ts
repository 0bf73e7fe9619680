/** @file istft */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireInteger, requireOneOf, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { defineComposite } from '../define/composite.ts';
import { irfft, withLength } from './fourier.ts';
import { gather } from '../indexing/gather.ts';
import { type ComplexOp, takingPairs } from './pairs.ts';
import { reshape } from '../arrangement/reshape.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { type StftOptions, windowOf } from './stft.ts';
import { sum } from '../reductions/sum.ts';

/** Options of `istft`: those of the transform, and a length. */
export interface IstftOptions extends StftOptions {
  /** Length of the result, which is truncated or padded with zeros. Default: all that the frames cover, without mirrored ends. */
  length?: number | null;
}

/** Below this sum of squared windows, which is that of rounding, samples aren't divided by it. */
const min = 1e-10;

/**
 * The signal whose short-time Fourier transform `stft` gives with the same options: windowed inverse transforms are added up
 * where they overlap, and divided by the sum of the squared windows. float32. Where no window is above 0, as at the ends
 * without `center`, the signal is lost. Shapes: real and imaginary [..., count, ⌊fftLength / 2⌋ + 1], as two arguments or as
 * a pair → [..., n], n = fftLength + (count - 1) · sequenceStride, less 2 · ⌊fftLength / 2⌋ with `center`.
 * Source: D. Griffin, J. Lim, "Signal estimation from modified short-time Fourier transform", 1984, equation 6; as in Keras
 * with NumPy and JAX.
 * Errors: ShapeError for other shapes, or for two of them; ValueError for options; DTypeError.
 */
export const istft: ComplexOp<
  IstftOptions,
  Tensor,
  ['sequenceLength', 'sequenceStride', 'fftLength', 'length', 'window', 'center']
> = /* @__PURE__ */ takingPairs(
  defineComposite({
    name: 'istft',
    acceptsFloat16: false,
    inputs: ['real', 'imaginary'],
    options: {
      sequenceLength: true,
      sequenceStride: true,
      fftLength: true,
      length: true,
      window: true,
      center: true,
    },
    compose: ([real, imaginary], options) => {
      const {
        sequenceLength,
        sequenceStride: stride,
        window = 'hann',
        center = true,
        length = null,
      } = options;
      requireInteger('istft', 'sequenceLength', sequenceLength, 1);
      requireInteger('istft', 'sequenceStride', stride, 1);
      const size = options.fftLength ?? sequenceLength;
      requireInteger('istft', 'fftLength', size, sequenceLength);
      if (length !== null) requireInteger('istft', 'length', length, 0);
      if (window !== null) requireOneOf('istft', 'window', window, ['hann', 'hamming']);
      requireBoolean('istft', 'center', center);
      const count = framesOf(real, size);
      const weights = windowOf(window, sequenceLength, size);
      const frames = mul(irfft(real, imaginary, { fftLength: size }), tensor(weights));
      const whole = mul(overlapAdd(frames, stride), tensor(inverseOverlap(weights, count, stride)));
      const cut = center ? Math.floor(size / 2) : 0;
      return part(whole, cut, length ?? (whole.shape.at(-1) as number) - 2 * cut);
    },
  }),
);

/** Sums overlapping frames [..., count, size] that start `stride` apart: [..., size + (count - 1) · stride]. */
function overlapAdd(frames: Tensor, stride: number): Tensor {
  const [count, size] = frames.shape.slice(-2) as [number, number];
  const batch = frames.shape.slice(0, -2);
  const n = size + (count - 1) * stride;
  const max = Math.ceil(size / stride);
  const flat = reshape(frames, { shape: [sizeOf(batch), count * size] });
  // Each sample is in at most `max` frames; the zero after all of them stands for the others.
  const sources = new Int32Array(n * max).fill(count * size);
  for (let at = 0; at < n; at++) {
    const last = Math.min(count - 1, Math.floor(at / stride));
    for (let frame = last; frame >= 0 && at - frame * stride < size; frame--) {
      sources[at * max + last - frame] = frame * size + at - frame * stride;
    }
  }
  const padded = pad(flat, {
    paddings: [
      [0, 0],
      [0, 1],
    ],
  });
  const indices = tensor(sources, { shape: [n, max], dtype: 'int32' });
  const found = gather(padded, indices, { axis: 1, validateIndices: false });
  return reshape(sum(found, { axis: -1 }), { shape: [...batch, n] });
}

/** One over the sum of the squared windows at each sample, or 1 where it is 0. */
function inverseOverlap(weights: Float32Array, count: number, stride: number): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(weights.length + (count - 1) * stride);
  for (let frame = 0; frame < count; frame++) {
    for (const [i, weight] of weights.entries()) {
      const at = frame * stride + i;
      sums[at] = (sums[at] as number) + weight ** 2;
    }
  }
  return Float32Array.from(sums, (sum) => (sum > min ? 1 / sum : 1));
}

/** `length` samples from `first` on, with zeros after the end. */
function part(x: Tensor, first: number, length: number): Tensor {
  const last = x.shape.length - 1;
  const begin = x.shape.map((_, i) => (i === last ? Math.min(first, x.shape[last] as number) : 0));
  return withLength(slice(x, { begin }), length);
}

/** Returns the number of frames. Errors: ShapeError. */
function framesOf({ shape }: Tensor, size: number): number {
  const [count, bins] = shape.slice(-2);
  const wanted = Math.floor(size / 2) + 1;
  if (shape.length >= 2 && count !== 0 && bins === wanted) return count as number;
  throw new ShapeError({
    op: 'istft',
    rule: `both parts are [..., count, ${wanted}], for transforms of ${size} elements.`,
    received: `real ${formatShape(shape)}`,
    hint: 'pass the result of stft, with the same options.',
  });
}
