/** @file AugMix: mixes images with augmented versions of themselves. */
import type { DType } from '../../../../core/dtype.ts';
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { randomGamma } from '../../../../ops/random/randomGamma.ts';
import { sum } from '../../../../ops/reductions/sum.ts';
import { unstack } from '../../../../ops/arrangement/unstack.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import {
  type AugmentationOptions,
  augmentationTable,
  colours,
  RandomAugmentation,
  shapeAndTone,
  type Step,
} from './augmentations.ts';
import { asFloats } from './imageLayer.ts';
import { symmetricBeta } from './mixing.ts';
import { factoryOf, flag, integer, layer, number } from '../../base/declare.ts';

/** Options of `augMix`. The default of `factor` is 0.3. */
export interface AugMixOptions extends AugmentationOptions {
  /** How many chains are mixed. Default 3. */
  numChains?: number;
  /** The largest number of changes in a chain. Default 3. */
  chainDepth?: number;
  /** The parameter of the distributions from which mixing weights are sampled. Default 1. */
  alpha?: number;
  /** Whether brightness, contrast, sharpness and fading are among the changes. Default true. */
  allOps?: boolean;
}

/** The random parameters of a batch. */
interface Mixture {
  /** The weight of each chain, [numChains]. */
  chainMixingWeights: Tensor;
  /** The weight of the images themselves, a scalar. */
  weightSample: Tensor;
  chains: readonly (readonly Step[])[];
}

export class AugMix extends /* @__PURE__ */ layer<AugMixOptions, RandomAugmentation<Mixture>>(
  'AugMix',
  () => ({
    ...augmentationTable(0.3),
    numChains: integer({ default: 3 }),
    chainDepth: integer({ min: 0, default: 3 }),
    alpha: number({ min: Number.MIN_VALUE, default: 1 }),
    allOps: flag(true),
  }),
  RandomAugmentation,
) {
  override getRandomTransformation(images: Tensor): Mixture {
    const { numChains, chainDepth, alpha } = this;
    const draw = this.hostDraws();
    const seed = Math.floor(draw() * 2 ** 32);
    const gammas = randomGamma([numChains], { alpha, seed });
    // A step of a chain may be empty.
    const names = [...shapeAndTone, ...(this.allOps ? colours : []), null];
    const chainOf = () =>
      Array.from({ length: chainDepth }, () => names[Math.floor(draw() * names.length)])
        .filter((name) => name != null)
        .map((name) => this.drawStep(name, images));
    return {
      chainMixingWeights: div(gammas, sum(gammas)),
      weightSample: symmetricBeta(alpha, this.uniform([]), this.uniform([])),
      chains: Array.from({ length: numChains }, chainOf),
    };
  }

  override transformImages(images: Tensor, transformation: Mixture): Tensor {
    const [min, max] = this.valueRange;
    return clip(
      mixtureOf(images, transformation, (x, step) => this.takeStep(x, step)),
      { min, max },
    );
  }

  override transformSegmentationMasks(masks: Tensor, transformation: Mixture): Tensor {
    return mixtureOf(asFloats(masks), transformation, (x, step) => this.stepOnMasks(x, step));
  }

  protected override partDType(part: string, dtype: DType): DType {
    return part === 'labels' ? dtype : 'float32';
  }
}

/** weight · x + (1 - weight) · the mixture of the chains. */
function mixtureOf(x: Tensor, transformation: Mixture, take: (x: Tensor, step: Step) => Tensor): Tensor {
  const { chains, chainMixingWeights, weightSample } = transformation;
  const shares = unstack(chainMixingWeights);
  const ends = chains.map((chain, i) => mul(chain.reduce(take, x), shares[i] as Tensor));
  return add(
    mul(weightSample, x),
    mul(
      sub(1, weightSample),
      ends.reduce((a, b) => add(a, b)),
    ),
  );
}

/**
 * Mixes images with the results of `numChains` chains of up to `chainDepth` changes, chosen from those of `randAugment`. All
 * images of a batch get the same changes. They are chosen on the host, so a model with this layer inside can't replay its
 * training steps: apply it in a dataset instead. Inputs are unchanged where `training` is false. Shapes: [batch, height,
 * width, 3], or without a batch, as the input. float32.
 * Source: D. Hendrycks et al., "AugMix: A Simple Data Processing Method to Improve Robustness and Uncertainty", 2019.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const augMix = /* @__PURE__ */ factoryOf(AugMix, [
  'valueRange',
  'numChains',
  'chainDepth',
  'factor',
  'alpha',
  'allOps',
  'interpolation',
  'seed',
]);
