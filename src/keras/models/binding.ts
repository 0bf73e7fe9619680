/** @file Matches the values that a model is called on to its symbolic inputs. */
import { DTypeError, ShapeError, ValueError } from '../../core/errors.ts';
import type { OpenShape } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { inOrder, leavesOf, mapNest, type Nest } from '../tensorNest.ts';

/**
 * Returns the values in the order of the inputs: by position, or by name if a record is given for inputs that are not a record.
 * As in Keras, a vector is accepted where the input is a matrix of one column, and vice versa; numbers become the floats of the input.
 * Errors: ValueError for missing or extra values; ShapeError and DTypeError for a value that does not match its input.
 */
export function bindInputs(
  model: string,
  wanted: Nest<KerasTensor>,
  inputs: readonly KerasTensor[],
  given: Nest<unknown>,
): unknown[] {
  const values = valuesInOrder(model, wanted, inputs, given);
  if (values.length !== inputs.length) {
    throw new ValueError({
      op: model,
      rule: `it takes ${inputs.length} ${inputs.length === 1 ? 'input' : 'inputs'}: ${inputs.map(({ name }) => `'${name}'`).join(', ')}.`,
      received: `${values.length} values`,
      hint: 'pass them in that order, or as a record by name.',
    });
  }
  const paths = leavesOf(mapNest(wanted, (_, path) => path));
  return inputs.map((input, i) => {
    const value = withDtypeOf(input, withRankOf(input, values[i] as Tensor));
    requireFit(model, input, paths[i] as string, value);
    return value;
  });
}

/** Returns `value` with a last axis of size 1 added or removed, if that gives the rank of the input. */
function withRankOf({ shape: wanted }: KerasTensor, value: Tensor): Tensor {
  const given = value.shape as OpenShape;
  if (given.length === wanted.length - 1 && wanted.at(-1) === 1) return expandDims(value, { axis: -1 });
  if (given.length === wanted.length + 1 && given.at(-1) === 1) return squeeze(value, { axis: -1 });
  return value;
}

/** Returns `value` as floats of the input: it may be bytes of a picture, or what a layer in mixed precision computes. */
function withDtypeOf({ dtype }: KerasTensor, value: Tensor): Tensor {
  const takesFloats = dtype === 'float32' || dtype === 'float16';
  return takesFloats && value.dtype !== dtype ? cast(value, dtype) : value;
}

function isRecord(nest: unknown): nest is Readonly<Record<string, Nest<unknown>>> {
  return typeof nest === 'object' && nest !== null && Object.getPrototypeOf(nest) === Object.prototype;
}

function valuesInOrder(
  model: string,
  wanted: Nest<KerasTensor>,
  inputs: readonly KerasTensor[],
  given: Nest<unknown>,
): unknown[] {
  if (!isRecord(given)) return leavesOf(given);
  const keys = isRecord(wanted) ? inOrder(Object.keys(wanted)) : inputs.map(({ name }) => name);
  const missing = keys.find((key) => !(key in given));
  const extra = Object.keys(given).filter((key) => !keys.includes(key));
  if (missing === undefined && extra.length === 0)
    return keys.flatMap((key) => leavesOf(given[key] as Nest<unknown>));
  throw new ValueError({
    op: model,
    rule: `a record of inputs has a value for each of ${quoted(keys)}, and no others.`,
    received: quoted(Object.keys(given)),
    hint: missing === undefined ? `leave out ${quoted(extra)}, which no input takes.` : `add '${missing}'.`,
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function requireFit(model: string, wanted: KerasTensor, path: string, given: OpenSpec): void {
  const parts = {
    op: model,
    rule: `its input '${wanted.name}' takes ${formatSpec(wanted)}, where null means any size.`,
    received: `${path}: ${formatSpec(given)}`,
    hint: 'reshape or cast the value; the first axis is the batch.',
  };
  const fits =
    wanted.shape.length === given.shape.length &&
    wanted.shape.every(
      (size, axis) => size === null || [size, null].includes(given.shape[axis] as number | null),
    );
  if (!fits) throw new ShapeError(parts);
  if (wanted.dtype !== given.dtype) throw new DTypeError(parts);
}
