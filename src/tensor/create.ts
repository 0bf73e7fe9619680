/**
 * @file Tensors from host data and from an app's own buffers.
 */
import { BufferUsage } from '../webgpu/flags.ts';
import {
  bytesPerElement,
  type ComputeDType,
  type DType,
  dtypes,
  isDType,
  isStoredDType,
  type TypedData,
} from '../core/dtype.ts';
import { isDetached } from '../core/detached.ts';
import { suggestionFor } from '../core/suggest.ts';
import { DTypeError, OutOfMemoryError, ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames, optionsOf, type Settings } from '../core/options.ts';
import {
  checkShape,
  describe,
  formatShape,
  hintFor,
  maxRank,
  sameShape,
  type Shape,
  sizeOf,
} from '../core/shape.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { isDevice } from '../webgpu/knownDevices.ts';
import { wholeWords } from '../webgpu/storage.ts';
import { callSite } from '../history/callSite.ts';
import { encodeValues, type HostArray } from './encodeValues.ts';
import { makeTensor, type NestedArray, sourceOfData, Tensor } from './tensor.ts';

export type { HostArray };
/** What `tensor` and ops take instead of a tensor: numbers, booleans, nested arrays of them, typed arrays. */
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
  /**
   * Shape of the tensor; the product of its sizes is the number of values. Default: the nesting of the values;
   * for a typed array, its own `shape` if it has one, otherwise [length].
   */
  shape?: Shape;
  /**
   * Dtype of the tensor. Default: bool for booleans, the array's own for typed arrays (bytes become int32),
   * float32 otherwise.
   */
  dtype?: D;
  /** A name for histories and error messages. Default: none. */
  name?: string;
}

const optionNames: OptionNames<TensorOptions> = { shape: true, dtype: true, name: false };

/**
 * Creates a tensor from host values: numbers, booleans, nested arrays of them, or a typed array in row-major order. Shape and
 * dtype may also be passed by position, as in TF.js: `tensor(values, [2, 2], 'int32')`.
 * Errors: ShapeError for ragged nesting or a shape that holds another number of values; DTypeError; ValueError for
 * unknown options.
 */
export function tensor<D extends DType = 'float32'>(
  values: HostValues,
  ...settings: Settings<TensorOptions<D>, ['shape', 'dtype']>
): Tensor<D>;
export function tensor(values: HostValues, ...settings: unknown[]): Tensor {
  return fromHost('tensor', values, optionsOf('tensor', settings, optionNames, ['values']));
}

/**
 * Same as `tensor()`, but named after what it does: the new tensor's history says that it is fresh, so no operation made
 * it and no gradient passes through it.
 */
export function freshTensor<D extends DType = 'float32'>(
  values: HostValues,
  ...settings: Settings<TensorOptions<D>, ['shape', 'dtype']>
): Tensor<D>;
export function freshTensor(values: HostValues, ...settings: unknown[]): Tensor {
  return fromHost('freshTensor', values, optionsOf('freshTensor', settings, optionNames, ['values']));
}

/** Like `tensor`; errors name the caller `op`. `saturates`: see `encodeValues`. */
export function fromHost(
  by: string,
  values: HostValues,
  options: TensorOptions = {},
  saturates = false,
): Tensor {
  const { shape, dtype, name } = options;
  if (dtype !== undefined) checkStoredDType(by, dtype);
  const { flat, nesting } = flattened(by, values);
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
    device.upload(encodeValues(by, flat, type, target, saturates), by),
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
  rejectDType(op, dtype, 'float32, int32, uint32 or bool');
}

/** Like `checkDType`, but float16 is allowed, too. */
export function checkStoredDType(op: string, dtype: unknown): asserts dtype is DType {
  if (!isStoredDType(dtype)) rejectDType(op, dtype, 'float32, float16, int32, uint32 or bool');
}

function rejectDType(op: string, dtype: unknown, allowed: string): never {
  throw new DTypeError({
    op,
    rule: `a dtype is ${allowed}.`,
    received: describe(dtype),
    hint: suggestionFor(dtype, dtypes, "pass one of these names; the default is 'float32'."),
  });
}

const scalar: Shape = [];

/** Returns the values in one list or typed array, and the shape of their nesting. */
function flattened(op: string, values: unknown): { flat: number[] | HostArray; nesting: Shape } {
  if (ArrayBuffer.isView(values)) {
    const flat = requireNumbers(op, values);
    return { flat, nesting: (values as ShapedData).shape ?? [flat.length] };
  }
  const flat: number[] = [];
  return { nesting: flatten(op, values, flat, 0), flat };
}

/** Appends the values to `flat`, and returns the shape of the nesting, which is `depth` lists deep in the values. */
function flatten(op: string, values: unknown, flat: number[], depth: number): Shape {
  if (typeof values === 'number' || typeof values === 'boolean') {
    flat.push(Number(values));
    return scalar;
  }
  if (ArrayBuffer.isView(values)) {
    const numbers = requireNumbers(op, values);
    for (const value of numbers) flat.push(value);
    return [numbers.length];
  }
  if (!Array.isArray(values)) throw notValues(op, values);
  if (depth === maxRank) throw tooDeep(op);
  let inner: Shape | null = null;
  for (const item of values) {
    const shape = flatten(op, item, flat, depth + 1);
    if (inner && !sameShape(inner, shape)) {
      throw new ShapeError({
        op,
        rule: 'nested arrays must be rectangular.',
        received: `neighbours of shape ${formatShape(inner)} and ${formatShape(shape)}`,
        hint: 'pad the shorter rows, or make a tensor for each row.',
      });
    }
    inner = shape;
  }
  return [values.length, ...(inner ?? [])];
}

/** Returns `view` as a typed array of numbers that isn't detached. Errors: ValueError for other views. */
function requireNumbers(op: string, view: ArrayBufferView): HostArray {
  if (view instanceof DataView || view instanceof BigInt64Array || view instanceof BigUint64Array)
    throw notValues(op, view);
  if (view.byteLength === 0 && isDetached(view.buffer)) {
    throw new ValueError({
      op,
      rule: 'a typed array must still have its memory.',
      received: `${describe(view)} whose ArrayBuffer was transferred`,
      hint: 'make the tensor before the buffer is transferred, or pass a copy.',
    });
  }
  return view as HostArray;
}

const tensorHint = 'pass a tensor as it is; stack([a, b]) makes one tensor of several.';

function notValues(op: string, values: unknown): ValueError {
  const isBig = values instanceof BigInt64Array || values instanceof BigUint64Array;
  return new ValueError({
    op,
    rule: 'values are numbers, booleans, nested arrays of them, or a typed array of numbers.',
    received: describe(values),
    hint:
      isBig || typeof values === 'bigint'
        ? 'convert 64-bit integers first: Int32Array.from(values, Number).'
        : hintFor(values, values instanceof Tensor ? tensorHint : 'convert the values to numbers first.'),
  });
}

function tooDeep(op: string): ShapeError {
  return new ShapeError({
    op,
    rule: `tensors have at most ${maxRank} axes.`,
    received: `values in more than ${maxRank} nested arrays`,
    hint: 'flatten the values and pass `shape`; look for an array that contains itself.',
  });
}

/** Returns whether nested arrays hold only booleans; mixed with numbers, booleans count as 0 and 1. */
function holdsBooleans(values: unknown): boolean {
  if (!Array.isArray(values)) return typeof values === 'boolean';
  return values.length > 0 && values.every(holdsBooleans);
}

function naturalDType(values: unknown): DType {
  if (values instanceof Uint32Array) return 'uint32';
  if (values instanceof Float32Array || values instanceof Float64Array) return 'float32';
  if (ArrayBuffer.isView(values)) return 'int32';
  return holdsBooleans(values) ? 'bool' : 'float32';
}

/** Options of `fromBuffer`. */
export interface BufferOptions {
  /** Shape of the tensor. The buffer must be at least as large: 4 bytes an element, 2 for float16. */
  shape: Shape;
  /** Dtype that the bytes are read as. Default float32. */
  dtype?: DType;
  /** Byte offset of the first element; a multiple of 256. Default 0. */
  offset?: number;
  /** A name for histories and error messages. Default: none. */
  name?: string;
  /** The device that the buffer belongs to. Default: the current one. */
  device?: Device;
}

const bufferOptionNames: OptionNames<BufferOptions> = {
  shape: false,
  dtype: false,
  offset: false,
  name: false,
  device: false,
};

/**
 * Creates a tensor over a GPUBuffer owned by the app, without a copy. The buffer needs usage STORAGE, and COPY_SRC to be read
 * back; it is never pooled, written or destroyed by the library, and must outlive the tensor.
 * Errors: ShapeError if the buffer is too small; ValueError for its usage or offset.
 */
export function fromBuffer(buffer: GPUBuffer, options: BufferOptions): Tensor {
  requireBuffer(buffer, options);
  checkOptions('fromBuffer', options, bufferOptionNames);
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
  // Bindings take whole words: with an odd number of float16 values, the buffer must include all of the last word.
  const bytes = wholeWords(sizeOf(shape) * bytesPerElement(dtype));
  if (offset + bytes > buffer.size) {
    throw new ShapeError({
      op: 'fromBuffer',
      rule: 'the buffer must hold the whole tensor.',
      received: `${bytes} bytes from offset ${offset} for ${dtype}${formatShape(shape)}, in a buffer of ${buffer.size} bytes`,
      hint: 'correct the shape, the dtype or the offset.',
    });
  }
  if (bytes > device.pool.limit) {
    throw new OutOfMemoryError({
      op: 'fromBuffer',
      rule: `a tensor takes at most ${device.pool.limit} bytes on this device.`,
      received: `${bytes} bytes for ${dtype}${formatShape(shape)}`,
      hint: 'make several tensors of parts of the buffer, by `offset`.',
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

/** Throws unless `buffer` is a GPUBuffer, described by `options`. */
function requireBuffer(buffer: unknown, options: unknown): void {
  const { usage, size } = (buffer ?? {}) as Partial<GPUBuffer>;
  if (typeof usage !== 'number' || typeof size !== 'number') {
    throw new ValueError({
      op: 'fromBuffer',
      rule: 'it takes a GPUBuffer of the app.',
      received: describe(buffer),
      hint: 'pass the result of device.createBuffer; for values on the host use tensor(values).',
    });
  }
  const { device } = (options ?? {}) as Partial<BufferOptions>;
  if (typeof options !== 'object' || options === null || !(device === undefined || isDevice(device))) {
    throw new ValueError({
      op: 'fromBuffer',
      rule: 'its options are { shape }, and dtype, offset, name and a Device of this library.',
      received: describe(options),
      hint: 'pass { shape: [2, 3] }; leave `device` out for the current one.',
    });
  }
}
