/** @file The Fourier transform of images, as pairs of real tensors. */
import { defineComposite } from '../../ops/define/composite.ts';
import { fft, ifft } from '../../ops/signals/fourier.ts';
import { swapAxes } from '../../ops/arrangement/moveAxis.ts';
import { type ComplexOp, takingPairs } from '../../ops/signals/pairs.ts';
import type { Tensor } from '../../tensor/tensor.ts';

type PairOp = ComplexOp<object, [real: Tensor, imaginary: Tensor]>;

/* @__NO_SIDE_EFFECTS__ */
function ofImages(name: string, ofLines: typeof fft): PairOp {
  const swapped = (x: Tensor) => swapAxes(x, { axis1: -1, axis2: -2 });
  return takingPairs(
    defineComposite({
      name,
      inputs: ['real', 'imaginary'],
      options: {},
      compose: ([real, imaginary]) => {
        const [re, im] = ofLines(real, imaginary);
        const [re2, im2] = ofLines(swapped(re), swapped(im));
        return [swapped(re2), swapped(im2)];
      },
    }),
  );
}

/**
 * The discrete Fourier transform of the last two axes. float32. Shapes: real and imaginary [..., m, n], as two arguments or
 * as a pair → a pair of the same. Errors: as of `fft`.
 */
export const fft2: PairOp = /* @__PURE__ */ ofImages('fft2', fft);

/**
 * The inverse of `fft2`. float32. Shapes: real and imaginary [..., m, n], as two arguments or as a pair → a pair of the same.
 * Errors: as of `fft`.
 */
export const ifft2: PairOp = /* @__PURE__ */ ofImages('ifft2', ifft);
