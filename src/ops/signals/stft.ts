/** @file extractSequences, stft */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireInteger, requireOneOf, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { extractPatches } from '../images/extractPatches.ts';
import { rfft } from './fourier.ts';
import { reshape } from '../arrangement/reshape.ts';
import { pad } from '../arrangement/pad.ts';

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
export function windowOf(
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
