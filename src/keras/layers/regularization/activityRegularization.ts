/** @file ActivityRegularization: a penalty on the values that pass through. */
import type { Tensor } from '../../../tensor/tensor.ts';
import { l1l2, type Regularizer } from '../../regularizers/index.ts';
import { factoryOf, layer, number, type LayerOptions } from '../base/declare.ts';

export interface ActivityRegularizationOptions extends Omit<LayerOptions, 'activityRegularizer'> {
  /** Factor of the sum of absolute values. Default 0. */
  l1?: number;
  /** Factor of the sum of squares. Default 0. */
  l2?: number;
}

export class ActivityRegularization extends /* @__PURE__ */ layer<ActivityRegularizationOptions>(
  'ActivityRegularization',
  () => ({
    l1: number({ min: 0, default: 0 }),
    l2: number({ min: 0, default: 0 }),
  }),
) {
  override readonly supportsMasking: boolean = true;
  override readonly activityRegularizer: Regularizer = l1l2({ l1: this.l1, l2: this.l2 });

  override call(x: Tensor): Tensor {
    return x;
  }

  override getConfig(): Record<string, unknown> {
    const { activityRegularizer: _, ...config } = super.getConfig();
    return config;
  }
}

/**
 * Returns its input and adds l1 · Σ|x| + l2 · Σx² to the loss. Shape: that of the input.
 * Errors: ValueError for factors below 0.
 */
export const activityRegularization = /* @__PURE__ */ factoryOf(ActivityRegularization, ['l1', 'l2']);
