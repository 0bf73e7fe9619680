/** @file Nadam. */
import { DynamicScalar } from '../../webgpu/params.ts';
import { nadamStep } from '../../kernels/optimizers/optimizerRules.ts';
import { HostVariable } from './hostVariable.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, moments, optimizer, type OptimizerOptions } from './declare.ts';

export interface NadamOptions extends OptimizerOptions {
  /** Decay of the running mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the squared mean. Default 1e-7. */
  epsilon?: number;
}

export class Nadam extends /* @__PURE__ */ optimizer<NadamOptions, AdaptiveOptimizer>(
  'Nadam',
  AdaptiveOptimizer,
  () => moments(),
) {
  /** Product of the momenta of all steps so far. */
  #product = 1;
  readonly #live = {
    share_of_momentum: new DynamicScalar(0),
    share_of_gradient: new DynamicScalar(0),
    velocity_scale: new DynamicScalar(0),
  };

  protected override get states() {
    return [[{ name: 'momentum' }, { name: 'velocity' }]];
  }

  protected override get settings() {
    const { beta1, beta2, epsilon } = this;
    const params = {
      ...this.#live,
      rate: this.rate,
      momentum_share: 1 - beta1,
      velocity_share: 1 - beta2,
      epsilon,
    };
    return { kernel: nadamStep, variant: 'plain', params };
  }

  /** Keras keeps the product last, under the name that its variables have by default. */
  protected override get ownNumbers() {
    const product = {
      get: () => this.#product,
      set: (value: number) => {
        this.#product = value;
      },
    };
    return [new HostVariable(`${this.name}/variable`, 'float32', product)];
  }

  protected override advance(step: number, rate: number): void {
    const { beta1, beta2 } = this;
    const [now, next] = [step, step + 1].map((t) => beta1 * (1 - 0.5 * 0.96 ** t)) as [number, number];
    // In float32, as it is saved: a run that resumes continues with the same number.
    this.#product = Math.fround(this.#product * now);
    const live = this.#live;
    this.rate.value = rate;
    live.share_of_momentum.value = next / (1 - this.#product * next);
    live.share_of_gradient.value = (1 - now) / (1 - this.#product);
    live.velocity_scale.value = 1 / (1 - beta2 ** step);
  }
}

/**
 * Adam with Nesterov's momentum, which grows from step to step. Default learning rate 0.001.
 * Source: Dozat, 2016. Errors: ValueError for options.
 */
export const nadam = /* @__PURE__ */ factoryOf(Nadam, ['learningRate', 'beta1', 'beta2', 'epsilon']);
