/** @file CutMix: pastes a box from another sample into each image. */
import type { DType } from '../../../../core/dtype.ts';
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { argsort } from '../../../../ops/sorting/sort.ts';
import { sqrt } from '../../../../ops/elementwise/unary.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { pixelsInside, spanOf } from './boxes.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Factor, factorOf } from './imageOptions.ts';
import { mixed, reordered, symmetricBeta } from './mixing.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface CutMixOptions extends RandomImageOptions {
  /**
   * Bounds, from 0 to 1, of the parameter of the beta distribution of mixing weights; a number means [0, factor]. Default 1.
   */
  factor?: Factor;
}

/** The random parameters of a batch. */
interface Cut {
  /** The sample from which each box comes, int32 [batch]. */
  permutationOrder: Tensor;
  /** Which pixels are in the box, bool [batch, height, width, 1 or channels]. */
  batchMasks: Tensor;
  /** The fraction of each image outside the box, [batch, 1, 1, 1]. */
  mixWeight: Tensor;
}

export class CutMix extends /* @__PURE__ */ layer<CutMixOptions, RandomImageLayer<Cut>>(
  'CutMix',
  () => ({ factor: factorOf({ min: 0 }, 1), ...randomTable() }),
  RandomImageLayer,
) {
  override getRandomTransformation(images: Tensor): Cut {
    const [batch, height, width] = images.shape as [number, number, number];
    const alpha = add(this.uniform([], this.factor), 1e-6);
    const share = sqrt(sub(1, symmetricBeta(alpha, this.perImage(images), this.perImage(images))));
    const columns = spanOf(width, share, this.perImage(images));
    const rows = spanOf(height, share, this.perImage(images));
    const area = mul(sub(columns[1], columns[0]), sub(rows[1], rows[0]));
    return {
      permutationOrder: argsort(this.uniform([batch])),
      batchMasks: pixelsInside(images, rows, columns),
      mixWeight: sub(1, div(area, height * width)),
    };
  }

  override transformImages(images: Tensor, { permutationOrder, batchMasks }: Cut): Tensor {
    return where(batchMasks, reordered(images, permutationOrder), images);
  }

  override transformLabels(labels: Tensor, { permutationOrder, mixWeight }: Cut): Tensor {
    return mixed(labels, permutationOrder, mixWeight);
  }

  override transformSegmentationMasks(masks: Tensor, cut: Cut): Tensor {
    return this.transformImages(masks, cut);
  }
  protected override partDType(part: string, dtype: DType): DType {
    return part === 'labels' ? 'float32' : dtype;
  }
}

/**
 * Pastes a box from another image of the batch into each image, at the same place; labels (one-hot, or numbers) are mixed by
 * area. Call it on { images, labels }. Inputs are unchanged where `training` is false. Shapes: images [batch, height, width,
 * channels], labels [batch, …], as the input. float32.
 * Source: S. Yun et al., "CutMix: Regularization Strategy to Train Strong Classifiers with Localizable Features", 2019.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const cutMix = /* @__PURE__ */ factoryOf(CutMix, ['factor', 'seed', 'dataFormat']);
