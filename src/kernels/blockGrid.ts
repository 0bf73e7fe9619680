/** @file The blocks by which kernels for a known window divide images (shaders/depthwise/axis.ts). */
import { type BlockSize, type Direction, valuesBefore } from '../../shaders/depthwise/axis.ts';
import type { WindowAxis } from '../core/windows.ts';

/** Where the first block begins, in the result and in what is read. */
function firstBlock(direction: Direction, { window, stride, before }: WindowAxis) {
  if (direction === 'forward') return { from: -before, to: 0 };
  // Blocks begin on multiples of the stride, counted from the start of the padding.
  const first = Math.floor(before / stride);
  return { from: first - valuesBefore(window, stride), to: first * stride - before };
}

interface ImageAxes {
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
}

/** Values of the parameters that place blocks in what is read, and in the result. */
export function blockGrid(direction: Direction, { rows, columns }: ImageAxes) {
  const [from, to] =
    direction === 'forward' ? (['input', 'output'] as const) : (['output', 'input'] as const);
  const [down, across] = [firstBlock(direction, rows), firstBlock(direction, columns)];
  return {
    from_h: rows[from],
    from_w: columns[from],
    from_row: down.from,
    from_column: across.from,
    to_h: rows[to],
    to_w: columns[to],
    to_row: down.to,
    to_column: across.to,
  };
}

/** Blocks of `size` along each axis. */
export function blockCounts(
  { to_h, to_w, to_row, to_column }: ReturnType<typeof blockGrid>,
  size: BlockSize,
): BlockSize {
  return {
    rows: Math.ceil((to_h - to_row) / size.rows),
    columns: Math.ceil((to_w - to_column) / size.columns),
  };
}
