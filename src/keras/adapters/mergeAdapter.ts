/** @file Adds an adapter to its weight and bias, and subtracts it again. */
import { div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Adapter, factorOf, merged, mergedBias, productOf } from '../layers/base/adapterValues.ts';
import { besidesFile } from '../layers/base/layerWeights.ts';
import type { AdaptableLayer } from './targets.ts';

/** Adds the product of an adapter of `layer` to its weight, and its bias to that of the layer. */
export function mergeAdapter(layer: AdaptableLayer['layer'], adapter: Adapter): void {
  const { weight, magnitude, bias, layerBias } = adapter;
  if (bias) layerBias?.assign(mergedBias(adapter) as Tensor);
  if (magnitude) {
    // The sum has other lengths than the weight before: what they were divided by is lost otherwise.
    const name = magnitude.path.replace(/magnitude(?=[^/]*$)/, 'factor');
    const initializer = () => factorOf(magnitude, adapter, weight);
    besidesFile(() =>
      layer.setFactor(adapter, [name, { shape: magnitude.shape, initializer, trainable: false }]),
    );
  }
  weight.assign(merged(adapter));
}

/** Subtracts again what `mergeAdapter` has added, which may leave a rounding error. */
export function unmergeAdapter(layer: AdaptableLayer['layer'], adapter: Adapter): void {
  const { weight, factor, bias, layerBias, scale } = adapter;
  if (bias) layerBias?.assign(sub(layerBias, mul(bias, scale)));
  weight.assign(sub(factor ? div(weight, factor) : weight, productOf(adapter)));
  layer.setFactor(adapter, null);
}
