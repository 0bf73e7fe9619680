/** @file Initializers: rules for the initial values of a weight of a given shape. */
import type { DType } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Configured } from '../namedObjects.ts';
import { declaring } from '../options/maker.ts';

/** Creates the initial values of a weight. */
export interface Initializer extends Configured {
  /** Values for a weight of `shape`. A seeded initializer returns the same values at every call. */
  call(shape: Shape, dtype: DType): Tensor;
}

/** Options of random initializers. */
export interface SeedOptions {
  /** An integer in [0, 2^53). Default null: a new seed at every call. */
  seed?: number | null | undefined;
}

/** Declares an initializer. */
export const initializer = /* @__PURE__ */ declaring<Initializer>();
