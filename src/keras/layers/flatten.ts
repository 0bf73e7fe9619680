/** @file Flatten: all axes but the batch as one. */
import type { DType } from '../../core/dtype.ts';
import type { OpenShape } from '../../core/shape.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { reshape } from '../../ops/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Layer, type LayerOptions } from './layer.ts';

export class Flatten extends Layer {
  static override readonly className: string = 'Flatten';

  constructor(options: LayerOptions = {}) {
    super(options);
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
}

/** All axes but the batch as one. Shapes: [batch, …] → [batch, product of the rest]. */
export function flatten(options?: LayerOptions): Flatten {
  return new Flatten(options);
}
