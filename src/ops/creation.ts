/** @file Tensors made on the device with one value everywhere, and what makes tensors of any rule. */
import type { DType } from '../core/dtype.ts';
import { requireOptions } from '../core/arguments.ts';
import { requireNumber } from '../core/integers.ts';
import { checkShape, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { callSite } from '../history/callSite.ts';
import { fillKernel } from '../kernels/fill.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Options of `fill`, `zeros`, `ones`, `range`. */
export interface CreationOptions<D extends DType = DType> {
  /** Default: float32. */
  dtype?: D;
  name?: string;
}

/** Makes a tensor of `shape` by `launch`, with its dtype and name from the options. */
export function create<D extends DType>(
  op: string,
  shape: Shape,
  options: CreationOptions<D>,
  launch: (device: Device, spec: TensorSpec) => Tensor,
): Tensor<D> {
  requireOptions(op, options);
  const { dtype = 'float32' as D, name } = options;
  checkShape(op, shape);
  checkDType(op, dtype);
  const tensor = launch(getDevice(), { shape: [...shape], dtype });
  tensor.origin = { kind: 'fresh', by: op, callSite: callSite() };
  tensor.name = name;
  // `launch` makes a tensor of the dtype that it is given, which is D.
  return tensor as Tensor<D>;
}

function filled<D extends DType>(
  op: string,
  shape: Shape,
  value: number,
  options: CreationOptions<D>,
): Tensor<D> {
  return create(op, shape, options, (device, spec) => {
    requireNumber(op, 'value', value, spec.dtype);
    return fillKernel(device, spec, value, op);
  });
}

/**
 * A tensor of `shape` with `value` everywhere.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ValueError for a value that the dtype doesn’t hold;
 * ShapeError for what is no shape; DTypeError for an unknown dtype, and for float16.
 */
export function fill<D extends DType = 'float32'>(
  shape: Shape,
  value: number,
  options: CreationOptions<D> = {},
): Tensor<D> {
  return filled('fill', shape, value, options);
}

/**
 * A tensor of `shape` with zeros.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ShapeError for what is no shape; DTypeError for an
 * unknown dtype, and for float16.
 */
export function zeros<D extends DType = 'float32'>(
  shape: Shape,
  options: CreationOptions<D> = {},
): Tensor<D> {
  return filled('zeros', shape, 0, options);
}

/**
 * A tensor of `shape` with ones.
 * Shape: `shape`. Dtype: float32 unless `dtype` is another. Errors: ShapeError for what is no shape; DTypeError for an
 * unknown dtype, and for float16.
 */
export function ones<D extends DType = 'float32'>(shape: Shape, options: CreationOptions<D> = {}): Tensor<D> {
  return filled('ones', shape, 1, options);
}
