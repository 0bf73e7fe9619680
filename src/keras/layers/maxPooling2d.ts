/** @file MaxPooling2D: the largest value of each window. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { maxPool } from '../../ops/maxPool.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Layer, type LayerOptions } from './layer.ts';
import { pair } from './options.ts';

export interface MaxPooling2DOptions extends LayerOptions {
  /** Default 2. */
  poolSize?: number | readonly [number, number];
  /** Default: `poolSize`. */
  strides?: number | readonly [number, number] | null;
  /** Default 'valid'. */
  padding?: 'valid' | 'same';
}

export class MaxPooling2D extends Layer {
  static override readonly className: string = 'MaxPooling2D';
  readonly poolSize: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly padding: 'valid' | 'same';

  constructor(options: MaxPooling2DOptions = {}) {
    super(options);
    const { poolSize = 2, strides, padding = 'valid' } = options;
    this.poolSize = pair(this.name, 'poolSize', poolSize);
    this.strides = pair(this.name, 'strides', strides ?? this.poolSize);
    if (padding !== 'valid' && padding !== 'same') {
      throw new ValueError({
        op: this.name,
        rule: "`padding` must be 'valid' or 'same'.",
        received: `padding: ${describe(padding)}`,
        mend: 'pass one of the listed names.',
      });
    }
    this.padding = padding;
    this.inputSpec = [{ rank: 4 }];
  }

  override call(x: Tensor): Tensor {
    const { poolSize, strides, padding } = this;
    return maxPool(x, { poolSize, strides, padding });
  }

  override getConfig(): Record<string, unknown> {
    const { poolSize, strides, padding } = this;
    return { ...super.getConfig(), poolSize, strides, padding };
  }
}

/**
 * The largest value of each window of an image. Shapes: [batch, height, width, channels] → [batch, height', width',
 * channels]. Errors: ValueError for bad options; ShapeError for inputs that aren't images.
 */
export function maxPooling2d(options?: MaxPooling2DOptions): MaxPooling2D {
  return new MaxPooling2D(options);
}
