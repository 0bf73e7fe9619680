/** @file Sizes along the axes of sequences and images, and the order of these axes. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';

/** One number for both axes of an image, or one for each. */
export type Pair = number | readonly [number, number];
/** A number, or a list of it alone, as configurations have it. */
export type Single = number | readonly [number];

export interface DataFormatOptions {
  /** Channels are the last axis: 'channelsLast', the only value. */
  dataFormat?: 'channelsLast' | null;
}

/** Throws unless `dataFormat` is 'channelsLast' or left out. */
export function requireChannelsLast(op: string, dataFormat: unknown): void {
  if (dataFormat === undefined || dataFormat === null || dataFormat === 'channelsLast') return;
  throw new ValueError({
    op,
    rule: "`dataFormat` is 'channelsLast': channels are the last axis.",
    received: `dataFormat: ${describe(dataFormat)}`,
    hint: 'leave it out, and transpose data whose channels come first: permute({ dims: [2, 3, 1] }).',
  });
}
