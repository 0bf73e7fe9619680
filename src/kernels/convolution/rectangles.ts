/** @file The rectangles of pixels by which convolutions that aren't GEMMs divide images (shaders/convolution/rectangles.ts). */
import type { BlockSize, Direction } from '../../../shaders/depthwise/axis.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import { blockCounts, blockGrid } from '../depthwise/blockGrid.ts';

/** Rectangles of `size` that cover the result, as parameters. */
export function rectangleValues(direction: Direction, geometry: ConvolutionGeometry, size: BlockSize) {
  const grid = blockGrid(direction, geometry);
  const { rows: group_rows, columns: group_columns } = blockCounts(grid, size);
  return { count: geometry.batch * group_rows * group_columns, group_rows, group_columns, ...grid };
}
