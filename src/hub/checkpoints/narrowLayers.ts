/** @file Builds networks whose matrices are floats of 16 bits from the start. */
import type { NarrowFloat } from '../../core/packedWeights.ts';
import type { AnyLayer } from '../../keras/layers/base/layer.ts';
import { narrowQuantization } from '../../keras/layers/quantized/quantization.ts';
import { becomeQuantized, classFor } from '../../keras/layers/quantized/quantizedLayers.ts';
import { withBeforeBuild } from '../layers/building.ts';

/** Runs `create`, which builds layers with matrices of `format`. */
export function withNarrowWeights<T>(format: NarrowFloat, create: () => T): T {
  return withBeforeBuild((layer) => {
    const type = classFor(layer as AnyLayer, format);
    if (type) becomeQuantized(layer as AnyLayer, type, narrowQuantization(format));
  }, create);
}
