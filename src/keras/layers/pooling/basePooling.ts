/** @file The base of pooling layers: window options. */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames } from '../base/layerOptions.ts';
import { oneOf } from '../../../core/shape.ts';
import { perAxis } from '../../../core/windows.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';

/** `Size` is a number, or one per axis. */
export interface PoolingOptions<Size> extends LayerOptions, DataFormatOptions {
  /** Size of a window along each axis, or one number for all axes. Default 2. */
  poolSize?: Size;
  /** Steps from one window to the next, along each axis. Default: `poolSize`, so that windows touch. */
  strides?: Size | null;
  /** 'valid' takes whole windows only; 'same' pads, so that the result has ceil(size / stride) positions. Default 'valid'. */
  padding?: 'valid' | 'same';
}

export const poolingOptionNames: OptionNames<PoolingOptions<unknown>> = {
  poolSize: true,
  strides: true,
  padding: true,
  dataFormat: false,
  ...layerOptionNames,
};

export abstract class Pooling extends Layer {
  readonly poolSize: readonly number[];
  readonly strides: readonly number[];
  readonly padding: 'valid' | 'same';
  readonly dataFormat = 'channelsLast';

  constructor(rank: 1 | 2 | 3, options: PoolingOptions<unknown> = {}) {
    super(options);
    const { poolSize = 2, strides, padding = 'valid' } = options;
    this.poolSize = perAxis(this.name, 'poolSize', poolSize, rank);
    this.strides = perAxis(this.name, 'strides', strides ?? this.poolSize, rank);
    requireChannelsLast(this.name, options.dataFormat);
    this.padding = oneOf(this.name, 'padding', padding, ['valid', 'same'] as const);
    this.inputSpec = [{ rank: rank + 2 }];
  }

  /** Options of the pooling ops. */
  protected get windows() {
    const { poolSize, strides, padding } = this;
    return { poolSize, strides, padding };
  }

  override getConfig(): Record<string, unknown> {
    const { poolSize, padding, strides, dataFormat } = this;
    return { ...super.getConfig(), poolSize, padding, strides, dataFormat };
  }
}
