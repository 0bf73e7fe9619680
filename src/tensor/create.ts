/**
 * @file Tensors from host data and from an app's own buffers.
 */
import { BufferUsage } from '../webgpu/flags.ts';
import {
  bytesPerElement,
  type ComputeDType,
  type DType,
  isDType,
  isStoredDType,
  type TypedData,
} from '../core/dtype.ts';
import { DTypeError, ShapeError, ValueError } from '../core/errors.ts';
import { checkShape, describe, formatShape, sameShape, type Shape, sizeOf } from '../core/shape.ts';
import { numberToFloat16 } from '../core/float16.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { callSite } from '../history/callSite.ts';
import { makeTensor, type NestedArray, sourceOfData, type Tensor } from './tensor.ts';

export type HostArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray;
export type HostValues =
  | number
  | boolean
  | NestedArray
  | HostArray
  | readonly boolean[]
  | readonly (readonly boolean[])[];

/** Values on the host, row-major, with their shape. */
export type ShapedData = TypedData & { readonly shape?: Shape };

export interface TensorOptions<D extends DType = DType> {
  /** Default: the nesting of the values; for a typed array its own `shape` where it has one, else [length]. */
  shape?: Shape;
  /** Default: bool for booleans, the array's own for typed arrays (bytes become int32), float32 otherwise. */
  dtype?: D;
  name?: string;
}

/**
 * A tensor of host values: numbers, booleans, nested arrays of them, or a typed array in row-major order.
 * Errors: ShapeError for ragged nesting or a shape that holds another number of values; DTypeError.
 */
export function tensor<D extends DType = 'float32'>(
  values: HostValues,
  options?: TensorOptions<D>,
): Tensor<D> {
  return fromHost('tensor', values, options as TensorOptions) as Tensor<D>;
}

/**
 * The path to avoid, by name: a new tensor from host data. Same as `tensor()`, but its history says that it is fresh:
 * no operation made it, and no gradient passes through it.
 */
export function freshTensor<D extends DType = 'float32'>(
  values: HostValues,
  options?: TensorOptions<D>,
): Tensor<D> {
  return fromHost('freshTensor', values, options as TensorOptions) as Tensor<D>;
}

/** What `tensor` does, under the name of its caller. */
export function fromHost(by: string, values: HostValues, { shape, dtype, name }: TensorOptions = {}): Tensor {
  if (dtype !== undefined) checkStoredDType(by, dtype);
  const flat: number[] | HostArray = ArrayBuffer.isView(values) ? (values as HostArray) : [];
  const nesting = ArrayBuffer.isView(values)
    ? ((values as ShapedData).shape ?? [flat.length])
    : flatten(by, values, flat as number[]);
  if (shape !== undefined) checkShape(by, shape);
  else checkShape(by, nesting);
  const target = shape ?? nesting;
  if (sizeOf(target) !== flat.length) {
    throw new ShapeError({
      op: by,
      rule: 'a shape must hold exactly the given values.',
      received: `${flat.length} values for shape ${formatShape(target)}, which holds ${sizeOf(target)}`,
      hint: 'leave `shape` out to take it from the nesting, or correct it.',
    });
  }
  const type = dtype ?? naturalDType(values);
  const device = getDevice();
  const made = makeTensor(
    device,
    device.upload(encode(flat, type), by),
    { shape: [...target], dtype: type },
    {
      kind: 'fresh',
      by,
      readBackFrom: sourceOfData(values),
      callSite: callSite(),
    },
  );
  made.name = name;
  return made;
}

/** Throws unless ops compute in `dtype`. */
export function checkDType(op: string, dtype: unknown): asserts dtype is ComputeDType {
  if (isDType(dtype)) return;
  if (dtype === 'float16') {
    throw new DTypeError({
      op,
      rule: 'float16 is a storage type: tensor() and cast() create it; matmul, convolutions and gathers accept it.',
      received: "dtype: 'float16'",
      hint: "make it 'float32', then cast(x, 'float16').",
    });
  }
  refuseDType(op, dtype, 'float32, int32, uint32 or bool');
}

/** The same, for what may hold float16, too. */
export function checkStoredDType(op: string, dtype: unknown): asserts dtype is DType {
  if (!isStoredDType(dtype)) refuseDType(op, dtype, 'float32, float16, int32, uint32 or bool');
}

function refuseDType(op: string, dtype: unknown, allowed: string): never {
  throw new DTypeError({
    op,
    rule: `a dtype is ${allowed}.`,
    received: describe(dtype),
    hint: "pass one of these names; the default is 'float32'.",
  });
}

const scalar: Shape = [];

/** Appends the values to `flat`, and returns the shape of the nesting. */
function flatten(op: string, values: unknown, flat: number[]): Shape {
  if (typeof values === 'number' || typeof values === 'boolean') {
    flat.push(Number(values));
    return scalar;
  }
  if (ArrayBuffer.isView(values) && !(values instanceof DataView)) {
    for (const value of values as unknown as Iterable<number>) flat.push(value);
    return [(values as HostArray).length];
  }
  if (!Array.isArray(values)) {
    throw new ValueError({
      op,
      rule: 'values are numbers, booleans, nested arrays of them, or a typed array.',
      received: describe(values),
      hint: 'convert the values to numbers first.',
    });
  }
  let inner: Shape | null = null;
  for (const item of values) {
    const shape = flatten(op, item, flat);
    if (inner && !sameShape(inner, shape)) {
      throw new ShapeError({
        op,
        rule: 'nested arrays must be rectangular.',
        received: `neighbours of shape ${formatShape(inner)} and ${formatShape(shape)}`,
        hint: 'pad the shorter rows, or make one tensor a row.',
      });
    }
    inner = shape;
  }
  return [values.length, ...(inner ?? [])];
}

function naturalDType(values: unknown): DType {
  if (values instanceof Uint32Array) return 'uint32';
  if (values instanceof Float32Array || values instanceof Float64Array) return 'float32';
  if (ArrayBuffer.isView(values)) return 'int32';
  let first = values;
  while (Array.isArray(first)) first = first[0];
  return typeof first === 'boolean' ? 'bool' : 'float32';
}

/** The bytes that the device stores for `values`. Floats are truncated towards zero for integer dtypes. */
function encode(
  values: number[] | HostArray,
  dtype: DType,
): Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  // NaN is true, as in NumPy and in cast.
  if (dtype === 'bool') return Uint32Array.from(values, (value) => Number(value !== 0));
  if (dtype === 'float16') return encodeFloat16(values);
  const Stored = storedAs[dtype];
  const isReady = values instanceof Stored && values.buffer instanceof ArrayBuffer;
  return isReady ? (values as InstanceType<typeof Stored>) : new Stored(values);
}

/** Two a word, the first below; the last word may be half full. */
function encodeFloat16(values: number[] | HostArray): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(values.length / 2));
  for (let i = 0; i < values.length; i++) {
    words[i >> 1] = (words[i >> 1] as number) | (numberToFloat16(values[i] as number) << (16 * (i & 1)));
  }
  return words;
}

const storedAs = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array } as const;

export interface BufferOptions {
  shape: Shape;
  dtype?: DType;
  /** Byte offset of the first element; a multiple of 256. Default 0. */
  offset?: number;
  name?: string;
  device?: Device;
}

/**
 * A tensor over a GPUBuffer of the app's own, without a copy. The buffer needs usage STORAGE, and COPY_SRC to be read
 * back; it is never pooled, written or destroyed by the library, and must outlive the tensor.
 * Errors: ShapeError where the buffer is too small; ValueError for its usage or offset.
 */
export function fromBuffer(buffer: GPUBuffer, options: BufferOptions): Tensor {
  const { shape, dtype = 'float32', offset = 0, name, device = getDevice() } = options;
  checkShape('fromBuffer', shape);
  checkStoredDType('fromBuffer', dtype);
  if (!Number.isInteger(offset) || offset < 0 || offset % 256 !== 0) {
    throw new ValueError({
      op: 'fromBuffer',
      rule: '`offset` is a non-negative multiple of 256, as WebGPU bindings demand.',
      received: `offset: ${describe(offset)}`,
      hint: 'align the values in your buffer to 256 bytes.',
    });
  }
  if (!(buffer.usage & BufferUsage.STORAGE)) {
    throw new ValueError({
      op: 'fromBuffer',
      rule: 'a shared buffer needs the usage GPUBufferUsage.STORAGE.',
      received: `buffer '${buffer.label}' of usage ${buffer.usage}`,
      hint: 'create it with usage STORAGE | COPY_SRC.',
    });
  }
  const bytes = sizeOf(shape) * bytesPerElement(dtype);
  if (offset + bytes > buffer.size) {
    throw new ShapeError({
      op: 'fromBuffer',
      rule: 'the buffer must hold the whole tensor.',
      received: `${bytes} bytes from offset ${offset} for ${dtype}${formatShape(shape)}, in a buffer of ${buffer.size} bytes`,
      hint: 'correct the shape, the dtype or the offset.',
    });
  }
  const storage = device.adopt(buffer, offset, Math.max(4, bytes));
  const made = makeTensor(
    device,
    storage,
    { shape: [...shape], dtype },
    { kind: 'fresh', by: 'fromBuffer', callSite: callSite() },
  );
  made.name = name;
  return made;
}
