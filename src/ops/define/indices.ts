/**
 * @file Common code of ops that take indices: their options, the check of indices that the host knows, the report of faults
 * that only the device detects, and the geometry along an axis.
 */
import { type DType, requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { requireNumber } from '../../core/integers.ts';
import {
  checkShape,
  describe,
  formatShape,
  normalizeAxis,
  requireOneOf,
  type Shape,
  sameShape,
  sizeOf,
  unravel,
} from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Indexing, IndexMode } from '../../kernels/indexing/indexing.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Call, IndexedAxis, IndexFault } from './call.ts';

/** How an op treats indices outside their range. */
export interface IndexOptions {
  /**
   * Whether an out-of-range index is a fault: an IndexOutOfRangeError, thrown at the call if the host knows the indices, and
   * otherwise when the result is read. Default true. If unchecked, an out-of-range index selects no row.
   */
  validateIndices?: boolean;
  /**
   * Makes every index valid: 'clip' takes the nearest row, 'wrap' takes indices modulo the number of rows (negative ones
   * count from the last row), 'fill' selects no row.
   */
  mode?: 'clip' | 'wrap' | 'fill';
}

/** Checks the options and the dtype of the indices. */
export function checkIndices(
  op: string,
  name: string,
  indices: TensorSpec,
  { validateIndices, mode }: IndexOptions,
): void {
  requireDType(op, name, indices.dtype, ['int32', 'uint32'] satisfies DType[]);
  if (mode !== undefined) requireOneOf(op, 'mode', mode, ['clip', 'wrap', 'fill']);
  if (validateIndices !== undefined && typeof validateIndices !== 'boolean') {
    throw new ValueError({
      op,
      rule: '`validateIndices` must be true or false.',
      received: `validateIndices: ${describe(validateIndices)}`,
      hint: 'leave it out to have indices validated.',
    });
  }
}

export function kernelMode({ mode }: IndexOptions): IndexMode {
  return mode === 'clip' || mode === 'wrap' ? mode : 'outside';
}

/** The axes that the indices of one call point into. */
export interface IndexTarget {
  /** Input position of the indices. */
  input: number;
  name: string;
  /** The indexed tensor, such as "`x` float32[10, 64]". */
  of: string;
  /** The axes that successive indices point into, cyclically, and their sizes. */
  axes: readonly number[];
  limits: readonly number[];
  hint: string;
  /** Whether negative indices are allowed. */
  ignoresNegative?: boolean;
}

export const readsAsZeros =
  'clamp or mask the indices, or pass validateIndices: false to read such rows as zeros.';
export const isDropped = 'clamp or mask the indices, or pass validateIndices: false to drop such updates.';

/** The `of` text of an IndexTarget. */
export function named(name: string, { shape, dtype }: TensorSpec): string {
  return `\`${name}\` ${formatSpec({ shape, dtype })}`;
}

/** The checks of the indices of a call, as of kernels/indexing/indexing.ts, whose values are loaded with the device. */
export type CheckedIndices = { check: 'none' } | { check: 'all' | 'above'; fault: IndexFault };

/**
 * Checks the indices that the host knows, and returns the checks that the kernel must make.
 * Errors: IndexOutOfRangeError, ValueError for indices that aren't integers.
 */
export function checkingOf(
  call: Call,
  indices: TensorSpec,
  { validateIndices = true, mode }: IndexOptions,
  target: IndexTarget,
): CheckedIndices {
  const validates = validateIndices && mode === undefined;
  const { name, of, axes, limits, hint, ignoresNegative = false } = target;
  const turn = (flat: number): IndexedAxis => {
    const t = flat % axes.length;
    return { name, of, axis: axes[t] as number, limit: limits[t] as number, hint };
  };
  const operand = call.operands[target.input];
  if (!(operand instanceof Tensor)) {
    hostValues(operand).forEach((index, flat) => {
      if (!Number.isInteger(index)) throwFractional(call.op, name, index);
      // Out-of-range indices were uploaded as the nearest int32, which suffices for all modes except 'wrap'.
      if (mode === 'wrap') requireNumber(call.op, name, index, 'int32');
      const { limit } = turn(flat);
      const isOutside = index >= limit || (index < 0 && !ignoresNegative);
      if (validates && isOutside) throw call.indexError(unravel(flat, indices.shape), index, turn(flat));
    });
    return { check: 'none' };
  }
  if (!validates || indices.shape.includes(0)) return { check: 'none' };
  return {
    check: ignoresNegative ? 'above' : 'all',
    // Where indices alternate between axes, the last index of a position determines the axis.
    fault: call.indexFault(indices, (position) => turn(position.at(-1) ?? 0)),
  };
}

/** Throws unless int32 holds the indices of a host operand. For ops without out-of-range indices. */
export function requireInt32(op: string, name: string, operand: unknown): void {
  if (operand instanceof Tensor) return;
  for (const index of hostValues(operand)) requireNumber(op, name, index, 'int32');
}

/** Returns the numbers of a host operand, row-major. */
function hostValues(operand: unknown): readonly number[] {
  // Host values are typed arrays, never a DataView.
  if (ArrayBuffer.isView(operand)) return Array.from(operand as unknown as ArrayLike<number>);
  const list = Array.isArray(operand) ? operand : [operand];
  return list
    .flat(Number.POSITIVE_INFINITY)
    .flatMap((item) => (ArrayBuffer.isView(item) ? hostValues(item) : [Number(item)]));
}

function throwFractional(op: string, name: string, index: number): never {
  throw new ValueError({
    op,
    rule: `\`${name}\` must be integers.`,
    received: `index ${index}`,
    hint: 'round them first.',
  });
}

export interface AxisOptions {
  /** The axis that indices point into. Negative axes count from the last. Default: `batchDims`. */
  axis?: number;
  /** Leading axes that indices and the table share. Negative: counted from the rank of the indices. Default 0. */
  batchDims?: number;
}

export interface AxisGeometry {
  axis: number;
  batchDims: number;
  /** Shape of the gathered values: that of x with `axis` replaced by the axes of the indices. */
  gathered: number[];
  indexing: Indexing;
}

/** The geometry of indices of shape `indices` into `axis` of a table of shape `table`, called `name` in messages. */
export function axisGeometry(
  op: string,
  name: string,
  table: Shape,
  indices: Shape,
  options: AxisOptions & IndexOptions,
): AxisGeometry {
  const batchDims = normalizeBatchDims(op, options.batchDims, indices.length);
  const axis = normalizeAxis(op, options.axis ?? batchDims, table.length);
  if (batchDims > axis) {
    throw new ShapeError({
      op,
      rule: 'batch axes come before `axis`.',
      received: `batchDims: ${batchDims} and axis: ${axis}`,
      hint: 'lower batchDims, or transpose so that the axis comes later.',
    });
  }
  requireSharedBatch(op, name, table, indices, batchDims);
  const rest = indices.slice(batchDims);
  const gathered = [...table.slice(0, axis), ...rest, ...table.slice(axis + 1)];
  checkShape(op, gathered);
  const rows = table[axis] as number;
  return {
    axis,
    batchDims,
    gathered,
    indexing: {
      addressing: 'axis',
      mode: kernelMode(options),
      batch: sizeOf(table.slice(0, batchDims)),
      outer: sizeOf(table.slice(batchDims, axis)),
      rows,
      entries: sizeOf(rest),
      inner: sizeOf(table.slice(axis + 1)),
      limit: rows,
    },
  };
}

/** Batch axes counted from the front. */
export function normalizeBatchDims(op: string, batchDims: unknown, rank: number): number {
  const given = batchDims ?? 0;
  if (Number.isInteger(given) && (given as number) >= -rank && (given as number) <= rank)
    return (given as number) < 0 ? (given as number) + rank : (given as number);
  throw new ShapeError({
    op,
    rule: `\`batchDims\` must be an integer in [${-rank}, ${rank}] for indices of rank ${rank}.`,
    received: `batchDims: ${describe(given)}`,
    hint: 'pass the number of leading axes that indices and x share; 0 for none.',
  });
}

export function requireSharedBatch(
  op: string,
  name: string,
  table: Shape,
  indices: Shape,
  batchDims: number,
): void {
  if (batchDims <= table.length && sameShape(table.slice(0, batchDims), indices.slice(0, batchDims))) return;
  throw new ShapeError({
    op,
    rule: `the first ${batchDims} axes (batchDims) of \`${name}\` and of the indices must be equal.`,
    received: `${name} ${formatShape(table)} and indices ${formatShape(indices)}`,
    hint: 'lower batchDims, or broadcast the indices over the batch.',
  });
}

/** Throws unless the updates have the shape that a gather with these indices would give. */
export function requireUpdates(op: string, updates: TensorSpec, gathered: Shape, shape: Shape): void {
  requireDType(op, 'updates', updates.dtype, ['float32', 'int32', 'uint32']);
  if (sameShape(updates.shape, gathered)) return;
  throw new ShapeError({
    op,
    rule: '`updates` must have the shape that the indices would gather from a tensor of `shape`.',
    received: `updates ${formatShape(updates.shape)}, where shape ${formatShape(shape)} and the indices ask for ${formatShape(gathered)}`,
    hint: 'reshape or broadcast the updates, or correct `shape`, `axis` or `batchDims`.',
  });
}
