/**
 * @file Initializer, regularizer and constraint of a weight. Options and configurations name them after the weight:
 * `kernelInitializer`, `kernelRegularizer`, `kernelConstraint`.
 */
import type { Constraint } from '../../constraints/index.ts';
import type { Initializer } from '../../initializers/index.ts';
import type { Regularizer } from '../../regularizers/index.ts';

export interface WeightRules {
  readonly initializer: Initializer;
  readonly regularizer: Regularizer | null;
  readonly constraint: Constraint | null;
}
