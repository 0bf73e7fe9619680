/** @file CategoryEncoding: integers as one-hot, multi-hot or counted features. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { encodeCategories, encodedShape } from './categories.ts';
import {
  type CallOptions,
  factoryOf,
  type InputSpec,
  integer,
  Layer,
  layer,
  type LayerOptions,
  oneOf,
} from '../base/declare.ts';

export interface CategoryEncodingOptions extends LayerOptions {
  /** Number of categories; inputs are from 0 to numTokens - 1. */
  numTokens: number;
  /**
   * The output for the numbers of a sample: 'oneHot', a vector for each; 'multiHot', one vector with ones; 'count', one
   * vector with counts. Default 'multiHot'.
   */
  outputMode?: 'oneHot' | 'multiHot' | 'count';
}

export class CategoryEncoding extends /* @__PURE__ */ layer<CategoryEncodingOptions>(
  'CategoryEncoding',
  () => ({
    numTokens: integer(),
    outputMode: oneOf(['oneHot', 'multiHot', 'count'], 'multiHot'),
  }),
) {
  static override readonly callOptionNames: readonly string[] = [...Layer.callOptionNames, 'countWeights'];
  /** @internal */
  override readonly inputDType: DType = 'int32';
  /** As in Keras, its results are float32 with every policy: counts above 2048 aren't exact in float16. */
  protected override get castPolicy(): null {
    return null;
  }
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 1 }];

  override call(x: Tensor, { countWeights }: CallOptions): Tensor {
    const { numTokens: depth, outputMode: mode } = this;
    const weights = (countWeights as Tensor | null | undefined) ?? null;
    if (weights && mode !== 'count') {
      throw new ValueError({
        op: this.name,
        rule: "only counts have weights: `countWeights` goes with outputMode: 'count'.",
        received: `countWeights with outputMode: '${mode}'`,
        hint: 'leave the weights out.',
      });
    }
    return encodeCategories(x.dtype === 'int32' ? x : cast(x, 'int32'), { mode, depth, weights });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return encodedShape(inputShape, { mode: this.outputMode, depth: this.numTokens });
  }

  protected override outputDType(): DType {
    return 'float32';
  }
}

/**
 * Integers from 0 to numTokens - 1 as float32 features: a 1 for each number ('oneHot'), ones for all numbers of a sample
 * ('multiHot'), or how often each occurs ('count', weighted by the call's `countWeights` if given). Shapes: [batch, n] →
 * [batch, numTokens]; 'oneHot' [batch, n] → [batch, n, numTokens], and [batch, 1] → [batch, numTokens]. Numbers outside the
 * range are ignored.
 * Errors: ValueError for invalid options.
 */
export const categoryEncoding = /* @__PURE__ */ factoryOf(CategoryEncoding, ['numTokens', 'outputMode']);
