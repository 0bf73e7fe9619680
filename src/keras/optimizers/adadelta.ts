/** @file Adadelta. */
import { byPosition, type Settings } from '../../core/options.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { adadeltaStep } from '../../kernels/optimizerRules.ts';
import { requireNotNegative, requireShare } from './optionChecks.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `adadelta`. */
export interface AdadeltaOptions extends OptimizerOptions {
  /** Decay of the running mean squares, in [0, 1). Default 0.95. */
  rho?: number;
  /** Added to the mean squares inside their roots. Default 1e-7. */
  epsilon?: number;
}

/** The class of optimizers created by `adadelta`, which documents options and errors. */
export class Adadelta extends FusedOptimizer {
  static override readonly className: string = 'Adadelta';
  readonly rho: number;
  readonly epsilon: number;
  readonly #rate = new DynamicScalar(0);

  constructor(options: AdadeltaOptions = {}) {
    super(options, ['rho', 'epsilon']);
    const { rho = 0.95, epsilon = 1e-7 } = options;
    requireShare(this.name, 'rho', rho);
    requireNotNegative(this.name, 'epsilon', epsilon);
    this.rho = rho;
    this.epsilon = epsilon;
  }

  override get readsSlices(): boolean {
    return true;
  }

  override getConfig(): Record<string, unknown> {
    const { rho, epsilon } = this;
    return { ...super.getConfig(), rho, epsilon };
  }

  protected override get states() {
    return [[{ name: 'accumulated_grad' }, { name: 'accumulated_delta_var' }]];
  }

  protected override get settings() {
    const { rho, epsilon } = this;
    return {
      kernel: adadeltaStep,
      variant: 'plain',
      params: { rate: this.#rate, rho, rest: 1 - rho, epsilon },
    };
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
  }
}

/**
 * Gradients scaled by the root mean square of moves over that of gradients. Default learning rate 0.001; 1 is the paper's.
 * Source: Zeiler, 2012. Errors: ValueError for options.
 */
export function adadelta(
  ...settings: Settings<AdadeltaOptions, ['learningRate', 'rho', 'epsilon']>
): Adadelta;
export function adadelta(...args: unknown[]): Adadelta {
  return new Adadelta(byPosition('adadelta', args, ['learningRate', 'rho', 'epsilon']));
}
