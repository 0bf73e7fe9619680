/** @file Sizes along the axes of sequences and images, and which axis holds the channels: the option `dataFormat`. */
import { oneOf } from '../../../core/shape.ts';
import type { Option } from '../../options/option.ts';
import { channelsFirst, type ChannelAxis } from './channelsFirst.ts';
import type { AnyLayer } from './layer.ts';

/** One number for both axes of an image, or one per axis. */
export type Pair = number | readonly [number, number];
/** One number for all axes of a volume, or one per axis. */
export type Triple = number | readonly [number, number, number];
/** A number, or a list of one number, as in configurations. */
export type Single = number | readonly [number];

/** The axis of the channels: the last one, or the one before the spatial axes. */
export type DataFormat = 'channelsLast' | 'channelsFirst';

export interface DataFormatOptions {
  /**
   * Where inputs and outputs have their channels: 'channelsLast', [batch, …, channels], or 'channelsFirst', [batch, channels, …]. Shapes
   * in this reference are those of 'channelsLast'; the weights are the same. Channels first are transposed before and after the
   * computation. Default 'channelsLast'.
   */
  dataFormat?: DataFormat | null;
}

/** The kind of `dataFormat`. A layer with channels first is computed with channels last. `axis` says which axis is the first. */
export function dataFormat(axis: ChannelAxis = { axis: 1 }): Option<DataFormat> {
  return {
    read: (given, { op, what }) =>
      oneOf(op, what, given ?? 'channelsLast', ['channelsLast', 'channelsFirst']),
    install(layer, format) {
      if (format === 'channelsFirst') channelsFirst(layer as AnyLayer, axis);
    },
  };
}
