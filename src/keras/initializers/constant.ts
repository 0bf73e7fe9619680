/** @file Deterministic initializers: zeros, ones, constant, identity. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, type Shape } from '../../core/shape.ts';
import type { DType } from '../../core/dtype.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { eye } from '../../ops/creation/eye.ts';
import { fill } from '../../ops/creation/creation.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { number } from '../options/kinds.ts';
import type { Table } from '../options/maker.ts';
import { initializer } from './initializer.ts';

export interface ConstantOptions {
  /** The value of every element. Default 0. */
  value?: number;
}

export interface IdentityOptions {
  /** The value on the diagonal. Default 1. */
  gain?: number;
}

const none: Table<object> = () => ({});
const constantTable: Table<ConstantOptions> = () => ({ value: number({ default: 0 }) });
const identityTable: Table<IdentityOptions> = () => ({
  // Keras doesn't save `gain` in configurations.
  gain: { ...number({ default: 1 }), write: (gain) => (gain === 1 ? undefined : gain) },
});

const filled = (value: number) => (shape: Shape, dtype: DType) => fill(shape, value, { dtype });

/** Zeros, in any shape and dtype. */
export const zeros = /* @__PURE__ */ initializer('Zeros', none, () => filled(0));

/** Ones, in any shape and dtype. */
export const ones = /* @__PURE__ */ initializer('Ones', none, () => filled(1));

/** `value` everywhere. Default 0. Errors: ValueError for anything but a finite number. */
export const constant = /* @__PURE__ */ initializer('Constant', constantTable, ({ value }) => filled(value), [
  'value',
]);

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
      rule: 'the identity is a matrix: the weight must have rank 2.',
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
