/**
 * @file The initializer of spectrograms: waves under a window. Files don't refer to it, so it is not in the table of named
 * initializers, which every app with a model loads.
 */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { isListOf } from '../../../core/lists.ts';
import { type OptionNames, optionsOf } from '../../../core/options.ts';
import { describe, formatShape, oneOf, requireBoolean, type Shape } from '../../../core/shape.ts';
import { foldedName } from '../../../core/suggest.ts';
import { tensor } from '../../../tensor/create.ts';
import type { Initializer } from '../../initializers/initializer.ts';

/** The weights of cosines of growing frequency that windows are made of. Source: SciPy, scipy.signal.windows. */
const cosines = {
  boxcar: [1],
  hann: [0.5, 0.5],
  hamming: [0.54, 0.46],
  blackman: [0.42, 0.5, 0.08],
  nuttall: [0.3635819, 0.4891775, 0.1365995, 0.0106411],
  blackmanharris: [0.35875, 0.48829, 0.14128, 0.01168],
  flattop: [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368],
} as const;

/** A window by its name in SciPy, its values, or null for none. */
export type Window = keyof typeof cosines | readonly number[] | null;
/** Divisor of the sum under the window: the root of the window's energy ('density'), its sum ('spectrum'), or 1 (null). */
export type WindowScaling = 'density' | 'spectrum' | null;

/** Options of `stft`. */
export interface STFTInitializerOptions {
  /** Cosines ('real', default), or negative sines ('imag'). */
  side?: 'real' | 'imag';
  /** Default 'hann'. */
  window?: Window;
  /** Default 'density'. */
  scaling?: WindowScaling;
  /** Whether the window continues periodically; by default it is symmetric. */
  periodic?: boolean;
}

const optionNames: OptionNames<STFTInitializerOptions> = {
  side: true,
  window: true,
  scaling: true,
  periodic: true,
};

/**
 * Waves of all frequencies of a Fourier transform under a window, for kernels [frameLength, 1, frequencies] of convolutions.
 * Errors: ValueError for options; ShapeError, when called, for other shapes.
 */
export function stft(options?: STFTInitializerOptions): Initializer;
export function stft(...args: unknown[]): Initializer {
  const given: STFTInitializerOptions = optionsOf('STFT', args, optionNames);
  const side = oneOf('STFT', 'side', given.side ?? 'real', ['real', 'imag'] as const);
  const { periodic = false } = given;
  requireBoolean('STFT', 'periodic', periodic);
  const window = windowOption('STFT', given.window);
  const scaling = scalingOption('STFT', given.scaling);
  return {
    className: 'STFT',
    call: (shape) => {
      const [frameLength, frequencies] = sizesOf(shape);
      const values = window && windowValues(window, frameLength, periodic);
      return tensor(waves(side, frameLength, frequencies, values && normalized(values, scaling)), { shape });
    },
    getConfig: () => ({ side, window, periodic, scaling }),
  };
}

/** The option `window`. Errors: ValueError. */
export function windowOption(op: string, given: Window = 'hann'): Window {
  if (given === null || isListOf(given, (n) => Number.isFinite(n))) return given as Window;
  return oneOf(op, 'window', foldedName(given), Object.keys(cosines) as (keyof typeof cosines)[]);
}

/** The option `scaling`. Errors: ValueError. */
export function scalingOption(op: string, given: WindowScaling = 'density'): WindowScaling {
  return given === null ? null : oneOf(op, 'scaling', given, ['density', 'spectrum'] as const);
}

function windowValues(window: NonNullable<Window>, length: number, periodic: boolean): readonly number[] {
  if (typeof window !== 'string') {
    if (window.length === length) return window;
    throw new ValueError({
      op: 'STFT',
      rule: '`window` has a value for each element of a frame.',
      received: `${window.length} values for frames of ${length}`,
      hint: 'pass as many, or the name of a window.',
    });
  }
  const turn = (2 * Math.PI) / Math.max(1, periodic ? length : length - 1);
  const valueAt = (i: number) =>
    cosines[window].reduce((sum, weight, k) => sum + (-1) ** k * weight * Math.cos(k * i * turn), 0);
  return Array.from({ length }, (_, i) => (length === 1 ? 1 : valueAt(i)));
}

function normalized(window: readonly number[], scaling: WindowScaling): number[] {
  const sum = (term: (w: number) => number) => window.reduce((total, w) => total + term(w), 0);
  const scale = { density: () => Math.sqrt(sum((w) => w * w)), spectrum: () => sum(Math.abs) };
  const divisor = scaling === null ? 1 : scale[scaling]();
  return window.map((w) => w / divisor);
}

function waves(
  side: 'real' | 'imag',
  length: number,
  frequencies: number,
  window: readonly number[] | null,
): Float32Array<ArrayBuffer> {
  const wave = side === 'real' ? Math.cos : Math.sin;
  const step = -Math.PI / Math.max(1, frequencies - 1);
  return Float32Array.from({ length: length * frequencies }, (_, i) => {
    const time = Math.floor(i / frequencies);
    return wave(step * time * (i % frequencies)) * (window ? (window[time] as number) : 1);
  });
}

function sizesOf(shape: Shape): [frameLength: number, frequencies: number] {
  const [frameLength, channels, frequencies, ...more] = shape;
  if (frequencies !== undefined && more.length === 0 && channels === 1)
    return [frameLength as number, frequencies];
  throw new ShapeError({
    op: 'STFT',
    rule: 'the weight is a kernel [frameLength, 1, frequencies].',
    received: formatShape(shape),
    hint: `choose another initializer for ${describe(shape)}.`,
  });
}
