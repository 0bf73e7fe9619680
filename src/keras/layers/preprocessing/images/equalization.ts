/** @file Equalization: spreads the values of images evenly over their range. */
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { greater } from '../../../../ops/elementwise/comparison.ts';
import { cumsum } from '../../../../ops/reductions/cumsum.ts';
import { bincount } from '../../../../ops/indexing/bincount.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { min } from '../../../../ops/reductions/extrema.ts';
import { range } from '../../../../ops/creation/range.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';
import { round } from '../../../../ops/elementwise/rounding.ts';
import { slice } from '../../../../ops/arrangement/slice.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats, type ImageChanges, ImageLayer, type ImageLayerOptions, imageTable } from './imageLayer.ts';
import { type Bounds, valueRange } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { type CallOptions, factoryOf, integer, layer } from '../../base/declare.ts';

export interface EqualizationOptions extends ImageLayerOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
  /** The number of distinct values. Default 256. */
  bins?: number;
}

export class Equalization extends /* @__PURE__ */ layer<EqualizationOptions, ImageLayer>(
  'Equalization',
  () => ({ valueRange: valueRange(), bins: integer({ min: 2, default: 256 }), ...imageTable() }),
  ImageLayer,
) {
  /** Returns the images with the values of each channel of the batch replaced by their ranks. */
  transformImages(images: Tensor): Tensor {
    const { bins, valueRange } = this;
    const channels = images.shape[3] as number;
    const bytes = rescaled(asFloats(images), valueRange, [0, 255]);
    const bin = cast(clip(mul(bytes, (bins - 1) / 255), { min: 0, max: bins - 1 }), 'int32');
    // Each channel has its own bins.
    const place = add(bin, mul(range(0, channels, 1, { dtype: 'int32' }), bins));
    const counts = bincount(reshape(place, { shape: [-1] }), null, { size: bins * channels });
    const { ranks, isVaried } = ranksOf(reshape(counts, { shape: [channels, bins] }));
    const equalized = gather(reshape(ranks, { shape: [-1] }), place, { axis: 0, validateIndices: false });
    return rescaled(where(isVaried, equalized, bytes), [0, 255], valueRange);
  }

  protected override changes(_images: Tensor, { training = true }: CallOptions): ImageChanges {
    return { images: (x) => (training ? this.transformImages(x) : asFloats(x)) };
  }
}

/**
 * From counts [channels, bins]: the value in [0, 255] of each bin, and whether a channel has values in more than one bin,
 * [channels].
 */
function ranksOf(counts: Tensor): { ranks: Tensor; isVaried: Tensor } {
  const [channels, bins] = counts.shape as [number, number];
  const below = cast(cumsum(counts, { axis: 1 }), 'float32');
  const total = slice(below, { begin: [0, bins - 1], size: [channels, 1] });
  const first = min(where(greater(below, 0), below, total), { axis: 1, keepDims: true });
  const others = sub(total, first);
  const isVaried = greater(others, 0);
  const ranks = round(div(mul(sub(below, first), 255), where(isVaried, others, 1)));
  return { ranks: clip(ranks, { min: 0, max: 255 }), isVaried: reshape(isVaried, { shape: [channels] }) };
}

/**
 * Replaces values by their ranks, so that they are spread evenly over `valueRange`. As in Keras, ranks are counted for each
 * channel over the whole batch. A channel whose values are all in one bin is unchanged. Inputs are unchanged where `training`
 * is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32, without a gradient.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const equalization = /* @__PURE__ */ factoryOf(Equalization, ['valueRange', 'bins']);
