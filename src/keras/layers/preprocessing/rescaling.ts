/** @file Rescaling: maps values to another range. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { checked, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface RescalingOptions extends LayerOptions {
  /** Factor of the values: a number, or one for each channel. */
  scale: number | readonly number[];
  /** Number added after scaling. Default 0. */
  offset?: number | readonly number[];
}

export class Rescaling extends /* @__PURE__ */ layer<RescalingOptions>('Rescaling', () => ({
  scale: checked(numbers),
  offset: checked(numbers, 0),
})) {
  override readonly supportsMasking: boolean = true;

  protected override outputDType(): DType {
    return 'float32';
  }

  override call(x: Tensor): Tensor {
    const scaled = mul(x.dtype === 'float32' ? x : cast(x, 'float32'), this.scale as number);
    return this.offset === 0 ? scaled : add(scaled, this.offset as number);
  }
}

function numbers(op: string, what: string, value: unknown): number | readonly number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((n) => Number.isFinite(n))) return value as number | number[];
  throw new ValueError({
    op,
    rule: `\`${what}\` is a finite number, or a list of one for each channel.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1 / 255 to scale pixels to [0, 1].',
  });
}

/**
 * x · scale + offset, in float32. Shape: that of the input, of any dtype; lists of numbers run along the last axis.
 * Errors: ValueError for anything but finite numbers; ShapeError for lists that don't fit the channels.
 */
export const rescaling = /* @__PURE__ */ factoryOf(Rescaling, ['scale', 'offset']);
