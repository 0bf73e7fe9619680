/** @file The depthwise kernels of the catalog. */
import type { BlockOptions } from '../../../shaders/depthwise/blocks.ts';
import type { StripOptions } from '../../../shaders/depthwise/strips.ts';
import type { TapsOptions } from '../../../shaders/depthwise/taps.ts';
import { type Family, entry } from './entry.ts';

export const depthwiseKernels: Family = {
  depthwiseBlocks: entry<BlockOptions>(
    { width: 4, block: 4, strided: false },
    { strided: { strided: true } },
  ),
  depthwiseBlocksInputGrad: entry<BlockOptions>(
    { width: 4, block: 4, strided: false },
    { strided: { strided: true } },
  ),
  depthwiseBlocksFilterGrad: entry<BlockOptions>(
    { width: 4, block: 3, strided: false },
    { strided: { strided: true } },
  ),
  depthwiseStrips: entry<StripOptions>(
    {
      direction: 'forward',
      width: 4,
      columns: 4,
      rows: undefined,
      window: 3,
      stride: 1,
      phases: { down: 0, across: 0 },
      downEdges: undefined,
      acrossEdges: { before: 1, after: 1 },
    },
    {
      'stride 2, any columns': { stride: 2, acrossEdges: undefined },
      'input gradient, stride 2': { direction: 'inputGrad', stride: 2, phases: { down: 1, across: 1 } },
      block: {
        width: 1,
        rows: 1,
        downEdges: { before: 1, after: 1 },
      },
    },
  ),
  depthwiseTaps: entry<TapsOptions>(
    { width: 4, columns: 4, window: 3, stride: 1 },
    { 'stride 2': { columns: 3, stride: 2 } },
  ),
};
