/** @file The regularizers, and their names. */
import { type ClassConfig, memberOf } from '../namedObjects.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import { l1, l1l2, l2, orthogonalRegularizer, type Regularizer } from './regularizers.ts';

export {
  l1,
  l1l2,
  type L1L2Options,
  l2,
  orthogonalRegularizer,
  type OrthogonalRegularizerOptions,
  type Regularizer,
} from './regularizers.ts';

const makers = { l1, l2, l1l2, orthogonalRegularizer };

/** A function instead of a regularizer object. It must be registered to be saved in files. */
export type RegularizerFunction = (x: Tensor) => Tensor;

/** A name of a regularizer, or of one that the app registered. */
export type RegularizerName = Spelled<keyof typeof makers> | 'l1_l2' | 'L1L2' | RegisteredAs<'regularizer'>;
/** Identifies a regularizer: a name, a name with options, an object, or a function of a tensor. */
export type RegularizerLike = RegularizerName | Regularizer | ClassConfig | RegularizerFunction;

/**
 * A regularizer by its name (`l1l2`, `l1_l2` or `L1L2`), by `{ className, config }`, itself, or a function of a tensor;
 * null if there is none. Errors: ValueError.
 */
export function regularizerOf(identifier: RegularizerLike | string | null | undefined): Regularizer | null {
  if (identifier === null || identifier === undefined) return null;
  return memberOf({ noun: 'regularizer', makers, example: "a name such as 'l2'" }, identifier);
}
