/** @file The blocks by which kernels for a known window divide images (shaders/depthwise/axis.ts). */
import {
  type BlockAxis,
  type BlockSize,
  type Direction,
  type Edges,
  valuesBefore,
} from '../../../shaders/depthwise/axis.ts';
import type { WindowAxis } from '../../core/windows.ts';

/** How far blocks begin from multiples of the stride (shaders/depthwise/axis.ts). */
export const phaseOf = (direction: Direction, { stride, before }: WindowAxis) =>
  direction === 'forward' ? 0 : before % stride;

/** Where the values of the first block begin. */
function firstValue(direction: Direction, axis: WindowAxis): number {
  const { window, stride, before } = axis;
  if (direction === 'forward') return -before;
  return Math.floor(before / stride) - valuesBefore(window, stride, phaseOf(direction, axis));
}

interface ImageAxes {
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
}

/** Values of the parameters that place blocks in what is read, and in the result. */
export function blockGrid(direction: Direction, { rows, columns }: ImageAxes) {
  const [from, to] =
    direction === 'forward' ? (['input', 'output'] as const) : (['output', 'input'] as const);
  return {
    from_h: rows[from],
    from_w: columns[from],
    from_row: firstValue(direction, rows),
    from_column: firstValue(direction, columns),
    to_h: rows[to],
    to_w: columns[to],
  };
}

/** Blocks of `size` along each axis. */
export function blockCounts({ to_h, to_w }: ReturnType<typeof blockGrid>, size: BlockSize): BlockSize {
  return { rows: Math.ceil(to_h / size.rows), columns: Math.ceil(to_w / size.columns) };
}

/**
 * The edges of blocks of `size` results of an axis if they can all lie within its results; undefined if one would have to begin between
 * blocks. The first one reads from `first` on.
 */
export function edgesOf(
  { extent, step }: BlockAxis,
  size: number,
  first: number,
  [values, results]: readonly [values: number, results: number],
): Edges | undefined {
  const last = ((results - size) * step) / size;
  if (last < 0 || !Number.isInteger(last)) return undefined;
  const outside = (count: number) => Math.min(extent, Math.max(0, count));
  return { before: outside(-first), after: outside(first + last + extent - values) };
}
