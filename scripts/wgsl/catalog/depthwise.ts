/** @file The depthwise kernels of the catalog. */
import type { BlockOptions } from '../../../shaders/depthwise/blocks.ts';
import type { StripOptions } from '../../../shaders/depthwise/strips.ts';
import type { TapsOptions } from '../../../shaders/depthwise/taps.ts';
import { type Family, entry } from './entry.ts';

const edges = (before: number, after: number) => ({ before, after });

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
      acrossEdges: undefined,
    },
    {
      'stride 2, known edges': { stride: 2, downEdges: edges(0, 1), acrossEdges: edges(0, 1) },
      'input gradient, stride 2': { direction: 'inputGrad', stride: 2, phases: { down: 1, across: 1 } },
      'input gradient, stride 2, known edges': {
        direction: 'inputGrad',
        stride: 2,
        downEdges: edges(1, 0),
        acrossEdges: edges(1, 0),
      },
      block: { width: 1, rows: 1, downEdges: edges(1, 1), acrossEdges: edges(1, 1) },
    },
  ),
  depthwiseTaps: entry<TapsOptions>(
    { width: 4, columns: 4, window: 3, stride: 1 },
    { 'stride 2': { columns: 3, stride: 2 } },
  ),
};
