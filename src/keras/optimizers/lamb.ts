/** @file Lamb. */
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { greater } from '../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { sqrt } from '../../ops/elementwise/unary.ts';
import { euclideanNorm } from '../../ops/reductions/euclideanNorm.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { OpMoments } from './opMoments.ts';
import type { DynamicTensor } from './opStepEngine.ts';
import { factoryOf, moments, optimizer, type OptimizerOptions } from './declare.ts';

export interface LambOptions extends OptimizerOptions {
  /** Decay of the mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the mean squares. Default 1e-7. */
  epsilon?: number;
}

export class Lamb extends /* @__PURE__ */ optimizer<LambOptions, OpMoments>('Lamb', OpMoments, () =>
  moments(),
) {
  #rate = 0;
  /** Bias corrections: divisors of the means, which start at 0. */
  #corrections: readonly [first: number, second: number] = [1, 1];

  protected override advance(step: number, rate: number): void {
    this.#rate = rate;
    this.#corrections = [1 - this.beta1 ** step, 1 - this.beta2 ** step];
  }

  protected override update(
    value: Tensor,
    gradient: Tensor,
    [momentum, velocity]: readonly [Tensor, Tensor],
    scalar: DynamicTensor,
    squared: Tensor,
  ): Tensor[] {
    const { beta1, beta2, epsilon } = this;
    const mean = add(momentum, mul(sub(gradient, momentum), 1 - beta1));
    const squares = add(velocity, mul(sub(squared, velocity), 1 - beta2));
    const corrected = (x: Tensor, i: 0 | 1) =>
      div(
        x,
        scalar(() => this.#corrections[i]),
      );
    const update = div(corrected(mean, 0), add(sqrt(corrected(squares, 1)), epsilon));
    const step = mul(
      trust(value, update),
      scalar(() => this.#rate),
    );
    return [sub(value, mul(step, update)), mean, squares];
  }
}

/** Returns the ratio of the norms of a variable and its update; 1 if one of them is 0. */
function trust(value: Tensor, update: Tensor): Tensor {
  const [own, updates] = [value, update].map((x) => euclideanNorm(x)) as [Tensor, Tensor];
  const areLong = logicalAnd(greater(own, 0), greater(updates, 0));
  return where(areLong, div(own, where(areLong, updates, 1)), 1);
}

/**
 * Adam with steps proportional to the norm of each variable, for large batches. Default learning rate 0.001.
 * Source: You et al., Large batch optimization for deep learning, ICLR 2020. Errors: ValueError for options.
 */
export const lamb = /* @__PURE__ */ factoryOf(Lamb, ['learningRate', 'beta1', 'beta2', 'epsilon']);
