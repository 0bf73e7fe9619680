/** @file Flatten: all axes but the batch as one. */
import type { DType } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { factoryOf, type InputSpec, layer, type LayerOptions } from '../base/declare.ts';

export interface FlattenOptions extends LayerOptions, DataFormatOptions {}

export class Flatten extends /* @__PURE__ */ layer<FlattenOptions>('Flatten', () => ({
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 1 }];

  override computeOutputShape([batch, ...rest]: OpenShape): OpenShape {
    const size = rest.reduce<number | null>(
      (product, n) => (product === null || n === null ? null : product * n),
      1,
    );
    return [batch ?? null, size];
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }

  override call(x: Tensor): Tensor {
    const [batch = 0, ...rest] = x.shape;
    return reshape(x, { shape: [batch, rest.reduce((product, n) => product * n, 1)] });
  }
}

/**
 * All axes but the batch as one, of any dtype. Shapes: [batch, …] → [batch, product of the rest].
 * Errors: ValueError for options.
 */
export const flatten = /* @__PURE__ */ factoryOf(Flatten);
