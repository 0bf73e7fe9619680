/** @file The regularizers: penalties on weights or on outputs of layers. */
import { optionsOf, type Positions } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireFinite, requireOneOf } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { add, div, mul, sub } from '../../ops/arithmetic.ts';
import { zeros } from '../../ops/creation.ts';
import { eye } from '../../ops/eye.ts';
import { matMul } from '../../ops/matMul.ts';
import { maximum } from '../../ops/maximum.ts';
import { abs } from '../../ops/rounding.ts';
import { sum } from '../../ops/sum.ts';
import { sqrt, square } from '../../ops/unary.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Configured } from '../namedObjects.ts';

/** A penalty on the values of a weight or an output: a scalar, which training adds to the loss. */
export interface Regularizer extends Configured {
  /** The penalty, a scalar computed with ops. */
  call(x: Tensor): Tensor;
}

/** `l1` times the sum of absolute values. Default 0.01. Errors: ValueError for a factor below 0. */
export function l1(options?: { l1?: number | null } | number | null): Regularizer;
export function l1(...args: unknown[]): Regularizer {
  const { l1: factor }: { l1?: number | null } = optionsOf('L1', args, { l1: true });
  const weight = requireFactor('L1', 'l1', factor ?? 0.01);
  return { className: 'L1', call: (x) => absolute(x, weight), getConfig: () => ({ l1: weight }) };
}

/** `l2` times the sum of squares. Default 0.01. Errors: ValueError for a factor below 0. */
export function l2(options?: { l2?: number | null } | number | null): Regularizer;
export function l2(...args: unknown[]): Regularizer {
  const { l2: factor }: { l2?: number | null } = optionsOf('L2', args, { l2: true });
  const weight = requireFactor('L2', 'l2', factor ?? 0.01);
  return { className: 'L2', call: (x) => squared(x, weight), getConfig: () => ({ l2: weight }) };
}

/** Options of `l1l2`. */
export interface L1L2Options {
  /** Factor of the sum of absolute values. Default 0. */
  l1?: number | null;
  /** Factor of the sum of squares. Default 0. */
  l2?: number | null;
}

/** Both penalties. Errors: ValueError for a factor below 0. */
export function l1l2(options?: L1L2Options): Regularizer;
export function l1l2(...settings: Positions<L1L2Options, ['l1', 'l2']>): Regularizer;
export function l1l2(...args: unknown[]): Regularizer {
  const options: L1L2Options = optionsOf('L1L2', args, { l1: true, l2: true });
  const first = requireFactor('L1L2', 'l1', options.l1 ?? 0);
  const second = requireFactor('L1L2', 'l2', options.l2 ?? 0);
  return {
    className: 'L1L2',
    call: (x) =>
      tidy(() => {
        if (first === 0 && second === 0) return zeros([]);
        if (second === 0) return absolute(x, first);
        if (first === 0) return squared(x, second);
        return add(absolute(x, first), squared(x, second));
      }),
    getConfig: () => ({ l1: first, l2: second }),
  };
}

const modes = ['rows', 'columns'] as const;

/** Options of `orthogonalRegularizer`. */
export interface OrthogonalRegularizerOptions {
  /** Factor of the penalty. Default 0.01. */
  factor?: number;
  /** The vectors that are pushed apart: 'rows' or 'columns'. Default 'rows'. */
  mode?: (typeof modes)[number];
}

/**
 * `factor` times the mean of |cosine| over all pairs of rows, or of columns, which pushes them towards right angles.
 * Errors: ValueError for options; ShapeError, when called, for anything but a matrix.
 */
export function orthogonalRegularizer(options?: OrthogonalRegularizerOptions): Regularizer;
export function orthogonalRegularizer(
  ...settings: Positions<OrthogonalRegularizerOptions, ['factor', 'mode']>
): Regularizer;
export function orthogonalRegularizer(...args: unknown[]): Regularizer {
  const names = { factor: true, mode: true };
  const options: OrthogonalRegularizerOptions = optionsOf('OrthogonalRegularizer', args, names);
  const { factor = 0.01, mode = 'rows' } = options;
  requireFactor('OrthogonalRegularizer', 'factor', factor);
  requireOneOf('OrthogonalRegularizer', 'mode', mode, modes);
  return {
    className: 'OrthogonalRegularizer',
    call: (x) => tidy(() => meanCosine(x, mode === 'rows', factor)),
    getConfig: () => ({ factor, mode }),
  };
}

function meanCosine(x: Tensor, rows: boolean, factor: number): Tensor {
  if (x.rank !== 2) {
    throw new ShapeError({
      op: 'OrthogonalRegularizer',
      rule: 'its weight is a matrix.',
      received: formatSpec(x),
      hint: 'choose another regularizer for this weight.',
    });
  }
  const count = x.shape[rows ? 0 : 1] as number;
  const length = sqrt(maximum(sum(square(x), { axis: rows ? 1 : 0, keepDims: true }), 1e-12));
  const unit = div(x, length);
  const cosines = matMul(unit, unit, rows ? { transposeB: true } : { transposeA: true });
  const offDiagonal = mul(cosines, sub(1, eye(count)));
  const pairs = (count * (count - 1)) / 2;
  return mul(sum(abs(offDiagonal)), (factor * 0.5) / Math.max(1, pairs));
}

function absolute(x: Tensor, factor: number): Tensor {
  return tidy(() => mul(sum(abs(x)), factor));
}

function squared(x: Tensor, factor: number): Tensor {
  return tidy(() => mul(sum(square(x)), factor));
}

function requireFactor(op: string, what: string, value: unknown): number {
  requireFinite(op, what, value, 0);
  return value as number;
}
