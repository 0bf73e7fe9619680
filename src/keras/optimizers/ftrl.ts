/** @file Ftrl. */
import { DynamicScalar } from '../../webgpu/params.ts';
import { ftrlStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, notNegative, notPositive, optimizer, type OptimizerOptions } from './declare.ts';

export interface FtrlOptions extends OptimizerOptions {
  /** Power of the accumulated squared gradients in the rate, at most 0. Default -0.5. */
  learningRatePower?: number;
  /** Initial value of the sums of squared gradients. Default 0.1. */
  initialAccumulatorValue?: number;
  /** Factor of the sum of absolute weights; it drives weights to exactly 0. Default 0. */
  l1RegularizationStrength?: number;
  /** Factor of the sum of squared weights. Default 0. */
  l2RegularizationStrength?: number;
  /** L2 penalty on the gradients, in contrast to `l2RegularizationStrength`, which only damps the update. Default 0. */
  l2ShrinkageRegularizationStrength?: number;
  /** Added to the root of the accumulator, which makes early steps smaller. Default 0. */
  beta?: number;
}

export class Ftrl extends /* @__PURE__ */ optimizer<FtrlOptions, AdaptiveOptimizer>(
  'Ftrl',
  AdaptiveOptimizer,
  () => ({
    learningRatePower: notPositive(-0.5),
    initialAccumulatorValue: notNegative(0.1),
    l1RegularizationStrength: notNegative(0),
    l2RegularizationStrength: notNegative(0),
    l2ShrinkageRegularizationStrength: notNegative(0),
    beta: notNegative(0),
  }),
) {
  readonly #twiceL2 = new DynamicScalar(0);

  protected override get states() {
    return [[{ name: 'accumulator', initial: this.initialAccumulatorValue }, { name: 'linear' }]];
  }

  protected override get settings() {
    const { learningRatePower, l1RegularizationStrength, l2ShrinkageRegularizationStrength } = this;
    const params = {
      rate: this.rate,
      power: -learningRatePower,
      l1: l1RegularizationStrength,
      twice_l2: this.#twiceL2,
      shrinkage: 2 * l2ShrinkageRegularizationStrength,
    };
    return { kernel: ftrlStep, variant: learningRatePower === -0.5 ? 'root' : 'power', params };
  }

  protected override advance(_step: number, rate: number): void {
    const { l2RegularizationStrength, beta } = this;
    this.rate.value = rate;
    this.#twiceL2.value = 2 * l2RegularizationStrength + beta / rate;
  }
}

/**
 * Follow the regularized leader: sparse weights for large, sparse models. Default learning rate 0.001.
 * Source: McMahan et al., Ad click prediction: a view from the trenches, KDD 2013. Errors: ValueError for options.
 */
export const ftrl = /* @__PURE__ */ factoryOf(Ftrl, ['learningRate']);
