/** @file Softmax: values as probabilities. */
import { sub } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { logSumExp } from '../../../ops/reductions/logSumExp.ts';
import { softmax as probabilities } from '../../../ops/activations/softmax.ts';
import { exp } from '../../../ops/elementwise/unary.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { axisOrAxes } from '../normalization/unitNormalization.ts';
import { type CallOptions, checked, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface SoftmaxOptions extends LayerOptions {
  /** The axis, or the axes, whose values sum to 1. Default -1. */
  axis?: number | readonly number[];
}

/** Added to masked values, so that their probability is 0. */
const hidden = -1e9;

export class Softmax extends /* @__PURE__ */ layer<SoftmaxOptions>('Softmax', () => ({
  axis: checked(axisOrAxes, -1),
})) {
  override readonly supportsMasking: boolean = true;
  override readonly takesMask: boolean = true;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(x: Tensor, { mask }: CallOptions): Tensor {
    if (!mask) return this.#normalize(x);
    const shown = cast(mask as Tensor, 'bool');
    // Where a mask hides a whole axis, all probabilities are 0.
    return where(shown, this.#normalize(where(shown, x, hidden)), 0);
  }

  #normalize(x: Tensor): Tensor {
    const axes = Array.isArray(this.axis) ? this.axis : [this.axis];
    if (axes.length === 1) return probabilities(x, { axis: axes[0] as number });
    return exp(sub(x, logSumExp(x, { axis: axes, keepDims: true })));
  }
}

/**
 * exp(x) over its sum along `axis`. Shape: that of the input. float32. A mask of the input's shape, passed to the call,
 * excludes values. Errors: ValueError for an invalid axis; ShapeError for one that the input lacks.
 */
export const softmax = /* @__PURE__ */ factoryOf(Softmax, ['axis']);
