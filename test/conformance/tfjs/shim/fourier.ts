/** @file Fourier transforms of complex tensors, which are pairs here. */
import { Tensor } from '../../../../src/index.ts';
import { defineShim, type Loose, native, rejectUnless, toTensor } from './call.ts';
import { ComplexPair, complexPair } from './complexPair.ts';
import { notOffered } from './notOffered.ts';

const partsOf = (x: Loose): [Tensor, Tensor] => [x.real, x.imaginary];

/** Returns the pair of results of a call with two outputs. */
const paired = ([real, imaginary]: readonly [Tensor, Tensor]): ComplexPair => complexPair(real, imaginary);

export const complex = (first: Loose, second: Loose): Loose =>
  paired(
    defineShim('complex', ['real', 'imag'], (a, b) => {
      const [real, imaginary] = [toTensor(a), toTensor(b)];
      rejectUnless(
        String(real.shape) === String(imaginary.shape),
        `real and imag shapes, ${real.shape} and ${imaginary.shape}, must match in call to tf.complex().`,
      );
      return [native('identity')(real), native('identity')(imaginary)];
    })(first, second),
  );

const part = (name: 'real' | 'imaginary') => (x: Loose) =>
  x instanceof ComplexPair
    ? defineShim(name, [], () => native('identity')(x[name]))()
    : notOffered('complex64 tensors');
export const real = part('real');
export const imag = part('imaginary');

const transform = (name: 'fft' | 'ifft') => (x: Loose) => {
  rejectUnless(
    x instanceof ComplexPair,
    `The dtype for tf.spectral.${name}() must be complex64 but got ${x?.dtype}.`,
  );
  return paired(defineShim(name, [], () => native(name)(...partsOf(x)))());
};
export const fft = transform('fft');
export const ifft = transform('ifft');

export const rfft = (value: Loose, fftLength?: number): Loose => {
  const x = toTensor(value);
  rejectUnless(
    !(x instanceof Tensor) || x.dtype === 'float32',
    `The dtype for rfft() must be real value but got ${x?.dtype}`,
  );
  return paired(
    defineShim('rfft', [], () => native('rfft')(x, fftLength === undefined ? {} : { fftLength }))(),
  );
};

/** TF.js uses one matrix for the whole batch. */
export const irfft = defineShim('irfft', [], (x: Loose) => native('irfft')(...partsOf(x)));

export const spectral = { fft, ifft, irfft, rfft };
