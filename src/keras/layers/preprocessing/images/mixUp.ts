/** @file MixUp: mixes images and labels with those of another sample. */
import type { DType } from '../../../../core/dtype.ts';
import { argsort } from '../../../../ops/sorting/sort.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { mixed, symmetricBeta } from './mixing.ts';
import { factoryOf, layer, number } from '../../base/declare.ts';

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
