/** @file Adam. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { adamKernel } from '../../kernels/adam.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { Optimizer, type OptimizerOptions } from './optimizer.ts';

export interface AdamOptions extends OptimizerOptions {
  /** Decay of the running mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the squared mean. Default 1e-7, as in Keras. */
  epsilon?: number;
}

export class Adam extends Optimizer {
  static override readonly className: string = 'Adam';
  protected override readonly stateNames = ['momentum', 'velocity'];
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;

  constructor({ beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, ...options }: AdamOptions = {}) {
    super(options);
    this.#require('beta1', beta1, beta1 >= 0 && beta1 < 1, 'a number in [0, 1)');
    this.#require('beta2', beta2, beta2 >= 0 && beta2 < 1, 'a number in [0, 1)');
    this.#require('epsilon', epsilon, epsilon >= 0, 'a number of at least 0');
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
  }

  override getConfig(): Record<string, unknown> {
    const { beta1, beta2, epsilon } = this;
    return { ...super.getConfig(), beta1, beta2, epsilon };
  }

  protected override update(
    variable: Variable,
    gradient: Tensor,
    { momentum, velocity }: Readonly<Record<string, Variable>>,
    step: number,
  ): void {
    const { beta1, beta2, epsilon, learningRate } = this;
    adamKernel(variable, gradient, momentum as Variable, velocity as Variable, {
      rate: (learningRate * Math.sqrt(1 - beta2 ** step)) / (1 - beta1 ** step),
      momentumShare: 1 - beta1,
      velocityShare: 1 - beta2,
      epsilon,
    });
  }

  #require(what: string, value: unknown, holds: boolean, rule: string): void {
    if (typeof value === 'number' && holds) return;
    throw new ValueError({
      op: this.name,
      rule: `\`${what}\` is ${rule}.`,
      received: `${what}: ${describe(value)}`,
      mend: 'leave it out for the default.',
    });
  }
}

/**
 * Adam: steps scaled by running means of gradients and of their squares, corrected for their start at zero.
 * Source: Kingma and Ba, ICLR 2015. Default learning rate 0.001. Errors: ValueError for options out of range.
 */
export function adam(options?: AdamOptions): Adam {
  return new Adam(options);
}
