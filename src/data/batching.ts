/** @file The values of several elements as one tensor: the first axis counts the elements. */
import { ShapeError, ValueError } from '../core/errors.ts';
import { describe, formatShape, sameShape, type Shape } from '../core/shape.ts';
import { stack } from '../ops/arrangement/stack.ts';
import { fromHost, type HostArray, type HostValues, type ShapedData } from '../tensor/create.ts';
import { keep } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { allocate } from './allocate.ts';
import { type ElementValue, joinElements, type Place, where } from './element.ts';

/**
 * The values of a batch, for elements of type `T`: numbers and arrays become tensors, texts a list. Lists of numbers are values
 * inside of elements; the outermost list of an element is a tuple.
 */
export type Batched<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: BatchedPart<T[K]> }
  : BatchedPart<T>;

type BatchedPart<T> = T extends string
  ? string[]
  : T extends null | undefined
    ? null
    : T extends Tensor | ArrayBufferView | Numbers
      ? Tensor
      : { readonly [K in keyof T]: BatchedPart<T[K]> };

type Numbers = number | boolean | readonly Numbers[];

/** Returns the elements as one. Their tensors stay theirs. Errors: ValueError, ShapeError. */
export function batchElements(elements: readonly unknown[]): unknown {
  return joinElements('batch', elements, batchValues);
}

/** Returns the values as one tensor; texts as a list, and null for nothing. */
export function batchValues(values: readonly ElementValue[], place: Place): unknown {
  const isNothing = (value: ElementValue) => value === null || value === undefined;
  if (values.every((value) => typeof value === 'string')) return values;
  if (values.every(isNothing)) return null;
  if (values.some((value) => isNothing(value) || typeof value === 'string'))
    throw mixed('batch', values, place);
  if (values.some((value) => value instanceof Tensor)) return stacked(values);
  if (values.every(isTyped)) return concatenated(values, place);
  return keep(fromHost('batch', values as HostValues));
}

export function isTyped(value: unknown): value is HostArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** The shape of a typed array: its own, if it has one. */
export function typedShape(values: HostArray): Shape {
  return (values as ShapedData).shape ?? [values.length];
}

function stacked(values: readonly ElementValue[]): Tensor {
  const uploads: Tensor[] = [];
  const tensors = values.map((value) => {
    if (value instanceof Tensor) return value;
    const upload = fromHost('batch', value as HostValues);
    uploads.push(upload);
    return upload;
  });
  try {
    return keep(stack(tensors));
  } finally {
    for (const upload of uploads) upload.dispose();
  }
}

function concatenated(values: readonly HostArray[], place: Place): Tensor {
  const [first] = values as [HostArray];
  const shape = typedShape(first);
  const all = allocate('batch', first, [values.length, ...shape]);
  for (const [i, value] of values.entries()) {
    if (!sameShape(typedShape(value), shape)) throw differentShapes(place, shape, typedShape(value));
    all.set(value, i * first.length);
  }
  return keep(fromHost('batch', all, { shape: [values.length, ...shape] }));
}

function differentShapes(place: Place, first: Shape, other: Shape): ShapeError {
  return new ShapeError({
    op: 'batch',
    rule: 'the elements of a batch have the same shape.',
    received: `${formatShape(first)} and ${formatShape(other)}${where(place)}`,
    hint: 'use paddedBatch, which pads them to the largest.',
  });
}

export function mixed(op: string, values: readonly unknown[], place: Place): ValueError {
  const kinds = [...new Set(values.map((value) => describe(value)))];
  return new ValueError({
    op,
    rule: 'the values of a batch are all numbers and arrays, all texts, or all null.',
    received: `${kinds.slice(0, 3).join(', ')}${where(place)}`,
    hint: 'convert them in a map before it.',
  });
}
