/** @file Stochastic gradient descent. */
import { byPosition, plainOptions, type Settings } from '../../core/options.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { sgdStep } from '../../kernels/optimizerRules.ts';
import { requireBoolean, requireNumber } from './optionChecks.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `sgd`. */
export interface SGDOptions extends OptimizerOptions {
  /** Momentum, in [0, 1]. Default 0. */
  momentum?: number;
  /** Whether to use Nesterov momentum. Default false. */
  nesterov?: boolean;
}

/** The class of optimizers created by `sgd`, which documents options and errors. */
export class SGD extends FusedOptimizer {
  static override readonly className: string = 'SGD';
  readonly momentum: number;
  readonly nesterov: boolean;
  readonly #rate = new DynamicScalar(0);

  constructor(options: SGDOptions = {}) {
    super({ learningRate: 0.01, ...plainOptions('SGD', options) }, ['momentum', 'nesterov']);
    const { momentum = 0, nesterov = false } = options;
    requireNumber(this.name, 'momentum', momentum, 'a number in [0, 1]', (n) => n >= 0 && n <= 1);
    requireBoolean(this.name, 'nesterov', nesterov);
    this.momentum = momentum;
    this.nesterov = nesterov;
  }

  override getConfig(): Record<string, unknown> {
    const { momentum, nesterov } = this;
    return { ...super.getConfig(), momentum, nesterov };
  }

  protected override get states() {
    return this.momentum === 0 ? [] : [[{ name: 'momentum' }]];
  }

  protected override get settings() {
    const { momentum, nesterov } = this;
    const variant = momentum === 0 ? 'plain' : nesterov ? 'nesterov' : 'momentum';
    return { kernel: sgdStep, variant, params: { rate: this.#rate, momentum }, reads: 'nothing' } as const;
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
  }
}

/**
 * Gradient descent, with momentum and Nesterov's form of it. Default learning rate 0.01.
 * Source: Sutskever et al., ICML 2013. Errors: ValueError for options.
 */
export function sgd(...settings: Settings<SGDOptions, ['learningRate', 'momentum', 'nesterov']>): SGD;
export function sgd(...args: unknown[]): SGD {
  return new SGD(byPosition('sgd', args, ['learningRate', 'momentum', 'nesterov']));
}
