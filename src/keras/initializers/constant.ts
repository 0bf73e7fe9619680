/** @file Deterministic initializers: zeros, ones, constant, identity. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireFinite, type Shape } from '../../core/shape.ts';
import type { DType } from '../../core/dtype.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { eye } from '../../ops/creation/eye.ts';
import { fill } from '../../ops/creation/creation.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { checked, number } from '../options/kinds.ts';
import type { Table } from '../options/maker.ts';
import { initializer } from './initializer.ts';

/** A number, or lists of numbers. */
type Numbers = number | readonly Numbers[];

export interface ConstantOptions {
  /** The value of every element, or lists of values that broadcast to the weight. Default 0. */
  value?: Numbers;
}

export interface IdentityOptions {
  /** The value on the diagonal. Default 1. */
  gain?: number;
}

const none: Table<object> = () => ({});
// Lists of other options are pairs of sizes.
const constantTable: Table<ConstantOptions> = () => ({ value: checked(requireNumbers, 0) as never });
const identityTable: Table<IdentityOptions> = () => ({
  // Keras doesn't save `gain` in configurations.
  gain: { ...number({ default: 1 }), write: (gain) => (gain === 1 ? undefined : gain) },
});

function requireNumbers(op: string, what: string, value: unknown): void {
  for (const one of [value].flat(9)) requireFinite(op, what, one);
}

const filled = (value: number) => (shape: Shape, dtype: DType) => fill(shape, value, { dtype });

/** Zeros, in any shape and dtype. */
export const zeros = /* @__PURE__ */ initializer('Zeros', none, () => filled(0));

/** Ones, in any shape and dtype. */
export const ones = /* @__PURE__ */ initializer('Ones', none, () => filled(1));

/**
 * `value` everywhere, 0 by default; or lists of values, in the shape of the weight or one that broadcasts to it.
 * Errors: ValueError for anything but finite numbers; ShapeError, when called, for lists that don't fit.
 */
export const constant = /* @__PURE__ */ initializer(
  'Constant',
  constantTable,
  ({ value }) =>
    typeof value === 'number'
      ? filled(value)
      : (shape, dtype) =>
          tidy(() => mul(tensor(value as unknown as number[], { dtype }), filled(1)(shape, dtype))),
  ['value'],
);

/** `gain` on the diagonal of a matrix. Default 1. Errors: ShapeError, when called, for anything but a matrix. */
export const identity = /* @__PURE__ */ initializer(
  'Identity',
  identityTable,
  ({ gain }) =>
    (shape, dtype) =>
      diagonal(shape, dtype, gain),
  ['gain'],
);

function diagonal(shape: Shape, dtype: DType, gain: number): Tensor {
  if (shape.length !== 2) {
    throw new ShapeError({
      op: 'Identity',
      rule: 'the weight is a matrix.',
      received: formatShape(shape),
      hint: 'choose another initializer for this weight.',
    });
  }
  const [rows, columns] = shape as [number, number];
  return tidy(() => {
    const matrix = eye(rows, { columns, dtype });
    return gain === 1 ? matrix : mul(matrix, gain);
  });
}
