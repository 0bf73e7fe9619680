/** @file AudioConverter: makes sounds the spectrograms that a pretrained network takes. */
import { describe } from '../../core/describe.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe as describeShape } from '../../core/shape.ts';
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
import { slaneyMelWeights } from './slaneyMel.ts';

/** A sound of one channel: its values, at the network's sampling rate. */
export type Sound = Float32Array | Tensor;

/** Makes sounds the spectrograms that a network takes: float32 [n, frames, bands]. */
export type AudioConverter = (sounds: Sound | readonly Sound[]) => Tensor;

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
  /** Number of values: longer sounds are cut, shorter ones filled up with silence. */
  readonly length: number;
}

/** Returns a converter. Errors of it: ValueError for anything but sounds; ShapeError for tensors of several channels. */
export function audioConverterOf(conversion: AudioConversion): AudioConverter {
  const { numMels, fftLength, samplingRate, length, stride } = conversion;
  const bins = Math.floor(fftLength / 2) + 1;
  // Of the networks that were trained so, all hear up to 8 kHz.
  const weights = slaneyMelWeights({ bins, numMels, samplingRate, maxFrequency: 8000 });
  return (sounds) =>
    tidy(() => {
      const list = (Array.isArray(sounds) ? sounds : [sounds]) as readonly Sound[];
      requireSounds(list);
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
