/**
 * @file Columns: the data of one input or output, from which batches of rows are taken. On the device they are taken by
 * a slice or a gather; what is too large for that stays on the host, and is uploaded batch by batch.
 */
import type { DType } from '../../../core/dtype.ts';
import { ShapeError } from '../../../core/errors.ts';
import { formatShape, type Shape, sizeOf } from '../../../core/shape.ts';
import { gather } from '../../../ops/gather.ts';
import { slice } from '../../../ops/slice.ts';
import { type HostArray, type HostValues, type ShapedData, tensor } from '../../../tensor/create.ts';
import { keep } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Entry, Slot } from './slots.ts';

/** Rows of a column: `count` from `from` on, or where an order is given, those at these places of the order. */
export interface Rows {
  readonly from: number;
  readonly count: number;
  readonly order: RowOrder | null;
}

/** An order of rows, on the host and on the device. */
export interface RowOrder {
  readonly host: Int32Array;
  readonly device: Tensor;
}

export interface Column {
  readonly what: string;
  readonly shape: Shape;
  /** A new tensor of some rows. */
  take(rows: Rows): Tensor;
  dispose(): void;
}

/** A column of a tensor; `owned` where it was made here. */
class DeviceColumn implements Column {
  readonly shape: Shape;

  constructor(
    readonly what: string,
    readonly values: Tensor,
    private readonly owned: boolean,
  ) {
    this.shape = values.shape;
  }

  take({ from, count, order }: Rows): Tensor {
    if (!order) return slice(this.values, { begin: [from], size: [count] });
    using indices = slice(order.device, { begin: [from], size: [count] });
    return gather(this.values, indices, { validateIndices: false });
  }

  dispose(): void {
    if (this.owned) this.values.dispose();
  }
}

/** A column of host values. */
class HostColumn implements Column {
  constructor(
    readonly what: string,
    readonly values: HostArray | readonly HostValues[],
    readonly shape: Shape,
    private readonly dtype: DType | undefined,
  ) {}

  take({ from, count, order }: Rows): Tensor {
    const rows = order ? order.host.subarray(from, from + count) : range(from, count);
    const shape = [count, ...this.shape.slice(1)];
    const { values } = this;
    const taken = isTyped(values)
      ? takeTyped(values, rows, sizeOf(shape.slice(1)))
      : Array.from(rows, (row) => values[row] as HostValues);
    return tensor(taken as HostArray, this.dtype === undefined ? { shape } : { shape, dtype: this.dtype });
  }

  dispose(): void {}
}

/**
 * The column of an entry, uploaded where `resident`. `rows` is the number of samples where it is known.
 * Errors: ShapeError for data without an axis of samples, and where a flat array doesn't fit its slot.
 */
export function columnOf(
  op: string,
  { what, values, slot }: Entry,
  resident: boolean,
  rows?: number,
): Column {
  if (values instanceof Tensor) {
    if (values.shape.length === 0) throw noSamples(op, what, '[]');
    return new DeviceColumn(what, values, false);
  }
  const host = values as HostValues;
  const shape = shapeOf(op, what, host, slot, rows);
  if (!resident) return new HostColumn(what, host as HostArray | HostValues[], shape, slot?.dtype);
  return new DeviceColumn(what, upload(host, shape, slot), true);
}

/** Bytes that the values take on the device, were they uploaded; 0 for tensors. */
export function uploadBytes({ values }: Entry): number {
  return values instanceof Tensor ? 0 : 4 * sizeOf(nestingOf(values as HostValues));
}

/** The values of one batch as a tensor, which is freed after its step: a tensor stays what it is. */
export function batchTensor(op: string, { what, values, slot }: Entry, rows?: number): Tensor {
  if (values instanceof Tensor) {
    if (values.shape.length === 0) throw noSamples(op, what, '[]');
    return values;
  }
  const host = values as HostValues;
  return upload(host, shapeOf(op, what, host, slot, rows), slot);
}

function upload(values: HostValues, shape: Shape, slot: Slot | null): Tensor {
  const isLabel = slot?.dtype === undefined;
  return keep(tensor(values, isLabel ? { shape } : { shape, dtype: slot.dtype as DType }));
}

/** The shape of host values: a flat array without a shape of its own takes that of its slot. */
function shapeOf(op: string, what: string, values: HostValues, slot: Slot | null, rows?: number): Shape {
  const own = nestingOf(values);
  if (own.length === 0) throw noSamples(op, what, formatShape(own));
  const isFlat = ArrayBuffer.isView(values) && (values as ShapedData).shape === undefined;
  if (!isFlat || !slot || slot.shape.length === 0 || own[0] === rows) return own;
  const [length] = own as [number];
  const inner = slot.shape.slice(1);
  const size = inner.reduce<number>((product, n) => product * (n ?? Number.NaN), 1);
  if (size > 0 && length % size === 0) return [length / size, ...(inner as number[])];
  // Labels of other shapes than the output are a matter of the loss.
  if (slot.dtype === undefined) return own;
  throw new ShapeError({
    op,
    rule: `a flat array for '${slot.name}' holds samples of shape ${formatShape(inner)}, one after the other.`,
    received: `${what}: ${length} values`,
    mend: 'make a tensor of it: tensor(values, { shape }).',
  });
}

/** Sizes along the first elements; ragged rows are found when they are uploaded. */
function nestingOf(values: HostValues): Shape {
  if (ArrayBuffer.isView(values)) return (values as ShapedData).shape ?? [(values as HostArray).length];
  if (!Array.isArray(values)) return [];
  return values.length === 0 ? [0] : [values.length, ...nestingOf(values[0] as HostValues)];
}

function noSamples(op: string, what: string, shape: string): ShapeError {
  return new ShapeError({
    op,
    rule: 'the first axis of data counts the samples.',
    received: `${what} of shape ${shape}`,
    mend: 'give a single sample an axis: expandDims(x, { axis: 0 }).',
  });
}

function isTyped(values: HostArray | readonly HostValues[]): values is HostArray {
  return ArrayBuffer.isView(values);
}

function range(from: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => from + i);
}

function takeTyped(values: HostArray, rows: Int32Array, size: number): HostArray {
  const taken = new (values.constructor as new (length: number) => HostArray)(rows.length * size);
  rows.forEach((row, i) => {
    taken.set(values.subarray(row * size, (row + 1) * size), i * size);
  });
  return taken;
}
