/** @file Adam, and AdamW. */
import { plainOptions } from '../../core/options.ts';
import { adamStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, flag, moments, optimizer, type OptimizerOptions } from './declare.ts';

export interface AdamOptions extends OptimizerOptions {
  /** Decay of the running mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the squared mean. Default 1e-7, as in Keras. */
  epsilon?: number;
  /** Whether to divide by the largest squared mean so far. Default false. */
  amsgrad?: boolean;
}

const adamTable = () => ({ ...moments(), amsgrad: flag(false) });

export class Adam extends /* @__PURE__ */ optimizer<AdamOptions, AdaptiveOptimizer>(
  'Adam',
  AdaptiveOptimizer,
  adamTable,
) {
  protected override get states() {
    const moments = [{ name: 'momentum' }, { name: 'velocity' }];
    return this.amsgrad ? [moments, [{ name: 'velocity_hat' }]] : [moments];
  }

  protected override get settings() {
    const { beta1, beta2, epsilon, amsgrad } = this;
    return {
      kernel: adamStep,
      variant: amsgrad ? 'amsgrad' : 'plain',
      params: { rate: this.rate, momentum_share: 1 - beta1, velocity_share: 1 - beta2, epsilon },
    };
  }

  /** `rate` is the learning rate with both bias corrections. */
  protected override advance(step: number, rate: number): void {
    this.rate.value = (rate * Math.sqrt(1 - this.beta2 ** step)) / (1 - this.beta1 ** step);
  }
}

export class AdamW extends /* @__PURE__ */ optimizer<AdamOptions, Adam>('AdamW', Adam, adamTable) {
  constructor(options: AdamOptions = {}) {
    super({ ...plainOptions('AdamW', options), weightDecay: options.weightDecay ?? 0.004 });
  }
}

/**
 * Adam: steps from running means of gradients and of their squares, corrected for their initialization at zero.
 * Source: Kingma and Ba, ICLR 2015; AMSGrad: Reddi et al., ICLR 2018. Default learning rate 0.001. Errors: ValueError for
 * options.
 */
export const adam = /* @__PURE__ */ factoryOf(Adam, ['learningRate', 'beta1', 'beta2', 'epsilon']);

/**
 * Adam with decoupled weight decay. Default weight decay 0.004.
 * Source: Loshchilov and Hutter, ICLR 2019. Errors: ValueError for options.
 */
export const adamW = /* @__PURE__ */ factoryOf(AdamW, [
  'learningRate',
  'weightDecay',
  'beta1',
  'beta2',
  'epsilon',
]);
