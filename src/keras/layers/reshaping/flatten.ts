/** @file Flatten: all axes but the batch as one. */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import type { DType } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { reshape } from '../../../ops/reshape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';

/** Options of `flatten`. */
export interface FlattenOptions extends LayerOptions, DataFormatOptions {}

/** The class of layers created by `flatten`, which documents shapes, weights and errors. */
export class Flatten extends Layer {
  static override readonly className: string = 'Flatten';

  static override get optionNames(): OptionNames<FlattenOptions> {
    return { dataFormat: false, ...layerOptionNames };
  }

  readonly dataFormat = 'channelsLast';

  constructor(options: FlattenOptions = {}) {
    super(options);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ minRank: 1 }];
  }

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

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), dataFormat: this.dataFormat };
  }
}

/**
 * All axes but the batch as one, of any dtype. Shapes: [batch, …] → [batch, product of the rest].
 * Errors: ValueError for options.
 */
export function flatten(options?: FlattenOptions): Flatten;
export function flatten(...args: unknown[]): Flatten {
  return make(Flatten, args);
}
