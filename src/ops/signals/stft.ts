/** @file stft, istft */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireInteger, requireOneOf, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { extractPatches } from '../images/extractPatches.ts';
import { irfft, rfft, withLength } from './fourier.ts';
import { reshape } from '../arrangement/reshape.ts';
import { pad } from '../arrangement/pad.ts';
import { gather } from '../indexing/gather.ts';
import { type ComplexOp, takingPairs } from './pairs.ts';
import { slice } from '../arrangement/slice.ts';
import { sum } from '../reductions/sum.ts';

export interface ExtractSequencesOptions {
  /** Number of elements of a sequence. */
  sequenceLength: number;
  /** Distance between the starts of consecutive sequences. */
  sequenceStride: number;
}

export interface StftOptions extends ExtractSequencesOptions {
  /** Length of each transform: at least sequenceLength. Default: sequenceLength. */
  fftLength?: number;
  /** The window that each frame is multiplied by: 'hann' (default), 'hamming', or null for none. */
  window?: 'hann' | 'hamming' | null;
  /** Whether x is mirrored at its ends, so that sequence t is centred at t · sequenceStride. Default true. */
  center?: boolean;
}

/**
 * Overlapping sequences of the last axis; those that would go beyond its end are omitted. Any dtype.
 * Shapes: x [..., n] → [..., count, sequenceLength], count = ⌊(n - sequenceLength) / sequenceStride⌋ + 1.
 * Errors: ShapeError for a scalar or fewer elements than a sequence has; ValueError for options.
 */
export const extractSequences: CompositeOp<
  [x: Tensor],
  ExtractSequencesOptions,
  Tensor,
  ['sequenceLength', 'sequenceStride']
> = /* @__PURE__ */ defineComposite({
  name: 'extractSequences',
  inputs: ['x'],
  options: { sequenceLength: true, sequenceStride: true },
  compose: ([x], options) => sequencesOf('extractSequences', x, options),
});

/**
 * The short-time Fourier transform: the spectra of overlapping windows, as in Keras. float32. Shapes: x [..., n] → a pair of
 * real and imaginary parts [..., count, ⌊fftLength / 2⌋ + 1].
 * Errors: ShapeError for a scalar or a signal shorter than a window; ValueError for options; DTypeError.
 */
export const stft: CompositeOp<
  [x: Tensor],
  StftOptions,
  [real: Tensor, imaginary: Tensor],
  ['sequenceLength', 'sequenceStride', 'fftLength', 'window', 'center']
> = /* @__PURE__ */ defineComposite({
  name: 'stft',
  acceptsFloat16: false,
  inputs: ['x'],
  options: { sequenceLength: true, sequenceStride: true, fftLength: true, window: true, center: true },
  compose: ([x], { sequenceLength, sequenceStride, fftLength, window = 'hann', center = true }) => {
    requireDType('stft', 'x', x.dtype, ['float32']);
    requireInteger('stft', 'sequenceLength', sequenceLength, 1);
    const length = fftLength ?? sequenceLength;
    requireInteger('stft', 'fftLength', length, sequenceLength);
    if (window !== null) requireOneOf('stft', 'window', window, ['hann', 'hamming']);
    requireBoolean('stft', 'center', center);
    const signal = center ? mirrored(x, Math.floor(length / 2)) : x;
    const sequences = sequencesOf('stft', signal, { sequenceLength: length, sequenceStride });
    return rfft(mul(sequences, tensor(windowOf(window, sequenceLength, length))));
  },
});

function sequencesOf(
  op: string,
  x: Tensor,
  { sequenceLength, sequenceStride }: ExtractSequencesOptions,
): Tensor {
  requireInteger(op, 'sequenceLength', sequenceLength, 1);
  requireInteger(op, 'sequenceStride', sequenceStride, 1);
  const n = x.shape.at(-1) ?? 0;
  if (n < sequenceLength) throw tooShort(op, x, sequenceLength);
  // Treat the sequences as images of one row, and extract patches.
  const outer = x.shape.slice(0, -1);
  const images = reshape(x, { shape: [sizeOf(outer), 1, n, 1] });
  const patches = extractPatches(images, { size: [1, sequenceLength], strides: [1, sequenceStride] });
  return reshape(patches, { shape: [...outer, patches.shape[2] as number, sequenceLength] });
}

function mirrored(x: Tensor, by: number): Tensor {
  if ((x.shape.at(-1) ?? 0) <= by) throw tooShort('stft', x, by + 1);
  const last = x.shape.length - 1;
  return pad(x, { paddings: x.shape.map((_, i) => (i === last ? [by, by] : [0, 0])), mode: 'reflect' });
}

/** The periodic window of `length`, centred in `fftLength`; without one, ones over the whole transform, as in Keras. */
function windowOf(
  window: StftOptions['window'],
  length: number,
  fftLength: number,
): Float32Array<ArrayBuffer> {
  if (window === null) return new Float32Array(fftLength).fill(1);
  const values = new Float32Array(fftLength);
  const first = Math.floor((fftLength - length) / 2);
  const share = window === 'hamming' ? 0.46 : 0.5;
  for (let i = 0; i < length; i++)
    values[first + i] = 1 - share - share * Math.cos((2 * Math.PI * i) / length);
  return values;
}

function tooShort(op: string, x: Tensor, min: number): ShapeError {
  return new ShapeError({
    op,
    rule: `the last axis must have at least ${min} elements.`,
    received: `x ${formatShape(x.shape)}`,
    hint: 'pad x, or take shorter sequences.',
  });
}

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
