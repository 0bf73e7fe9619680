/** @file STFTSpectrogram: spectra of signals over time, by convolutions whose kernels can be trained. */
import { type OpenShape, requireInteger } from '../../../core/shape.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { concat } from '../../../ops/arrangement/concat.ts';
import { conv1d } from '../../../ops/convolution/conv1d.ts';
import { maximum } from '../../../ops/elementwise/maximum.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { pad } from '../../../ops/arrangement/pad.ts';
import { slice } from '../../../ops/arrangement/slice.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import { atan2 } from '../../../ops/elementwise/trigonometric.ts';
import { log, sqrt, square } from '../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { epsilon } from '../../epsilon.ts';
import { scalingOption, stft, type Window, type WindowScaling, windowOption } from './stftKernel.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import {
  factoryOf,
  flag,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  oneOf,
} from '../base/declare.ts';

const modes = ['log', 'magnitude', 'psd', 'real', 'imag', 'angle', 'stft'] as const;

export interface STFTSpectrogramOptions extends LayerOptions, DataFormatOptions {
  /**
   * The output: logarithms of magnitudes ('log', default), 'magnitude', power spectral densities ('psd'), 'real' or imaginary
   * ('imag') parts, 'angle', or both parts one after the other ('stft').
   */
  mode?: (typeof modes)[number];
  /** Values of a frame. Default 256. */
  frameLength?: number;
  /** Distance between frames, at most `frameLength`. Default null: half of it. */
  frameStep?: number | null;
  /** Values of each transform, at least `frameLength`. Default null: the next power of two. */
  fftLength?: number | null;
  /** The window that each frame is multiplied by: its name in SciPy, its values, or null. Default 'hann'. */
  window?: Window;
  /** Whether the window continues periodically; by default it is symmetric. */
  periodic?: boolean;
  /** Divisor of the results: the root of the window's energy ('density', default), its sum ('spectrum'), or 1 (null). */
  scaling?: WindowScaling;
  /** Whether frames cover the ends of the signal, which is padded with zeros ('same'). Default 'valid'. */
  padding?: 'valid' | 'same';
  /** Whether frequencies and channels are separate axes. Default false: they are merged. */
  expandDims?: boolean;
}

export class STFTSpectrogram extends /* @__PURE__ */ layer<STFTSpectrogramOptions>('STFTSpectrogram', () => ({
  mode: oneOf(modes, 'log'),
  frameStep: integer({ default: null }),
  frameLength: {
    read: (given = 256, { op, what, values: { frameStep } }) => {
      requireInteger(op, what, given, (frameStep as number | null) ?? 1);
      return given;
    },
  },
  fftLength: {
    read: (given = null, { op, what, values: { frameLength } }) => {
      if (given !== null) requireInteger(op, what, given, frameLength as number);
      return given as number | null;
    },
  },
  window: { read: (given, { op }) => windowOption(op, given as Window) },
  periodic: flag(false),
  scaling: { read: (given, { op }) => scalingOption(op, given as WindowScaling) },
  padding: oneOf(['valid', 'same'], 'valid'),
  dataFormat: dataFormat(),
  expandDims: flag(false),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
  realKernel: Variable | null = null;
  imagKernel: Variable | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  /** Number of frequencies of a transform. */
  get #frequencies(): number {
    return Math.floor((this.fftLength ?? 2 ** Math.ceil(Math.log2(this.frameLength))) / 2) + 1;
  }

  get #strides(): number {
    return this.frameStep ?? Math.max(1, Math.floor(this.frameLength / 2));
  }

  override build(): void {
    const { window, scaling, periodic } = this;
    const shape = [this.frameLength, 1, this.#frequencies];
    const kernel = (name: string, side: 'real' | 'imag') =>
      this.addWeight(name, { shape, initializer: stft({ side, window, scaling, periodic }) });
    if (this.mode !== 'imag') this.realKernel = kernel('real_kernel', 'real');
    if (this.mode !== 'real') this.imagKernel = kernel('imag_kernel', 'imag');
  }

  override call(x: Tensor): Tensor {
    const channels = x.shape[2] as number;
    const spectra = this.#spectra(transpose(x, { perm: [0, 2, 1] }));
    // [batch, channels, frames, frequencies]
    const perm = this.expandDims ? [0, 2, 3, 1] : [0, 2, 1, 3];
    const arranged = transpose(spectra, { perm });
    const [batch, frames] = arranged.shape as [number, number];
    const frequencies = spectra.shape[3] as number;
    return this.expandDims ? arranged : reshape(arranged, { shape: [batch, frames, channels * frequencies] });
  }

  /** Returns the output of `mode` for signals [batch, channels, time]. */
  #spectra(x: Tensor): Tensor {
    const part = (kernel: Variable | null) => this.#convolved(x, kernel as Variable);
    const { mode } = this;
    if (mode === 'real') return part(this.realKernel);
    if (mode === 'imag') return part(this.imagKernel);
    const [real, imaginary] = [part(this.realKernel), part(this.imagKernel)];
    if (mode === 'angle') return atan2(imaginary, real);
    if (mode === 'stft') return concat([real, imaginary], { axis: 3 });
    const power = add(square(real), square(imaginary));
    if (mode === 'psd') return add(power, this.#mirroredPower(power));
    const magnitude = sqrt(maximum(power, epsilon));
    return mode === 'magnitude' ? magnitude : log(maximum(magnitude, epsilon));
  }

  /** Returns the power of negative frequencies: all but the first and the last frequency have a counterpart. */
  #mirroredPower(power: Tensor): Tensor {
    const inner = slice(power, { begin: [0, 0, 0, 1], size: [-1, -1, -1, this.#frequencies - 2] });
    return pad(inner, {
      paddings: [
        [0, 0],
        [0, 0],
        [0, 0],
        [1, 1],
      ],
    });
  }

  #convolved(x: Tensor, kernel: Variable): Tensor {
    const [batch, channels, time] = x.shape as [number, number, number];
    const lines = reshape(x, { shape: [batch * channels, time, 1] });
    const spectra = conv1d(lines, kernel, { strides: this.#strides, padding: this.padding });
    const [, frames, frequencies] = spectra.shape as [number, number, number];
    return reshape(spectra, { shape: [batch, channels, frames, frequencies] });
  }

  override computeOutputShape([batch = null, time = null, channels = null]: OpenShape): OpenShape {
    const first = this.padding === 'same' ? time : time === null ? null : time - this.frameLength + 1;
    const frames = first === null ? null : Math.max(0, Math.ceil(first / this.#strides));
    const frequencies = this.#frequencies * (this.mode === 'stft' ? 2 : 1);
    if (this.expandDims) return [batch, frames, frequencies, channels];
    return [batch, frames, channels === null ? null : channels * frequencies];
  }
}

/**
 * The short-time spectra of signals, by convolutions whose trainable kernels start as waves under a window. Shapes: [batch,
 * time, channels] → [batch, frames, channels · frequencies], or [batch, frames, frequencies, channels] with `expandDims`.
 * Weights: realKernel and imagKernel [frameLength, 1, frequencies], whichever `mode` needs. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't signals.
 */
export const stftSpectrogram = /* @__PURE__ */ factoryOf(STFTSpectrogram, [
  'mode',
  'frameLength',
  'frameStep',
  'fftLength',
  'window',
]);
