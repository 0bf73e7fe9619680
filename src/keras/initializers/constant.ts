/** @file Deterministic initializers: zeros, ones, constant, identity. */
import { optionsOf } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireFinite } from '../../core/shape.ts';
import { mul } from '../../ops/arithmetic.ts';
import { fill } from '../../ops/creation.ts';
import { eye } from '../../ops/eye.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Initializer } from './initializer.ts';

/** Zeros, in any shape and dtype. */
export function zeros(): Initializer;
export function zeros(...args: unknown[]): Initializer {
  optionsOf('Zeros', args, {});
  return {
    className: 'Zeros',
    call: (shape, dtype) => fill(shape, 0, { dtype }),
    getConfig: () => ({}),
  };
}

/** Ones, in any shape and dtype. */
export function ones(): Initializer;
export function ones(...args: unknown[]): Initializer {
  optionsOf('Ones', args, {});
  return {
    className: 'Ones',
    call: (shape, dtype) => fill(shape, 1, { dtype }),
    getConfig: () => ({}),
  };
}

/** `value` everywhere. Default 0. Errors: ValueError for anything but a finite number. */
export function constant(options?: { value?: number } | number): Initializer;
export function constant(...args: unknown[]): Initializer {
  const { value = 0 }: { value?: number } = optionsOf('Constant', args, { value: true });
  requireFinite('Constant', 'value', value);
  return {
    className: 'Constant',
    call: (shape, dtype) => fill(shape, value, { dtype }),
    getConfig: () => ({ value }),
  };
}

/** `gain` on the diagonal of a matrix. Default 1. Errors: ShapeError, when called, for anything but a matrix. */
export function identity(options?: { gain?: number } | number): Initializer;
export function identity(...args: unknown[]): Initializer {
  const { gain = 1 }: { gain?: number } = optionsOf('Identity', args, { gain: true });
  requireFinite('Identity', 'gain', gain);
  return {
    className: 'Identity',
    call: (shape, dtype) => {
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
    },
    // Keras doesn't save `gain` in configurations.
    getConfig: () => (gain === 1 ? {} : { gain }),
  };
}
