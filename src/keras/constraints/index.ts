/** @file The constraints, and their names. */
import type { Tensor } from '../../tensor/tensor.ts';
import { type ClassConfig, memberOf } from '../namedObjects.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import { type Constraint, maxNorm, minMaxNorm, nonNeg, unitNorm } from './constraints.ts';

export {
  type AxisOptions,
  type Constraint,
  maxNorm,
  type MaxNormOptions,
  minMaxNorm,
  type MinMaxNormOptions,
  nonNeg,
  unitNorm,
} from './constraints.ts';

const makers = { maxNorm, minMaxNorm, nonNeg, unitNorm };

/** A function instead of a constraint object. It must be registered to be saved in files. */
export type ConstraintFunction = (w: Tensor) => Tensor;

/** A name of a constraint, or of one that the app registered. */
export type ConstraintName = Spelled<keyof typeof makers | 'nonNegative'> | RegisteredAs<'constraint'>;
/** Identifies a constraint: a name, a name with options, an object, or a function of a tensor. */
export type ConstraintLike = ConstraintName | Constraint | ClassConfig | ConstraintFunction;

/**
 * A constraint by its name (`maxNorm`, `max_norm` or `MaxNorm`), by `{ className, config }`, itself, or a function of a
 * tensor; null if there is none. Errors: ValueError.
 */
export function constraintOf(identifier: ConstraintLike | string | null | undefined): Constraint | null {
  if (identifier === null || identifier === undefined) return null;
  return memberOf(
    { noun: 'constraint', makers, aliases: { nonNegative: 'nonNeg' }, example: "a name such as 'maxNorm'" },
    identifier,
  );
}
