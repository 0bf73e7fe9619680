/** @file The regularizers: penalties on weights or on outputs of layers. */
import { ShapeError } from '../../core/errors.ts';
import { requireFinite } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { eye } from '../../ops/creation/eye.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Configured } from '../namedObjects.ts';
import { checked, number, oneOf } from '../options/kinds.ts';
import { declaring, type Table } from '../options/maker.ts';
import type { Option } from '../options/option.ts';

/** A penalty on the values of a weight or an output: a scalar, which training adds to the loss. */
export interface Regularizer extends Configured {
  /** The penalty, a scalar computed with ops. */
  call(x: Tensor): Tensor;
}

const regularizer = /* @__PURE__ */ declaring<Regularizer>();

/** The factor of a penalty: null means `fallback`. */
const factorOf = (fallback: number): Option<number> =>
  checked((op, what, given) => {
    requireFinite(op, what, given ?? fallback, 0);
    return given ?? fallback;
  }, fallback);

export interface L1Options {
  /** Factor of the sum of absolute values. Default 0.01. */
  l1?: number | null;
}

export interface L2Options {
  /** Factor of the sum of squares. Default 0.01. */
  l2?: number | null;
}

const l1Table: Table<L1Options> = () => ({ l1: factorOf(0.01) });
const l2Table: Table<L2Options> = () => ({ l2: factorOf(0.01) });

/** `l1` times the sum of absolute values. Default 0.01. Errors: ValueError for a factor below 0. */
export const l1 = /* @__PURE__ */ regularizer('L1', l1Table, (factors) => penalty(factors), ['l1']);

/** `l2` times the sum of squares. Default 0.01. Errors: ValueError for a factor below 0. */
export const l2 = /* @__PURE__ */ regularizer('L2', l2Table, (factors) => penalty(factors), ['l2']);

export interface L1L2Options {
  /** Factor of the sum of absolute values. Default 0. */
  l1?: number | null;
  /** Factor of the sum of squares. Default 0. */
  l2?: number | null;
}

const l1l2Table: Table<L1L2Options> = () => ({ l1: factorOf(0), l2: factorOf(0) });

/** Both penalties. Errors: ValueError for a factor below 0. */
export const l1l2 = /* @__PURE__ */ regularizer('L1L2', l1l2Table, (factors) => penalty(factors), [
  'l1',
  'l2',
]);

const modes = ['rows', 'columns'] as const;

export interface OrthogonalRegularizerOptions {
  /** Factor of the penalty. Default 0.01. */
  factor?: number;
  /** The vectors that are pushed apart: 'rows' or 'columns'. Default 'rows'. */
  mode?: (typeof modes)[number];
}

const orthogonalTable: Table<OrthogonalRegularizerOptions> = () => ({
  factor: number({ min: 0, default: 0.01 }),
  mode: oneOf(modes, 'rows'),
});

/**
 * `factor` times the mean of |cosine| over all pairs of rows, or of columns, which pushes them towards right angles.
 * Errors: ValueError for options; ShapeError, when called, for anything but a matrix.
 */
export const orthogonalRegularizer = /* @__PURE__ */ regularizer(
  'OrthogonalRegularizer',
  orthogonalTable,
  ({ factor, mode }) =>
    (x) =>
      tidy(() => meanCosine(x, mode === 'rows', factor)),
  ['factor', 'mode'],
);

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

function penalty({ l1, l2 }: L1L2Options): Regularizer['call'] {
  return (x) =>
    tidy(() => {
      if (!l1 && !l2) return zeros([]);
      if (!l2) return absolute(x, l1 as number);
      return l1 ? add(absolute(x, l1), squared(x, l2)) : squared(x, l2);
    });
}

function absolute(x: Tensor, factor: number): Tensor {
  return tidy(() => mul(sum(abs(x)), factor));
}

function squared(x: Tensor, factor: number): Tensor {
  return tidy(() => mul(sum(square(x)), factor));
}
