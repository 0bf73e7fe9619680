/** @file Adagrad. */
import { byPosition, type Settings } from '../../core/options.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { adagradStep } from '../../kernels/optimizerRules.ts';
import { requireNotNegative } from './optionChecks.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `adagrad`. */
export interface AdagradOptions extends OptimizerOptions {
  /** Initial value of the sums of squared gradients. Default 0.1. */
  initialAccumulatorValue?: number;
  /** Added to the sum inside the root. Default 1e-7. */
  epsilon?: number;
}

/** The class of optimizers created by `adagrad`, which documents options and errors. */
export class Adagrad extends FusedOptimizer {
  static override readonly className: string = 'Adagrad';
  readonly initialAccumulatorValue: number;
  readonly epsilon: number;
  readonly #rate = new DynamicScalar(0);

  constructor(options: AdagradOptions = {}) {
    super(options, ['initialAccumulatorValue', 'epsilon']);
    const { initialAccumulatorValue = 0.1, epsilon = 1e-7 } = options;
    requireNotNegative(this.name, 'initialAccumulatorValue', initialAccumulatorValue);
    requireNotNegative(this.name, 'epsilon', epsilon);
    this.initialAccumulatorValue = initialAccumulatorValue;
    this.epsilon = epsilon;
  }

  override get readsSlices(): boolean {
    return true;
  }

  override getConfig(): Record<string, unknown> {
    const { initialAccumulatorValue, epsilon } = this;
    return { ...super.getConfig(), initialAccumulatorValue, epsilon };
  }

  protected override get states() {
    return [[{ name: 'accumulator', initial: this.initialAccumulatorValue }]];
  }

  protected override get settings() {
    return { kernel: adagradStep, variant: 'plain', params: { rate: this.#rate, epsilon: this.epsilon } };
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
  }
}

/**
 * Gradients divided by the root of the sum of their squares so far. Default learning rate 0.001.
 * Source: Duchi, Hazan and Singer, JMLR 2011. Errors: ValueError for options.
 */
export function adagrad(
  ...settings: Settings<AdagradOptions, ['learningRate', 'initialAccumulatorValue', 'epsilon']>
): Adagrad;
export function adagrad(...args: unknown[]): Adagrad {
  return new Adagrad(byPosition('adagrad', args, ['learningRate', 'initialAccumulatorValue', 'epsilon']));
}
