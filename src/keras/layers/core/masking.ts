/** @file Masking: masks steps whose values are all equal to a given value. */
import type { DType } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { any } from '../../../ops/reductions/anyAll.ts';
import { notEqual } from '../../../ops/elementwise/comparison.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';
import { factoryOf, layer, number, type InputSpec, type LayerOptions } from '../base/declare.ts';

export interface MaskingOptions extends LayerOptions {
  /** A step whose values all equal this is masked. Default 0. */
  maskValue?: number;
}

export class Masking extends /* @__PURE__ */ layer<MaskingOptions>('Masking', () => ({
  maskValue: number({ default: 0 }),
})) {
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];

  override call(x: Tensor): Tensor {
    return where(any(notEqual(x, this.maskValue), { axis: -1, keepDims: true }), x, 0);
  }

  override computeMask(x: Tensor): Nest<Tensor | null> {
    return any(notEqual(x, this.maskValue), { axis: -1 });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }
}

/**
 * Masks the steps whose features are all `maskValue`, and clears them. Shape: that of the input, [batch, time, …,
 * features]; its mask is [batch, time, …]. Errors: ValueError for a `maskValue` that isn't a number.
 */
export const masking = /* @__PURE__ */ factoryOf(Masking, ['maskValue']);
