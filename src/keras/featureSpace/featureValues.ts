/** @file Values of features: numbers and strings on the host, or tensors, one for a sample or a list for a batch. */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type Shape } from '../../core/shape.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import {
  asNest,
  type HostArray,
  hostArray,
  type HostNest,
} from '../layers/preprocessing/lookup/hostValues.ts';
import type { Feature } from './features.ts';

/** The values of a feature: one, or lists of them. */
export type FeatureValue =
  | HostNest<number | string | boolean>
  | Tensor
  | Int32Array
  | Uint32Array
  | Uint8Array
  | Float32Array
  | Float64Array;

/** Samples: the values of each feature by its name. */
export type FeatureData = Readonly<Record<string, FeatureValue>>;

/** A value of a feature on the host. */
export type Value = number | string;

const isPlain = (value: unknown): value is number | string | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Values on the host with their shape; truth values are 0 and 1. Errors: ValueError for other values; ShapeError. */
export function valuesOf(op: string, name: string, given: unknown): HostArray<Value> {
  const { shape, values } = hostArray(`${op}, feature '${name}'`, given, isPlain, 'numbers and strings');
  return { shape, values: values.map((value) => (typeof value === 'boolean' ? Number(value) : value)) };
}

/** The shape of values of a batch, where a list has one for each sample: a column of them. */
export function columnShape(shape: Shape): Shape {
  if (shape.length === 0) return [1, 1];
  return shape.length === 1 ? [shape[0] as number, 1] : shape;
}

/** As nested lists in that shape. */
export function columnOf({ shape, values }: HostArray<Value>): HostNest<Value> {
  return asNest({ shape: columnShape(shape), values });
}

/** The values of a feature that its layer takes as a tensor: in the dtype of the feature, as a column if they are a list. */
export function tensorOf(op: string, name: string, { dtype }: Feature, given: FeatureValue): Tensor {
  if (given instanceof Tensor) {
    const { shape } = given;
    const column =
      shape.length === 0
        ? reshape(given, { shape: [1, 1] })
        : shape.length === 1
          ? expandDims(given, { axis: -1 })
          : given;
    return dtype === 'string' || column.dtype === dtype ? column : cast(column, dtype);
  }
  const { shape, values } = valuesOf(op, name, given);
  const text = values.find((value) => typeof value === 'string');
  if (text !== undefined) {
    throw new ValueError({
      op,
      rule: `feature '${name}' has numbers.`,
      received: describe(text),
      hint: "declare a feature of strings as 'stringCategorical' or 'stringHashed'.",
    });
  }
  const type = dtype === 'string' ? 'int32' : dtype;
  return tensor(values as readonly number[] as number[], { shape: [...columnShape(shape)], dtype: type });
}

/** The number of axes of a value. */
export function rankOf(op: string, name: string, given: FeatureValue): number {
  if (given instanceof Tensor) return given.rank;
  let rank = 0;
  for (let at: unknown = given; ; rank++) {
    if (ArrayBuffer.isView(at)) return rank + 1;
    if (!Array.isArray(at)) return rank;
    if (at.length === 0) throw noValues(op, name);
    at = at[0];
  }
}

function noValues(op: string, name: string): ShapeError {
  return new ShapeError({
    op,
    rule: 'a feature has a value or more.',
    received: `an empty list for feature '${name}'`,
    hint: 'leave out a batch without samples.',
  });
}
