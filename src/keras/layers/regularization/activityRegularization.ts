/** @file ActivityRegularization: a penalty on the values that pass through. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { checkedOptions, layerOptionNames, make } from '../base/layerOptions.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { l1l2 } from '../../regularizers/index.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `activityRegularization`. */
export interface ActivityRegularizationOptions extends Omit<LayerOptions, 'activityRegularizer'> {
  /** Factor of the sum of absolute values. Default 0. */
  l1?: number;
  /** Factor of the sum of squares. Default 0. */
  l2?: number;
}

/** The class of layers created by `activityRegularization`, which documents shapes, weights and errors. */
export class ActivityRegularization extends Layer {
  static override readonly className: string = 'ActivityRegularization';

  static override get optionNames(): OptionNames<ActivityRegularizationOptions & LayerOptions> {
    return { l1: true, l2: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly l1: number;
  readonly l2: number;

  constructor(given: ActivityRegularizationOptions = {}) {
    checkedOptions(new.target, given);
    const { l1 = 0, l2 = 0, ...options } = given;
    super({ ...options, activityRegularizer: l1l2({ l1, l2 }) });
    this.l1 = l1;
    this.l2 = l2;
  }

  override call(x: Tensor): Tensor {
    return x;
  }

  override getConfig(): Record<string, unknown> {
    const { name, trainable, dtype, l1, l2 } = this;
    return { name, trainable, dtype, l1, l2 };
  }
}

/**
 * Returns its input and adds l1 · Σ|x| + l2 · Σx² to the loss. Shape: that of the input.
 * Errors: ValueError for factors below 0.
 */
export function activityRegularization(options?: ActivityRegularizationOptions): ActivityRegularization;
export function activityRegularization(
  ...settings: Positions<ActivityRegularizationOptions, ['l1', 'l2']>
): ActivityRegularization;
export function activityRegularization(...args: unknown[]): ActivityRegularization {
  return make(ActivityRegularization, args);
}
