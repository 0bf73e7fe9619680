/**
 * @file Ops on an app's own buffers, encoded into the app's own encoder: encodeOp for every op, encodeFunction for functions
 * of tensors and their gradients, and shortcuts with plain sizes for the most common ops.
 */
import { bytesPerElement, type DType } from '../core/dtype.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkShape, describe, sameShape, type Shape, sizeOf } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { getDevice, withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { encodeWork, type EncodeTarget } from '../execution/encoder.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import { copyWords } from '../kernels/copies/copyWords.ts';
import type { Scalars } from '../kernels/elementwise/elementwise.ts';
import { type BufferRange, checkTarget, rangeOf } from '../kernels/launch/encodeKernel.ts';
import { kernels } from '../kernels/loading/loadKernels.ts';
import { checkDType } from '../tensor/create.ts';
import { tidy } from '../tensor/scope.ts';
import { makeTensor, Tensor } from '../tensor/tensor.ts';
import { Call } from './define/call.ts';
import { type Conv2dOptions, conv2d as conv2dOp } from './convolution/conv2d.ts';
import { type OpDefinition, outputsOf, type Results } from './define/definition.ts';
import { type GatherOptions, gather as gatherOp } from './indexing/gather.ts';
import { type MatMulOptions, matMul as matMulOp } from './products/matMul.ts';
import { unrecorded } from './define/recorders.ts';
import { softmax as softmaxOp, type SoftmaxOptions } from './activations/softmax.ts';

/** A tensor in an app's own buffer. */
export interface BufferTensor {
  /** Row-major values. */
  values: BufferRange;
  shape: Shape;
  /** Default: float32. Bools are stored as u32. */
  dtype?: DType;
}

/** The arguments of `encodeOp`. */
export interface OpEncoding<O extends object> {
  inputs: readonly (BufferTensor | null)[];
  options?: O;
  /** Where the results go: with the shapes and dtypes of the op's results, in buffers other than those of the inputs. */
  outputs: readonly BufferTensor[];
  /** Default: the current device. */
  device?: Device;
}

/**
 * Appends the launches of `op` to a command encoder, or to an open compute pass. Intermediate values are in buffers of the
 * device that nothing else uses, so that several encoders may be pending.
 * Errors: those of the op; ShapeError if an output has another shape or dtype; DeviceError for ops that report faults
 * (pass validateIndices: false).
 */
export function encodeOp<O extends object>(
  target: EncodeTarget,
  op: { readonly definition: OpDefinition<readonly (Tensor | null)[], O> },
  { inputs, options = {} as O, outputs, device = getDevice() }: OpEncoding<O>,
): void {
  const { definition } = op;
  const { name } = definition;
  checkTarget(name, target);
  const results = outputs.map((output, i) => operandOf(device, name, `outputs[${i}]`, output));
  encodeInto(target, device, results, () => {
    const operands = inputs.map((input, i) => {
      if (!input) return null;
      const { range, spec } = operandOf(device, name, `inputs[${i}]`, input);
      return borrow(device, name, range, spec);
    });
    const plan = definition.infer(operands, options);
    const specs = outputsOf(plan);
    checkOutputs(
      name,
      specs,
      results.map(({ spec }) => spec),
    );
    const call = new Call(name, specs, operands, options);
    return listOf(definition.forward(operands, plan, call));
  });
}

function listOf(result: Results): readonly Tensor[] {
  return result instanceof Tensor ? [result] : result;
}

/** The arguments of `encodeFunction`. */
export interface FunctionEncoding {
  inputs: readonly BufferTensor[];
  /** Where the results go: with their shapes and dtypes, in buffers other than those of the inputs. */
  outputs: readonly BufferTensor[];
  /** Default: the current device. */
  device?: Device;
}

/**
 * Appends the launches of a function of tensors, as `encodeOp` does those of one op. The function may differentiate, by
 * `valueAndGrad` or its own tape. It runs at each call, and must not read values, assign variables or keep tensors.
 * Errors: those of its ops; ValueError for results that aren't tensors; otherwise those of `encodeOp`.
 */
export function encodeFunction(
  target: EncodeTarget,
  fn: (...inputs: Tensor[]) => Tensor | readonly Tensor[],
  { inputs, outputs, device = getDevice() }: FunctionEncoding,
): void {
  const name = fn.name || 'encodeFunction';
  checkTarget(name, target);
  const results = outputs.map((output, i) => operandOf(device, name, `outputs[${i}]`, output));
  encodeInto(target, device, results, () => {
    const operands = inputs.map((input, i) => {
      const { range, spec } = operandOf(device, name, `inputs[${i}]`, input);
      return borrow(device, name, range, spec);
    });
    const given: readonly Tensor[] = [withDevice(device, () => fn(...operands))].flat();
    requireTensors(name, given);
    checkOutputs(
      name,
      given,
      results.map(({ spec }) => spec),
    );
    return given;
  });
}

function requireTensors(name: string, given: readonly unknown[]): void {
  const other = given.findIndex((result) => !(result instanceof Tensor));
  if (other < 0) return;
  throw new ValueError({
    op: name,
    rule: 'a function that is encoded returns a tensor, or a list of tensors.',
    received: describe(given[other]),
    hint: 'return tensors that ops computed; it must not be async.',
  });
}

interface BufferOperand {
  range: BoundRange;
  spec: TensorSpec;
}

function operandOf(
  device: Device,
  op: string,
  what: string,
  { values, shape, dtype = 'float32' }: BufferTensor,
): BufferOperand {
  checkDType(op, dtype);
  checkShape(op, shape);
  const range = rangeOf(op, what, values);
  const bytes = sizeOf(shape) * bytesPerElement(dtype);
  if (bytes <= Math.min(range.bytes, device.limits.maxStorageBufferBindingSize))
    return { range: { ...range, bytes: Math.max(4, bytes) }, spec: { shape, dtype } };
  throw new ShapeError({
    op,
    rule: 'a buffer must hold the whole tensor.',
    received: `${range.bytes} bytes for ${what} ${formatSpec({ shape, dtype })}, which takes ${bytes}`,
    hint: 'correct the shape, or pass a larger range.',
  });
}

function borrow(device: Device, op: string, { buffer, offset, bytes }: BoundRange, spec: TensorSpec): Tensor {
  const storage = new Storage(buffer, offset, bytes, () => {});
  return makeTensor(device, storage, spec, { kind: 'fresh', by: op });
}

function checkOutputs(op: string, given: readonly TensorSpec[], wanted: readonly TensorSpec[]): void {
  const fits =
    given.length === wanted.length &&
    given.every((spec, i) => spec.dtype === wanted[i]?.dtype && sameShape(spec.shape, wanted[i].shape));
  if (fits) return;
  throw new ShapeError({
    op,
    rule: `its results are ${given.map(formatSpec).join(', ')}.`,
    received: `outputs for ${wanted.map(formatSpec).join(', ') || 'none'}`,
    hint: 'pass a buffer of that shape and dtype for each.',
  });
}

/** Runs `body` with its launches going to `target` and its results to the app's buffers. */
function encodeInto(
  target: EncodeTarget,
  device: Device,
  results: readonly BufferOperand[],
  body: () => readonly Tensor[],
): void {
  // Most kernels allocate a buffer for their only result: give them the app's. If it was used for something else in the end,
  // the result is copied. Kernels write whole vectors, which must fit.
  const [only] = results.length === 1 ? results : [];
  const exact = only && sizeOf(only.spec.shape) * bytesPerElement(only.spec.dtype);
  let claimable = exact !== undefined && exact > 0 && exact % 16 === 0;
  const claim = (bytes: number): Storage | null => {
    if (!only || !claimable || bytes !== exact) return null;
    claimable = false;
    return new Storage(only.range.buffer, only.range.offset, only.range.bytes, () => {});
  };
  encodeWork(device, target, claim, () =>
    tidy(() => {
      const tensors = unrecorded(body);
      tensors.forEach((tensor, i) => {
        const { buffer, offset } = tensor.storage;
        const wanted = (results[i] as BufferOperand).range;
        if (buffer === wanted.buffer && offset === wanted.offset) return;
        claimable = false;
        copyWords(tensor, wanted);
      });
    }),
  );
}

interface Common {
  /** Default: the current device. */
  device?: Device;
}

/** The arguments of the encoded `matMul`. */
export interface MatMulEncoding extends MatMulOptions, Common {
  /** [m, k] matrices, or [k, m] with `transposeA`. */
  a: BufferRange;
  /** [k, n] matrices, or [n, k] with `transposeB`. */
  b: BufferRange;
  /** [m, n] matrices. */
  out: BufferRange;
  m: number;
  n: number;
  k: number;
  /** The number of consecutive matrices. Default 1. */
  batch?: number;
}

/** Matrix products, float32. Errors: those of the op `matMul`, and of `encodeOp`. */
export function matMul(target: EncodeTarget, encoding: MatMulEncoding): void {
  const { a, b, out, m, n, k, batch = 1, transposeA = false, transposeB = false, device } = encoding;
  encodeOp(target, matMulOp, {
    inputs: [
      { values: a, shape: transposeA ? [batch, k, m] : [batch, m, k] },
      { values: b, shape: transposeB ? [batch, n, k] : [batch, k, n] },
    ],
    options: { transposeA, transposeB },
    outputs: [{ values: out, shape: [batch, m, n] }],
    ...(device ? { device } : {}),
  });
}

/** The arguments of the encoded `conv2d`. */
export interface Conv2dEncoding extends Conv2dOptions, Common {
  x: BufferRange;
  kernel: BufferRange;
  out: BufferRange;
  /** [n, height, width, channels] of x. */
  inputShape: Shape;
  /** [height, width, channels in a group, filters] of the kernel. */
  kernelShape: Shape;
}

/** A convolution of NHWC images, float32. Errors: those of the op `conv2d`, and of `encodeOp`. */
export function conv2d(target: EncodeTarget, encoding: Conv2dEncoding): void {
  const { x, kernel, out, inputShape, kernelShape, device, ...options } = encoding;
  const { shape } = conv2dOp.definition.infer(
    [
      { shape: inputShape, dtype: 'float32' },
      { shape: kernelShape, dtype: 'float32' },
    ],
    options,
  );
  encodeOp(target, conv2dOp, {
    inputs: [
      { values: x, shape: inputShape },
      { values: kernel, shape: kernelShape },
    ],
    options,
    outputs: [{ values: out, shape }],
    ...(device ? { device } : {}),
  });
}

/** The arguments of the encoded `gather`. */
export interface GatherEncoding extends Omit<GatherOptions, 'validateIndices'>, Common {
  x: BufferRange;
  /** int32. */
  indices: BufferRange;
  out: BufferRange;
  /** Shape of x. */
  shape: Shape;
  indicesShape: Shape;
  /** Dtype of x and the result. Default: float32. */
  dtype?: DType;
}

/** Rows of x; an out-of-range index reads as zeros. Errors: those of the op `gather`, and of `encodeOp`. */
export function gather(target: EncodeTarget, encoding: GatherEncoding): void {
  const { x, indices, out, shape, indicesShape, dtype = 'float32', device, ...rest } = encoding;
  const options = { ...rest, validateIndices: false };
  const result = gatherOp.definition.infer(
    [
      { shape, dtype },
      { shape: indicesShape, dtype: 'int32' },
    ],
    options,
  );
  encodeOp(target, gatherOp, {
    inputs: [
      { values: x, shape, dtype },
      { values: indices, shape: indicesShape, dtype: 'int32' },
    ],
    options,
    outputs: [{ values: out, shape: result.shape, dtype }],
    ...(device ? { device } : {}),
  });
}

/** The arguments of the encoded `softmax`. */
export interface SoftmaxEncoding extends SoftmaxOptions, Common {
  x: BufferRange;
  out: BufferRange;
  shape: Shape;
}

/** Softmax along an axis, float32. Errors: those of the op `softmax`, and of `encodeOp`. */
export function softmax(target: EncodeTarget, { x, out, shape, device, ...options }: SoftmaxEncoding): void {
  encodeOp(target, softmaxOp, {
    inputs: [{ values: x, shape }],
    options,
    outputs: [{ values: out, shape }],
    ...(device ? { device } : {}),
  });
}

/** The arguments of the encoded `map`. */
export interface MapEncoding extends Scalars, Common {
  /** WGSL expression of `a`, `b`, `c`, `d`, which stand for the elements of the inputs, and `params.alpha`, `params.beta`. */
  expression: string;
  /** One to four buffers of `count` float32 elements. */
  inputs: readonly BufferRange[];
  out: BufferRange;
  count: number;
}

/** An elementwise expression of up to four buffers, float32. Errors: ValueError, ShapeError. */
export function map(target: EncodeTarget, encoding: MapEncoding): void {
  const { expression, inputs, out, count, device = getDevice(), ...scalars } = encoding;
  checkTarget('map', target);
  if (inputs.length < 1 || inputs.length > 4) {
    throw new ValueError({
      op: 'map',
      rule: 'an expression has one to four operands.',
      received: `${inputs.length}`,
      hint: 'map twice, or write a custom kernel with defineKernel.',
    });
  }
  const spec: TensorSpec = { shape: [count], dtype: 'float32' };
  const result = operandOf(device, 'map', 'out', { values: out, shape: spec.shape });
  encodeInto(target, device, [result], () => {
    const operands = inputs.map((values, i) => {
      const { range } = operandOf(device, 'map', `inputs[${i}]`, { values, shape: spec.shape });
      return borrow(device, 'map', range, spec);
    });
    return [kernels().elementwiseKernel('map', expression, operands, spec, scalars)];
  });
}
