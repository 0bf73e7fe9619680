/** @file The base of Adam and its variants whose steps are fused: two decays and an epsilon. */
import { FusedOptimizer } from './fusedOptimizer.ts';
import { checkedMoments, type MomentOptions } from './optionChecks.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

export abstract class FusedMoments extends FusedOptimizer {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;

  constructor(options: OptimizerOptions & MomentOptions, names: readonly string[] = []) {
    super(options, ['beta1', 'beta2', 'epsilon', ...names]);
    const { beta1, beta2, epsilon } = checkedMoments(this.name, options);
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
  }

  override getConfig(): Record<string, unknown> {
    const { beta1, beta2, epsilon } = this;
    return { ...super.getConfig(), beta1, beta2, epsilon };
  }
}
