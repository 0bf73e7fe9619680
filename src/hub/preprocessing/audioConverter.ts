/** @file AudioConverter: makes sounds the spectrograms that a pretrained network takes. */
import { describe } from '../../core/describe.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { describe as describeShape, requireBoolean } from '../../core/shape.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { add, div, sub } from '../../ops/elementwise/arithmetic.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { log10, square } from '../../ops/elementwise/unary.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { stft } from '../../ops/signals/stft.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Bands of equal width on Slaney's mel scale, which is linear below 1000 Hz, from 0 Hz to the highest frequency. */
interface Bands {
  /** Number of frequencies, from 0 to half of the sampling rate. */
  readonly bins: number;
  readonly numMels: number;
  readonly samplingRate: number;
  /** The upper edge of the last band, in Hz. */
  readonly maxFrequency: number;
}

/** Where the scale becomes logarithmic: 15 mel, after which 27 mel are a factor of 6.4. */
const bend = { hertz: 1000, mel: 15 };
const perMel = Math.log(6.4) / 27;

const melOf = (hertz: number): number =>
  hertz < bend.hertz ? (3 * hertz) / 200 : bend.mel + Math.log(hertz / bend.hertz) / perMel;

const hertzOf = (mel: number): number =>
  mel < bend.mel ? (200 * mel) / 3 : bend.hertz * Math.exp((mel - bend.mel) * perMel);

/** The matrix [bins, numMels]: triangles over frequencies, each with the area 1. Source: M. Slaney, "Auditory Toolbox", 1998. */
function slaneyMelWeights({ bins, numMels, samplingRate, maxFrequency }: Bands): Float32Array<ArrayBuffer> {
  const step = melOf(maxFrequency) / (numMels + 1);
  const edges = Array.from({ length: numMels + 2 }, (_, i) => hertzOf(i * step));
  const weights = new Float32Array(bins * numMels);
  for (let bin = 0; bin < bins; bin++) {
    const hertz = (bin * samplingRate) / 2 / (bins - 1);
    for (let band = 0; band < numMels; band++) {
      const [from, peak, to] = edges.slice(band, band + 3) as [number, number, number];
      const height = Math.min((hertz - from) / (peak - from), (to - hertz) / (to - peak));
      weights[bin * numMels + band] = (Math.max(0, height) * 2) / (to - from);
    }
  }
  return weights;
}

/** A sound of one channel: its values, at the network's sampling rate. */
export type Sound = Float32Array | Tensor;

/** Options of an AudioConverter. */
export interface AudioConverterOptions {
  /** Whether longer sounds than the network's window are cut. Otherwise all are filled up to the longest. Default true. */
  readonly truncate?: boolean | undefined;
}

/** Makes sounds the spectrograms that a network takes: float32 [n, frames, bands]. */
export type AudioConverter = (sounds: Sound | readonly Sound[], options?: AudioConverterOptions) => Tensor;

/** How sounds are converted. */
export interface AudioConversion {
  /** Values per second. */
  readonly samplingRate: number;
  /** Number of bands. */
  readonly numMels: number;
  /** Values of each transform. */
  readonly fftLength: number;
  /** Distance between frames. */
  readonly stride: number;
  /** Number of values of a window: longer sounds are cut, unless they are wanted whole, and shorter ones filled up with silence. */
  readonly length: number;
}

/** Returns a converter. Errors of it: ValueError for anything but sounds; ShapeError for tensors of several channels. */
export function audioConverterOf(conversion: AudioConversion): AudioConverter {
  const { numMels, fftLength, samplingRate, length: window, stride } = conversion;
  const bins = Math.floor(fftLength / 2) + 1;
  // Of the networks that were trained so, all hear up to 8 kHz.
  const weights = slaneyMelWeights({ bins, numMels, samplingRate, maxFrequency: 8000 });
  return (sounds, options = {}) =>
    tidy(() => {
      const op = 'AudioConverter';
      checkOptions(op, options, ['truncate']);
      const { truncate = true } = options;
      requireBoolean(op, 'truncate', truncate);
      const list = (Array.isArray(sounds) ? sounds : [sounds]) as readonly Sound[];
      requireSounds(list);
      const longest = list.reduce((most, sound) => Math.max(most, lengthOf(sound)), window);
      const length = truncate ? window : longest;
      const signals = stack(list.map((sound) => filled(sound, length)));
      const [real, imaginary] = stft(signals, { sequenceLength: fftLength, sequenceStride: stride });
      const power = add(square(real), square(imaginary));
      const bands = matMul(power, tensor(weights, { shape: [bins, numMels] }));
      const frames = Math.floor(length / stride);
      // The frame around the end isn't used.
      const size = [list.length, frames, numMels];
      return normalized(slice(bands, { begin: [0, 0, 0], size }));
    });
}

/** Logarithms, at most 8 below the largest of each sound, in a range around 0. Source: Radford et al., 2022. */
function normalized(bands: Tensor): Tensor {
  const logs = log10(maximum(bands, 1e-10));
  const loudest = max(logs, { axis: [1, 2], keepDims: true });
  return div(add(maximum(logs, sub(loudest, 8)), 4), 4);
}

const lengthOf = (sound: Sound) => (sound instanceof Tensor ? sound.size : sound.length);

function filled(sound: Sound, length: number): Tensor {
  const values = sound instanceof Tensor ? sound : tensor(sound);
  const count = Math.min(length, values.shape[0] as number);
  const begun = slice(values, { begin: [0], size: [count] });
  return count === length ? begun : pad(begun, { paddings: [[0, length - count]] });
}

function requireSounds(list: readonly unknown[]): void {
  for (const sound of list) {
    if (sound instanceof Float32Array && sound.length > 0) continue;
    if (sound instanceof Tensor && sound.dtype === 'float32') {
      if (sound.rank === 1 && sound.size > 0) continue;
      throw new ShapeError({
        op: 'AudioConverter',
        rule: 'a sound has one channel: [length].',
        received: describeShape(sound.shape),
        hint: 'take one channel, or the mean of several.',
      });
    }
    throw notSounds(sound);
  }
  if (list.length === 0) throw notSounds(list);
}

function notSounds(given: unknown): ValueError {
  return new ValueError({
    op: 'AudioConverter',
    rule: 'a sound is a Float32Array with at least one value, or a tensor of float32.',
    received: describe(given),
    hint: 'decode it first: new OfflineAudioContext(1, 1, 16000).decodeAudioData(bytes), then getChannelData(0).',
  });
}
