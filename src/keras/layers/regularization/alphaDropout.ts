/** @file AlphaDropout: dropout that keeps the mean and the variance of self-normalizing activations. */
import { isFloating } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { add, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { greater } from '../../../ops/elementwise/comparison.ts';
import { dropout as cleared } from '../../../ops/random/dropout.ts';
import { onesLike } from '../../../ops/creation/like.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Dropout, type DropoutOptions, dropoutTable } from './dropout.ts';
import { factoryOf, layer, type CallOptions } from '../base/declare.ts';

/** The limit of selu for large negative values: minus its alpha times its scale. */
const saturation = -1.6732632423543772 * 1.0507009873554805;

export class AlphaDropout extends /* @__PURE__ */ layer<DropoutOptions, Dropout>(
  'AlphaDropout',
  dropoutTable,
  Dropout,
) {
  constructor(options: DropoutOptions) {
    super(options);
    if (this.rate === 1) {
      throw new ValueError({
        op: this.name,
        rule: '`rate` is below 1: nothing would be left to scale.',
        received: 'rate: 1',
        hint: 'pass a fraction such as 0.1.',
      });
    }
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    const { rate, noiseShape } = this;
    if (!training || rate === 0) return x;
    const kept = cleared(onesLike(x), {
      rate,
      noiseShape: noiseShape ?? undefined,
      seed: this.seeds?.draw(),
    });
    const scale = ((1 - rate) * (1 + rate * saturation ** 2)) ** -0.5;
    const chosen = greater(kept, 0);
    const shift = -scale * saturation * rate;
    if (!isFloating(x.dtype)) return add(mul(where(chosen, x, saturation), scale), shift);
    // A mask in the dtype of the values takes half of one of booleans where they are float16.
    const mask = cast(chosen, x.dtype);
    return add(mul(add(mul(x, mask), mul(sub(1, mask), saturation)), scale), shift);
  }
}

/**
 * In training, sets a fraction `rate` of the values to the saturation of selu, and scales and shifts all so that mean and
 * variance are kept; otherwise returns its input. Shape: that of the input. float32. Klambauer et al., Self-normalizing
 * neural networks, NeurIPS 2017.
 * Errors: ValueError for invalid options; ShapeError for a `noiseShape` that doesn't fit.
 */
export const alphaDropout = /* @__PURE__ */ factoryOf(AlphaDropout, ['rate', 'noiseShape', 'seed']);
