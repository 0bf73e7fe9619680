/** @file The initializers, and their names. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { DType } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import { type ClassConfig, memberOf } from '../namedObjects.ts';
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

/** A function in place of an initializer object. Files know it once it is registered. */
export type InitializerFunction = (shape: Shape, dtype: DType) => Tensor;

export type InitializerName = keyof typeof makers;
export type InitializerLike =
  | InitializerName
  | (string & {})
  | Initializer
  | ClassConfig
  | InitializerFunction;

/**
 * An initializer by its name (`heNormal`, `he_normal` or `HeNormal`), by `{ className, config }`, itself, or a function
 * of shape and dtype. Errors: ValueError.
 */
export function initializerOf(identifier: InitializerLike): Initializer {
  return memberOf(
    {
      noun: 'initializer',
      makers,
      aliases: {
        orthogonalInitializer: 'orthogonal',
        identityInitializer: 'identity',
        normal: 'randomNormal',
        one: 'ones',
        uniform: 'randomUniform',
        zero: 'zeros',
      },
      example: "a name such as 'glorotUniform'",
    },
    identifier,
  );
}
