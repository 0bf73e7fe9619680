/** @file Tensors made on the device from a rule: fill, zeros, ones. */
import type { DType } from '../core/dtype.ts';
import { checkShape, type Shape } from '../core/shape.ts';
import { getDevice } from '../gpu/device.ts';
import { callSite } from '../history/callSite.ts';
import { fillKernel } from '../kernels/fill.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';

export interface CreationOptions<D extends DType = DType> {
  /** Default: float32. */
  dtype?: D;
  name?: string;
}

function made(op: string, shape: Shape, value: number, { dtype = 'float32', name }: CreationOptions): Tensor {
  checkShape(op, shape);
  checkDType(op, dtype);
  const tensor = fillKernel(getDevice(), { shape: [...shape], dtype }, value, op);
  tensor.provenance = { cause: 'fresh', by: op, callSite: callSite() };
  tensor.name = name;
  return tensor;
}

/** A tensor of `shape` with `value` everywhere. */
export function fill<D extends DType = 'float32'>(
  shape: Shape,
  value: number,
  options: CreationOptions<D> = {},
): Tensor<D> {
  return made('fill', shape, value, options) as Tensor<D>;
}

/** A tensor of `shape` with zeros. */
export function zeros<D extends DType = 'float32'>(
  shape: Shape,
  options: CreationOptions<D> = {},
): Tensor<D> {
  return made('zeros', shape, 0, options) as Tensor<D>;
}

/** A tensor of `shape` with ones. */
export function ones<D extends DType = 'float32'>(shape: Shape, options: CreationOptions<D> = {}): Tensor<D> {
  return made('ones', shape, 1, options) as Tensor<D>;
}
