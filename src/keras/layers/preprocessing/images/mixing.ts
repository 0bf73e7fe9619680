/** @file MixUp and CutMix: mix each image, or a box of it, with another sample, and the labels likewise. */
import { add, div, mul, neg, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { minimum } from '../../../../ops/elementwise/maximum.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';
import { cos } from '../../../../ops/elementwise/trigonometric.ts';
import { expm1, log, sqrt, square } from '../../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import type { DType } from '../../../../core/dtype.ts';
import { argsort } from '../../../../ops/sorting/sort.ts';
import { factoryOf, layer, number } from '../../base/declare.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { pixelsInside, spanOf } from './boxes.ts';
import { type Factor, factorOf } from './imageOptions.ts';

/**
 * Values of the distribution Beta(alpha, alpha) from uniform `u` and `v`.
 * Source: L. Devroye, "Random variate generation in one line of code", 1996.
 */
export function symmetricBeta(alpha: Tensor | number, u: Tensor, v: Tensor): Tensor {
  // Larger exponents wouldn't change the result; the bound keeps it finite.
  const odds = expm1(minimum(div(neg(log(u)), alpha), 80));
  const direction = cos(mul(v, 2 * Math.PI));
  const distance = sqrt(div(odds, add(mul(odds, square(direction)), 1)));
  return mul(add(mul(direction, distance), 1), 0.5);
}

/** The samples of a batch in another order. */
function reordered(x: Tensor, order: Tensor): Tensor {
  return gather(x, order, { axis: 0, validateIndices: false });
}

/** weight · x + (1 - weight) · other, with a weight for each sample. float32. */
function mixed(x: Tensor, order: Tensor, weight: Tensor): Tensor {
  const own = asFloats(x);
  const share = reshape(weight, { shape: [-1, ...own.shape.slice(1).map(() => 1)] });
  return add(mul(share, own), mul(sub(1, share), reordered(own, order)));
}

export interface MixUpOptions extends RandomImageOptions {
  /** The parameter of the beta distribution of mixing weights: for small values, most weights are near 0 or 1. Default 0.2. */
  alpha?: number;
}

/** The random parameters of a batch. */
interface Mix {
  /** The weight of each sample, [batch]. */
  mixWeight: Tensor;
  /** The sample with which each is mixed, int32 [batch]. */
  permutationOrder: Tensor;
}

export class MixUp extends /* @__PURE__ */ layer<MixUpOptions, RandomImageLayer<Mix>>(
  'MixUp',
  () => ({ alpha: number({ min: Number.MIN_VALUE, default: 0.2 }), ...randomTable() }),
  RandomImageLayer,
) {
  override getRandomTransformation({ shape }: Tensor): Mix {
    const batch = [shape[0] as number];
    const permutationOrder = argsort(this.uniform(batch));
    const mixWeight = symmetricBeta(this.alpha, this.uniform(batch), this.uniform(batch));
    return { permutationOrder, mixWeight };
  }

  override transformImages(images: Tensor, { permutationOrder, mixWeight }: Mix): Tensor {
    return mixed(images, permutationOrder, mixWeight);
  }

  override transformLabels(labels: Tensor, mix: Mix): Tensor {
    return this.transformImages(labels, mix);
  }

  override transformSegmentationMasks(masks: Tensor, mix: Mix): Tensor {
    return this.transformImages(masks, mix);
  }

  protected override partDType(): DType {
    return 'float32';
  }
}

/**
 * Mixes each image with another of the batch: weight · image + (1 - weight) · other, and labels (one-hot, or numbers) and
 * masks in the same way. Call it on { images, labels }. Inputs are unchanged where `training` is false. Shapes: images
 * [batch, height, width, channels], labels [batch, …], as the input. float32.
 * Source: H. Zhang et al., "mixup: Beyond Empirical Risk Minimization", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const mixUp = /* @__PURE__ */ factoryOf(MixUp, ['alpha', 'dataFormat', 'seed']);

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
