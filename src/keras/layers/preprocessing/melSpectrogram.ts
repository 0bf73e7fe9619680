/** @file MelSpectrogram: spectrograms of sounds in bands of the mel scale. */
import { type OpenShape, requireFinite, requireInteger } from '../../../core/shape.ts';
import { add, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { max } from '../../../ops/reductions/extrema.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { maximum } from '../../../ops/elementwise/maximum.ts';
import { swapAxes } from '../../../ops/arrangement/moveAxis.ts';
import { pow } from '../../../ops/elementwise/pow.ts';
import { stft } from '../../../ops/signals/stft.ts';
import { log10, sqrt, square } from '../../../ops/elementwise/unary.ts';
import { tensor } from '../../../tensor/create.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import {
  factoryOf,
  flag,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  nullable,
  number,
  oneOf,
} from '../base/declare.ts';

/** Bands of the mel scale: triangles over frequencies that overlap by half. */
interface Bands {
  /** Number of frequencies, from 0 to half of the sampling rate. */
  readonly bins: number;
  readonly numMelBins: number;
  readonly samplingRate: number;
  /** Edges in Hz. */
  readonly minFreq: number;
  readonly maxFreq: number;
}

/** HTK's formula, as in Keras. */
const mel = (hertz: number): number => 1127 * Math.log1p(hertz / 700);

/** The matrix [bins, numMelBins]. The frequency 0 has no weight. */
function melWeights({ bins, numMelBins, samplingRate, minFreq, maxFreq }: Bands): Float32Array<ArrayBuffer> {
  const [first, last] = [mel(minFreq), mel(maxFreq)];
  const width = (last - first) / (numMelBins + 1);
  const weights = new Float32Array(bins * numMelBins);
  for (let bin = 1; bin < bins; bin++) {
    const place = (mel((bin * samplingRate) / 2 / (bins - 1)) - first) / width;
    for (let band = 0; band < numMelBins; band++)
      weights[bin * numMelBins + band] = Math.max(0, 1 - Math.abs(place - band - 1));
  }
  return weights;
}

export interface MelSpectrogramOptions extends LayerOptions {
  /** Values of each transform. Default 2048. */
  fftLength?: number;
  /** Distance between frames. Default 512. */
  sequenceStride?: number;
  /** Values of a frame, up to `fftLength`. Default null: `fftLength`. */
  sequenceLength?: number | null;
  /** The window that each frame is multiplied by. Default 'hann'. */
  window?: 'hann' | 'hamming' | null;
  /** Values per second. Default 16000. */
  samplingRate?: number;
  /** Number of bands. Default 128. */
  numMelBins?: number;
  /** The lower edge of the first band, in Hz. Default 20. */
  minFreq?: number;
  /** The upper edge of the last band, in Hz. Default null: half of `samplingRate`. */
  maxFreq?: number | null;
  /** Whether results are decibels. Default true. */
  powerToDb?: boolean;
  /** The range of decibels: lower values are raised to `topDb` below the loudest. Default 80. */
  topDb?: number;
  /** The exponent of magnitudes before they are summed in bands. Default 2. */
  magExp?: number;
  /** Lower bound of powers before they become decibels. Default 1e-10. */
  minPower?: number;
  /** The power that corresponds to 0 decibels. Default 1. */
  refPower?: number;
}

export class MelSpectrogram extends /* @__PURE__ */ layer<MelSpectrogramOptions>('MelSpectrogram', () => ({
  fftLength: integer({ default: 2048 }),
  sequenceStride: integer({ default: 512 }),
  sequenceLength: {
    read: (given, { op, what, values: { fftLength } }) => {
      const length = given ?? fftLength;
      requireInteger(op, what, length, 1);
      requireInteger(op, 'fftLength', fftLength, length);
      return length;
    },
  },
  window: nullable(oneOf(['hann', 'hamming'], 'hann')),
  samplingRate: number({ min: Number.MIN_VALUE, default: 16000 }),
  numMelBins: integer({ default: 128 }),
  minFreq: number({ min: 0, default: 20 }),
  maxFreq: {
    read: (given, { op, what, values: { samplingRate, minFreq } }) => {
      const highest = given ?? Math.trunc((samplingRate as number) / 2);
      requireFinite(op, what, highest, minFreq as number);
      return highest as number;
    },
  },
  powerToDb: flag(true),
  topDb: number({ default: 80 }),
  magExp: number({ default: 2 }),
  minPower: number({ default: 1e-10 }),
  refPower: number({ default: 1 }),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 1 }];

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(x: Tensor): Tensor {
    const { sequenceStride, fftLength, window } = this;
    const sequenceLength = this.sequenceLength as number;
    const [real, imaginary] = stft(x, { sequenceLength, sequenceStride, fftLength, window });
    const magnitude = sqrt(add(square(real), square(imaginary)));
    const bins = Math.floor(fftLength / 2) + 1;
    const weights = tensor(melWeights({ ...this, maxFreq: this.maxFreq as number, bins }), {
      shape: [bins, this.numMelBins],
    });
    const bands = matMul(pow(magnitude, this.magExp), weights);
    return swapAxes(this.powerToDb ? this.#decibels(bands) : bands, { axis1: -1, axis2: -2 });
  }

  #decibels(power: Tensor): Tensor {
    const { minPower, refPower, topDb } = this;
    const reference = 10 * Math.log10(Math.max(Math.abs(refPower), minPower));
    const decibels = sub(mul(log10(maximum(power, minPower)), 10), reference);
    return maximum(decibels, sub(max(decibels), topDb));
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    const length = inputShape.at(-1) ?? null;
    const frames = length === null ? null : Math.floor(length / this.sequenceStride) + 1;
    return [...inputShape.slice(0, -1), this.numMelBins, frames];
  }
}

/**
 * The short-time spectra of sounds, summed in bands of the mel scale: in decibels, or as powers of magnitudes. Shapes:
 * [batch, n] or [n] → [batch, numMelBins, frames], frames = ⌊n / sequenceStride⌋ + 1. float32. The decibels of a batch are
 * limited together, as in Keras.
 * Source: S. Stevens et al., "A Scale for the Measurement of the Psychological Magnitude Pitch", 1937.
 * Errors: ValueError for invalid options; ShapeError for a sound shorter than half of a transform.
 */
export const melSpectrogram = /* @__PURE__ */ factoryOf(MelSpectrogram, [
  'fftLength',
  'sequenceStride',
  'sequenceLength',
  'window',
  'samplingRate',
  'numMelBins',
]);
