/**
 * @file Columns: the data of one input or output, from which batches are taken. Data on the device are sliced or gathered;
 * data that are too large stay on the host and are uploaded batch by batch.
 */
import { bytesPerElement, type DType } from '../../../core/dtype.ts';
import { ShapeError } from '../../../core/errors.ts';
import { formatShape, maxRank, type Shape, sizeOf } from '../../../core/shape.ts';
import { gather } from '../../../ops/indexing/gather.ts';
import { slice } from '../../../ops/arrangement/slice.ts';
import { type HostArray, type HostValues, type ShapedData, tensor } from '../../../tensor/create.ts';
import { disposing, keep } from '../../../tensor/scope.ts';
import { makeTensor, Tensor } from '../../../tensor/tensor.ts';
import type { Entry, Slot } from './slots.ts';

/** Rows of a column: `count` rows from index `from`, of `order` if there is one. */
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
  /** A new tensor of the given rows. */
  take(rows: Rows): Tensor;
  /** Uploads a part of the data. Returns false when everything is uploaded. */
  upload(): boolean;
  dispose(): void;
}

/** A column of a tensor. `owned` if it was created here. */
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
    const indices = slice(order.device, { begin: [from], size: [count] });
    return disposing(indices, () => gather(this.values, indices, { validateIndices: false }));
  }

  upload(): boolean {
    return false;
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

  take({ from, count, order }: Rows, dtype = this.dtype): Tensor {
    const shape = [count, ...this.shape.slice(1)];
    const size = sizeOf(shape.slice(1));
    const { values } = this;
    const end = from + count;
    let taken: HostArray | readonly HostValues[];
    if (!order) taken = isTyped(values) ? values.subarray(from * size, end * size) : values.slice(from, end);
    else {
      const rows = order.host.subarray(from, end);
      taken = isTyped(values)
        ? takeTyped(values, rows, size)
        : Array.from(rows, (row) => values[row] as HostValues);
    }
    return tensor(taken as HostArray, dtype === undefined ? { shape } : { shape, dtype });
  }

  upload(): boolean {
    return false;
  }

  dispose(): void {}
}

/** Approximate number of values per upload: a few milliseconds on the host, even for nested arrays. */
const pieceValues = 2 ** 17;

/** A column of host values that is uploaded in parts, so that other tasks can run in between. */
class MovingColumn implements Column {
  readonly what: string;
  readonly shape: Shape;
  readonly #target: DeviceColumn;
  readonly #rowBytes: number;
  readonly #pieceRows: number;
  #moved = 0;

  constructor(private readonly host: HostColumn) {
    const { what, shape } = host;
    this.what = what;
    this.shape = shape;
    const [rows = 0, ...inner] = shape;
    const size = sizeOf(inner);
    this.#pieceRows = Math.min(rows, Math.max(1, Math.floor(pieceValues / size)));
    // The first values determine the dtype.
    const first = host.take({ from: 0, count: this.#pieceRows, order: null });
    const { device, dtype } = first;
    this.#rowBytes = size * bytesPerElement(dtype);
    const storage = device.allocate(rows * this.#rowBytes, 'tensor');
    const values = makeTensor(device, storage, { shape, dtype }, { kind: 'fresh', by: 'tensor' });
    this.#target = new DeviceColumn(what, keep(values), true);
    disposing(first, () => this.#move(first, this.#pieceRows));
  }

  upload(): boolean {
    const from = this.#moved;
    const count = Math.min(this.#pieceRows, (this.shape[0] as number) - from);
    if (count === 0) return false;
    const piece = this.host.take({ from, count, order: null }, this.#target.values.dtype);
    disposing(piece, () => this.#move(piece, count));
    return true;
  }

  take(rows: Rows): Tensor {
    while (this.upload());
    return this.#target.take(rows);
  }

  dispose(): void {
    this.#target.dispose();
  }

  #move({ storage, device, bytes }: Tensor, rows: number): void {
    const { storage: target } = this.#target.values;
    const offset = target.offset + this.#moved * this.#rowBytes;
    device.copy(storage, { buffer: target.buffer, offset, bytes }, bytes);
    // Once it is submitted, the staging memory can be used again.
    device.flush();
    this.#moved += rows;
  }
}

/**
 * Returns the column of an entry, uploaded if `resident`. `rows` is the number of samples, if known.
 * Errors: ShapeError for data without a sample axis, and for a flat array that doesn't match its slot.
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
  const onHost = new HostColumn(what, host as HostArray | HostValues[], shape, slot?.dtype);
  if (!resident) return onHost;
  if (sizeOf(shape) > pieceValues) return new MovingColumn(onHost);
  return new DeviceColumn(what, upload(host, shape, slot), true);
}

/** Returns the size of the values on the device, in bytes; 0 for tensors, which are there already. */
export function uploadBytes({ values }: Entry): number {
  return values instanceof Tensor ? 0 : 4 * sizeOf(nestingOf(values as HostValues));
}

/** Returns the values of one batch as a tensor, which is freed after its step. A tensor is returned as it is. */
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

/** Returns the shape of host values. A flat array without a shape takes that of its slot. */
function shapeOf(op: string, what: string, values: HostValues, slot: Slot | null, rows?: number): Shape {
  const own = nestingOf(values);
  if (own.length === 0) throw noSamples(op, what, formatShape(own));
  const isFlat = ArrayBuffer.isView(values) && (values as ShapedData).shape === undefined;
  if (!isFlat || !slot || slot.shape.length === 0 || own[0] === rows) return own;
  const [length] = own as [number];
  const inner = slot.shape.slice(1);
  const size = inner.reduce<number>((product, n) => product * (n ?? Number.NaN), 1);
  if (size > 0 && length % size === 0) return [length / size, ...(inner as number[])];
  // The loss checks labels whose shape differs from the output.
  if (slot.dtype === undefined) return own;
  throw new ShapeError({
    op,
    rule: `a flat array for '${slot.name}' must be samples of shape ${formatShape(inner)}, one after the other.`,
    received: `${what}: ${length} values`,
    hint: 'create a tensor: tensor(values, { shape }).',
  });
}

/** Returns the sizes of nested lists, read along their first elements. Ragged rows are detected at the upload. */
function nestingOf(values: HostValues, axes = maxRank): Shape {
  if (ArrayBuffer.isView(values)) return (values as ShapedData).shape ?? [(values as HostArray).length];
  // Deeper nests are rejected at the upload.
  if (!Array.isArray(values) || axes === 0) return [];
  return values.length === 0 ? [0] : [values.length, ...nestingOf(values[0] as HostValues, axes - 1)];
}

function noSamples(op: string, what: string, shape: string): ShapeError {
  return new ShapeError({
    op,
    rule: 'the first axis of data counts the samples.',
    received: `${what} of shape ${shape}`,
    hint: 'give a single sample an axis: expandDims(x, { axis: 0 }).',
  });
}

function isTyped(values: HostArray | readonly HostValues[]): values is HostArray {
  return ArrayBuffer.isView(values);
}

function takeTyped(values: HostArray, rows: Int32Array, size: number): HostArray {
  const taken = new (values.constructor as new (length: number) => HostArray)(rows.length * size);
  rows.forEach((row, i) => {
    taken.set(values.subarray(row * size, (row + 1) * size), i * size);
  });
  return taken;
}
