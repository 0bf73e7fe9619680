/** @file Constant tensors made on the device (fill, zeros, ones), and `create`, for all tensors made by a kernel. */
import type { DType } from '../../core/dtype.ts';
import { requireNumber } from '../../core/integers.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { checkShape, type Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { getDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { callSite } from '../../history/callSite.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { checkDType } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Options of `fill`, `zeros`, `ones`, `range`. */
export interface CreationOptions<D extends DType = DType> {
  /** Dtype of the tensor. Default float32. */
  dtype?: D;
  /** A name for histories and error messages. Default: none. */
  name?: string;
}

/** Also used by creation functions with more options. */
const creationOptionNames: OptionNames<CreationOptions> = { dtype: true, name: false };

/** Makes a tensor of `shape` by `launch`, with its dtype and name from the options. */
export function create<D extends DType>(
  op: string,
  shape: Shape,
  options: CreationOptions<D>,
  launch: (device: Device, spec: TensorSpec) => Tensor,
): Tensor<D> {
  const { dtype = 'float32' as D, name } = options;
  checkShape(op, shape);
  checkDType(op, dtype);
  const tensor = launch(getDevice(), { shape: [...shape], dtype });
  tensor.origin = { kind: 'fresh', by: op, callSite: callSite() };
  tensor.name = name;
  // `launch` makes a tensor of the dtype it receives, which is D.
  return tensor as Tensor<D>;
}

function filled(op: string, shape: Shape, value: number, settings: readonly unknown[]): Tensor {
  const before = op === 'fill' ? ['shape', 'value'] : ['shape'];
  const options: CreationOptions = optionsOf(op, settings, creationOptionNames, before);
  return create(op, shape, options, (device, spec) => {
    requireNumber(op, 'value', value, spec.dtype);
    return kernels().fillKernel(device, spec, value, op);
  });
}

/**
 * A tensor of `shape` with `value` everywhere.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ValueError for a value that the dtype doesn’t hold;
 * ShapeError for an invalid shape; DTypeError for an unknown dtype, and for float16.
 */
export function fill<D extends DType = 'float32'>(
  shape: Shape,
  value: number,
  ...settings: Settings<CreationOptions<D>, ['dtype']>
): Tensor<D>;
export function fill(shape: Shape, value: number, ...settings: unknown[]): Tensor {
  return filled('fill', shape, value, settings);
}

/**
 * A tensor of `shape` with zeros.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ShapeError for an invalid shape; DTypeError for an
 * unknown dtype, and for float16.
 */
export function zeros<D extends DType = 'float32'>(
  shape: Shape,
  ...settings: Settings<CreationOptions<D>, ['dtype']>
): Tensor<D>;
export function zeros(shape: Shape, ...settings: unknown[]): Tensor {
  return filled('zeros', shape, 0, settings);
}

/**
 * A tensor of `shape` with ones.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ShapeError for an invalid shape; DTypeError for an
 * unknown dtype, and for float16.
 */
export function ones<D extends DType = 'float32'>(
  shape: Shape,
  ...settings: Settings<CreationOptions<D>, ['dtype']>
): Tensor<D>;
export function ones(shape: Shape, ...settings: unknown[]): Tensor {
  return filled('ones', shape, 1, settings);
}
