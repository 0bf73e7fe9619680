/** @file ScheduleFreeAdamW. */
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { sqrt } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { copyValues } from './copyValues.ts';
import { OpMoments } from './opMoments.ts';
import type { DynamicTensor } from './opStepEngine.ts';
import { factoryOf, integer, moments, optimizer, within, type OptimizerOptions } from './declare.ts';

export interface ScheduleFreeAdamWOptions extends OptimizerOptions {
  /** Where gradients are taken, between the averaged weights (1) and the fast weights (near 0); in (0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the root of the squared mean. Default 1e-8. */
  epsilon?: number;
  /** Steps over which the learning rate grows to its value. Default 0. */
  warmupSteps?: number;
}

export class ScheduleFreeAdamW extends /* @__PURE__ */ optimizer<ScheduleFreeAdamWOptions, OpMoments>(
  'ScheduleFreeAdamW',
  OpMoments,
  () => ({
    ...moments(1e-8),
    beta1: within('a number in (0, 1)', (n) => n > 0 && n < 1, 0.9),
    warmupSteps: integer({ min: 0, default: 0 }),
  }),
  { defaults: { learningRate: 0.0025 } },
) {
  #rate = 0;
  /** The weight of the step in the average of all steps. */
  #share = 1;
  /** Bias correction: divisor of the mean of squares, which starts at 0. */
  #correction = 1;

  /** The fast weights start at the variable's value. */
  protected override momentumOf(variable: Variable, name: string): Variable {
    const momentum = super.momentumOf(variable, name);
    copyValues(variable, momentum);
    return momentum;
  }

  protected override advance(step: number, rate: number): void {
    this.#rate = rate * (this.warmupSteps > 0 ? Math.min(step / this.warmupSteps, 1) : 1);
    this.#share = 1 / step;
    this.#correction = 1 - this.beta2 ** step;
  }

  protected override update(
    value: Tensor,
    gradient: Tensor,
    [fastest, squares]: readonly [Tensor, Tensor],
    scalar: DynamicTensor,
    squared: Tensor,
  ): Tensor[] {
    const { beta1, beta2, epsilon } = this;
    const velocity = add(squares, mul(sub(squared, squares), 1 - beta2));
    const length = add(
      sqrt(
        div(
          velocity,
          scalar(() => this.#correction),
        ),
      ),
      epsilon,
    );
    const next = sub(
      fastest,
      div(
        mul(
          gradient,
          scalar(() => this.#rate),
        ),
        length,
      ),
    );
    const average = mul(sub(value, mul(fastest, 1 - beta1)), 1 / beta1);
    const averaged = add(
      average,
      mul(
        sub(next, average),
        scalar(() => this.#share),
      ),
    );
    return [add(mul(next, 1 - beta1), mul(averaged, beta1)), next, velocity];
  }
}

/**
 * AdamW without a learning rate schedule: instead, weights are averaged, and gradients are taken between the average and the
 * fast weights. Default learning rate 0.0025.
 * Source: Defazio et al., The road less scheduled, 2024. Errors: ValueError for options.
 */
export const scheduleFreeAdamW = /* @__PURE__ */ factoryOf(ScheduleFreeAdamW, [
  'learningRate',
  'beta1',
  'beta2',
  'epsilon',
  'warmupSteps',
]);
