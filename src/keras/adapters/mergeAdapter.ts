/** @file Adds the product of an adapter to its weight, and subtracts it again. */
import { div, sub } from '../../ops/elementwise/arithmetic.ts';
import { type Adapter, factorOf, merged, productOf } from '../layers/base/adapterValues.ts';
import type { AdaptableLayer } from './targets.ts';

/** Adds the product of an adapter of `layer` to its weight. */
export function mergeAdapter(layer: AdaptableLayer['layer'], adapter: Adapter): void {
  const { weight, magnitude } = adapter;
  // The sum has other lengths than the weight before: what they were divided by is lost otherwise.
  if (magnitude) layer.setFactor(adapter, factorOf(magnitude, adapter, weight));
  weight.assign(merged(adapter));
}

/** Subtracts the product of an adapter of `layer` from its weight again, which may leave a rounding error. */
export function unmergeAdapter(layer: AdaptableLayer['layer'], adapter: Adapter): void {
  const { weight, factor } = adapter;
  weight.assign(sub(factor ? div(weight, factor) : weight, productOf(adapter)));
  layer.setFactor(adapter, null);
}
