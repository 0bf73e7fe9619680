/**
 * @file Initializer, regularizer and constraint of a weight. Options and configurations name them after the weight:
 * `kernelInitializer`, `kernelRegularizer`, `kernelConstraint`.
 */
import { type Constraint, constraintOf } from '../../constraints/index.ts';
import { configOf } from '../../namedObjects.ts';
import { type Initializer, type InitializerLike, initializerOf } from '../../initializers/index.ts';
import { type Regularizer, regularizerOf } from '../../regularizers/index.ts';

export interface WeightRules {
  readonly initializer: Initializer;
  readonly regularizer: Regularizer | null;
  readonly constraint: Constraint | null;
}

/** The rules of `weight`, from the options named after it. Errors: ValueError for unknown names. */
export function weightRules(options: object, weight: string, initializer: InitializerLike): WeightRules {
  const given = options as Readonly<Record<string, unknown>>;
  const optionOf = (kind: string) => given[`${weight}${kind}`] as never;
  return {
    initializer: initializerOf(optionOf('Initializer') ?? initializer),
    regularizer: regularizerOf(optionOf('Regularizer')),
    constraint: constraintOf(optionOf('Constraint')),
  };
}

/** The rules of all weights as configuration options, in Keras's order: initializers, regularizers, constraints. */
export function rulesConfig(rules: Readonly<Record<string, WeightRules>>): Record<string, unknown> {
  const entries = (kind: keyof WeightRules) =>
    Object.entries(rules).map(([weight, rule]) => [
      `${weight}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
      configOf(rule[kind]),
    ]);
  return Object.fromEntries([...entries('initializer'), ...entries('regularizer'), ...entries('constraint')]);
}
