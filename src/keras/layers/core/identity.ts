/** @file Identity: returns its input. */
import type { Tensor } from '../../../tensor/tensor.ts';
import { factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export class Identity extends /* @__PURE__ */ layer<LayerOptions>('Identity', () => ({})) {
  override readonly supportsMasking: boolean = true;

  override call(x: Tensor): Tensor {
    return x;
  }
}

/**
 * A layer that returns its input, of any shape and dtype.
 * Errors: none.
 */
export const identity = /* @__PURE__ */ factoryOf(Identity);
