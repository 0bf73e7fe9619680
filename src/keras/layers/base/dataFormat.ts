/** @file Sizes along the axes of sequences and images, and the order of these axes. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { foldedName } from '../../../core/suggest.ts';
import type { Option } from '../../options/option.ts';

/** One number for both axes of an image, or one per axis. */
export type Pair = number | readonly [number, number];
/** One number for all axes of a volume, or one per axis. */
export type Triple = number | readonly [number, number, number];
/** A number, or a list of one number, as in configurations. */
export type Single = number | readonly [number];

/** The kind of `dataFormat`. */
export function channelsLast(): Option<'channelsLast'> {
  return {
    read: (given, { op }) => {
      requireChannelsLast(op, given);
      return 'channelsLast';
    },
  };
}

export interface DataFormatOptions {
  /** Only 'channelsLast' is supported: channels are the last axis. */
  dataFormat?: 'channelsLast' | null;
}

/** Throws unless `dataFormat` is 'channelsLast' or missing. */
export function requireChannelsLast(op: string, dataFormat: unknown): void {
  if (dataFormat === undefined || dataFormat === null || foldedName(dataFormat) === 'channelslast') return;
  throw new ValueError({
    op,
    rule: "`dataFormat` must be 'channelsLast': channels are the last axis.",
    received: `dataFormat: ${describe(dataFormat)}`,
    hint: 'omit it, and transpose channels-first data: permute({ dims: [2, 3, 1] }).',
  });
}
