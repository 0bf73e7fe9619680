/** @file The regularizers, and their names. */
import { type ClassConfig, memberOf } from '../namedObjects.ts';
import type { Tensor } from '../../tensor/tensor.ts';
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

/** A function in place of a regularizer object. Files know it once it is registered. */
export type RegularizerFunction = (x: Tensor) => Tensor;

export type RegularizerName = keyof typeof makers;
export type RegularizerLike =
  | RegularizerName
  | (string & {})
  | Regularizer
  | ClassConfig
  | RegularizerFunction;

/**
 * A regularizer by its name (`l1l2`, `l1_l2` or `L1L2`), by `{ className, config }`, itself, or a function of a tensor;
 * null where there is none. Errors: ValueError.
 */
export function regularizerOf(identifier: RegularizerLike | null | undefined): Regularizer | null {
  if (identifier === null || identifier === undefined) return null;
  return memberOf({ noun: 'regularizer', makers, example: "a name such as 'l2'" }, identifier);
}
