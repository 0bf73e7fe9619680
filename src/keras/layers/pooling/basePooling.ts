/** @file The base of pooling layers: window options. */
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { Layer, type LayerOptions, oneOf, perAxisOf } from '../base/declare.ts';
import { perAxis } from '../../../core/windows.ts';
import type { OptionPlace } from '../../options/option.ts';

/** `Size` is a number, or one per axis. */
export interface PoolingOptions<Size> extends LayerOptions, DataFormatOptions {
  /** Size of a window along each axis, or one number for all axes. Default 2. */
  poolSize?: Size;
  /** Steps from one window to the next, along each axis. Default: `poolSize`, so that windows touch. */
  strides?: Size | null;
  /** 'valid' takes whole windows only; 'same' pads, so that the result has ceil(size / stride) positions. Default 'valid'. */
  padding?: 'valid' | 'same';
}

/** The table of pools along `rank` axes. */
export const poolingTable = <R extends 1 | 2 | 3>(rank: R) => ({
  poolSize: perAxisOf(rank, 2),
  strides: {
    read: (given: unknown, { op, what, values }: OptionPlace) =>
      perAxis(op, what, given ?? values.poolSize, rank),
  },
  padding: oneOf(['valid', 'same'], 'valid'),
  dataFormat: dataFormat(),
});

export abstract class Pooling extends Layer {
  declare readonly poolSize: readonly number[];
  declare readonly strides: readonly number[];
  declare readonly padding: 'valid' | 'same';

  constructor(options?: LayerOptions) {
    super(options);
    this.inputSpec = [{ rank: this.poolSize.length + 2 }];
  }

  /** Options of the pooling ops. */
  protected get windows() {
    const { poolSize, strides, padding } = this;
    return { poolSize, strides, padding };
  }
}
