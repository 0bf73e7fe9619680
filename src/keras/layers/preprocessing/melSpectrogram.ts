/** @file MelSpectrogram: spectrograms of sounds in bands of the mel scale. */
import type { OptionNames } from '../../../core/options.ts';
import { oneOf, type OpenShape, requireBoolean, requireFinite, requireInteger } from '../../../core/shape.ts';
import { add, mul, sub } from '../../../ops/arithmetic.ts';
import { max } from '../../../ops/extrema.ts';
import { matMul } from '../../../ops/matMul.ts';
import { maximum } from '../../../ops/maximum.ts';
import { swapAxes } from '../../../ops/moveAxis.ts';
import { pow } from '../../../ops/pow.ts';
import { stft } from '../../../ops/stft.ts';
import { log10, sqrt, square } from '../../../ops/unary.ts';
import { tensor } from '../../../tensor/create.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { layerOptionNames } from '../base/layerOptions.ts';
import { melWeights } from './melWeights.ts';
import { factoryOf } from '../../options/factory.ts';

/** Options of `melSpectrogram`. */
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

/** The class of layers created by `melSpectrogram`, which documents shapes, weights and errors. */
export class MelSpectrogram extends Layer {
  static override readonly className: string = 'MelSpectrogram';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      fftLength: true,
      sequenceStride: true,
      sequenceLength: true,
      window: true,
      samplingRate: true,
      numMelBins: true,
      minFreq: true,
      maxFreq: true,
      powerToDb: true,
      topDb: true,
      magExp: true,
      minPower: true,
      refPower: true,
      ...layerOptionNames,
    } satisfies OptionNames<MelSpectrogramOptions>);
  }

  readonly fftLength: number;
  readonly sequenceStride: number;
  readonly sequenceLength: number;
  readonly window: 'hann' | 'hamming' | null;
  readonly samplingRate: number;
  readonly numMelBins: number;
  readonly minFreq: number;
  readonly maxFreq: number;
  readonly powerToDb: boolean;
  readonly topDb: number;
  readonly magExp: number;
  readonly minPower: number;
  readonly refPower: number;

  constructor(options: MelSpectrogramOptions = {}) {
    super(options);
    const { name } = this;
    const { fftLength = 2048, sequenceStride = 512, window = 'hann', samplingRate = 16000 } = options;
    const { numMelBins = 128, minFreq = 20, powerToDb = true, topDb = 80, magExp = 2 } = options;
    const { minPower = 1e-10, refPower = 1 } = options;
    const sequenceLength = options.sequenceLength ?? fftLength;
    requireFinite(name, 'samplingRate', samplingRate, Number.MIN_VALUE);
    const maxFreq = options.maxFreq ?? Math.trunc(samplingRate / 2);
    requireInteger(name, 'sequenceLength', sequenceLength, 1);
    requireInteger(name, 'fftLength', fftLength, sequenceLength);
    requireInteger(name, 'sequenceStride', sequenceStride, 1);
    requireInteger(name, 'numMelBins', numMelBins, 1);
    requireFinite(name, 'minFreq', minFreq, 0);
    requireFinite(name, 'maxFreq', maxFreq, minFreq);
    requireBoolean(name, 'powerToDb', powerToDb);
    for (const [what, value] of Object.entries({ topDb, magExp, minPower, refPower }))
      requireFinite(name, what, value);
    this.fftLength = fftLength;
    this.sequenceStride = sequenceStride;
    this.sequenceLength = sequenceLength;
    this.window = window === null ? null : oneOf(name, 'window', window, ['hann', 'hamming'] as const);
    this.samplingRate = samplingRate;
    this.numMelBins = numMelBins;
    this.minFreq = minFreq;
    this.maxFreq = maxFreq;
    this.powerToDb = powerToDb;
    this.topDb = topDb;
    this.magExp = magExp;
    this.minPower = minPower;
    this.refPower = refPower;
    this.inputSpec = [{ minRank: 1 }];
  }

  override call(x: Tensor): Tensor {
    const { sequenceLength, sequenceStride, fftLength, window } = this;
    const [real, imaginary] = stft(x, { sequenceLength, sequenceStride, fftLength, window });
    const magnitude = sqrt(add(square(real), square(imaginary)));
    const bins = Math.floor(fftLength / 2) + 1;
    const weights = tensor(melWeights({ ...this, bins }), { shape: [bins, this.numMelBins] });
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

  override getConfig(): Record<string, unknown> {
    const { fftLength, sequenceStride, sequenceLength, window, samplingRate, numMelBins } = this;
    const { minFreq, maxFreq, powerToDb, topDb, magExp, minPower, refPower } = this;
    const frames = { fftLength, sequenceStride, sequenceLength, window, samplingRate };
    const bands = { numMelBins, minFreq, maxFreq };
    return { ...super.getConfig(), ...frames, ...bands, powerToDb, topDb, magExp, minPower, refPower };
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
