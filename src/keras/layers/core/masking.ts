/** @file Masking: masks steps whose values are all equal to a given value. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { type OpenShape, requireFinite } from '../../../core/shape.ts';
import { any } from '../../../ops/anyAll.ts';
import { notEqual } from '../../../ops/comparison.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `masking`. */
export interface MaskingOptions extends LayerOptions {
  /** A step whose values all equal this is masked. Default 0. */
  maskValue?: number;
}

/** The class of layers created by `masking`, which documents shapes, weights and errors. */
export class Masking extends Layer {
  static override readonly className: string = 'Masking';

  static override get optionNames(): OptionNames<MaskingOptions> {
    return { maskValue: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly maskValue: number;

  constructor(options: MaskingOptions = {}) {
    super(options);
    const { maskValue = 0 } = options;
    requireFinite(this.name, 'maskValue', maskValue);
    this.maskValue = maskValue;
    this.inputSpec = [{ minRank: 2 }];
  }

  override call(x: Tensor): Tensor {
    return where(any(notEqual(x, this.maskValue), { axis: -1, keepDims: true }), x, 0);
  }

  override computeMask(x: Tensor): Nest<Tensor | null> {
    return any(notEqual(x, this.maskValue), { axis: -1 });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), maskValue: this.maskValue };
  }
}

/**
 * Masks the steps whose features are all `maskValue`, and clears them. Shape: that of the input, [batch, time, …,
 * features]; its mask is [batch, time, …]. Errors: ValueError for a `maskValue` that isn't a number.
 */
export function masking(options?: MaskingOptions): Masking;
export function masking(...settings: Positions<MaskingOptions, ['maskValue']>): Masking;
export function masking(...args: unknown[]): Masking {
  return make(Masking, args);
}
