/** @file The initializers, and their names. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { DType } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import { type ClassConfig, memberOf } from '../namedObjects.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import { constant, identity, ones, zeros } from './constant.ts';
import type { Initializer } from './initializer.ts';
import { orthogonal } from './orthogonal.ts';
import { randomNormal, randomUniform, truncatedNormal } from './random.ts';
import {
  glorotNormal,
  glorotUniform,
  heNormal,
  heUniform,
  lecunNormal,
  lecunUniform,
  varianceScaling,
} from './varianceScaling.ts';

export type { Initializer, SeedOptions } from './initializer.ts';
export { orthogonal, type OrthogonalOptions } from './orthogonal.ts';
export {
  type NormalInitializerOptions,
  randomNormal,
  randomUniform,
  truncatedNormal,
  type UniformInitializerOptions,
} from './random.ts';
export { constant, identity, ones, zeros } from './constant.ts';
export {
  type FanOptions,
  glorotNormal,
  glorotUniform,
  heNormal,
  heUniform,
  lecunNormal,
  lecunUniform,
  varianceScaling,
  type VarianceScalingOptions,
} from './varianceScaling.ts';

const makers = {
  constant,
  glorotNormal,
  glorotUniform,
  heNormal,
  heUniform,
  identity,
  lecunNormal,
  lecunUniform,
  ones,
  orthogonal,
  randomNormal,
  randomUniform,
  truncatedNormal,
  varianceScaling,
  zeros,
};

/** A function instead of an initializer object. It must be registered to be saved in files. */
export type InitializerFunction = (shape: Shape, dtype: DType) => Tensor;

const aliases = {
  orthogonalInitializer: 'orthogonal',
  identityInitializer: 'identity',
  normal: 'randomNormal',
  one: 'ones',
  uniform: 'randomUniform',
  zero: 'zeros',
} as const;

/** A name of an initializer, or of one that the app registered. */
export type InitializerName =
  | Spelled<keyof typeof makers | keyof typeof aliases>
  | RegisteredAs<'initializer'>;
/** Identifies an initializer: a name, a name with options, an object, or a function of shape and dtype. */
export type InitializerLike = InitializerName | Initializer | ClassConfig | InitializerFunction;

/**
 * An initializer by its name (`heNormal`, `he_normal` or `HeNormal`), by `{ className, config }`, itself, or a function
 * of shape and dtype. Errors: ValueError.
 */
export function initializerOf(identifier: InitializerLike | string): Initializer {
  return memberOf(
    {
      noun: 'initializer',
      makers,
      aliases,
      example: "a name such as 'glorotUniform'",
    },
    identifier,
  );
}
