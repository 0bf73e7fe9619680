/** @file Vector and matrix functions of keras.ops: cross, inner and Kronecker products, differences, correlation. */
import { ShapeError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { formatShape, normalizeAxis, requireFinite, requireInteger } from '../../core/shape.ts';
import { add, div, mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { notEqual } from '../../ops/elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { max, min } from '../../ops/reductions/extrema.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { requireVectorOrder, vectorNorm } from '../../ops/reductions/vectorNorm.ts';
import { tensordot } from '../../ops/products/outer.ts';
import {
  reduceOptionNames,
  type ReduceOptions,
  type ReducePositions,
} from '../../ops/reductions/reduction.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { unstack } from '../../ops/arrangement/unstack.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log10, sqrt, square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats, composeNumbers, composeValues } from './composites.ts';

/** Options of functions along one axis. */
export interface AlongAxisOptions {
  /** The axis of the vectors. Default -1. */
  axis?: number;
}

export interface CrossOptions {
  /** The axis of the vectors of x. Default -1. */
  axisa?: number;
  /** The axis of the vectors of y. Default -1. */
  axisb?: number;
  /** The axis of the vectors of the result. Default -1. */
  axisc?: number;
  /** All three axes. Default null. */
  axis?: number | null;
}

/**
 * The cross products of vectors of three elements, or of two, whose third is 0. Of two vectors with two elements, it is a number.
 * Shapes broadcast. Dtypes promote. Errors: ShapeError.
 */
export const cross: CompositeOp<
  [x: Tensor, y: Tensor],
  CrossOptions,
  Tensor,
  ['axisa', 'axisb', 'axisc', 'axis']
> = /* @__PURE__ */ composeNumbers({
  name: 'cross',
  inputs: ['x', 'y'],
  options: { axisa: true, axisb: true, axisc: true, axis: true },
  compose: ([x, y], { axis = null, axisa = -1, axisb = -1, axisc = -1 }) => {
    const [a, b] = [componentsOf('x', x, axis ?? axisa), componentsOf('y', y, axis ?? axisb)];
    const product = (i: number, j: number): Tensor | null => {
      const [one, other] = [a[i] && b[j], a[j] && b[i]] as const;
      const plus = one && mul(a[i] as Tensor, b[j] as Tensor);
      const minus = other && mul(a[j] as Tensor, b[i] as Tensor);
      if (plus && minus) return sub(plus, minus);
      return plus || (minus ? neg(minus) : null);
    };
    const last = product(0, 1) as Tensor;
    if (a.length === 2 && b.length === 2) return last;
    const parts = [product(1, 2), product(2, 0), last] as Tensor[];
    return stack(parts, { axis: axis ?? axisc });
  },
});

/** Returns the components of vectors along `axis`. Errors: ShapeError for other counts than two and three. */
function componentsOf(name: string, x: Tensor, axis: number): readonly Tensor[] {
  const count = x.shape[normalizeAxis('cross', axis, x.shape.length)];
  if (count === 2 || count === 3) return unstack(x, { axis });
  throw new ShapeError({
    op: 'cross',
    rule: `\`${name}\` must have 2 or 3 elements along the axis.`,
    received: `${name} ${formatShape(x.shape)}, axis: ${axis}`,
    hint: 'the cross product is one of vectors in space; use outer or einsum for others.',
  });
}

/**
 * The Kronecker product. Shapes: the sizes of x and y multiply, axis by axis from the last. Ranks up to 3. Dtypes promote.
 * Errors: ShapeError.
 */
export const kron: CompositeOp<[x: Tensor, y: Tensor]> = /* @__PURE__ */ composeValues({
  name: 'kron',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => {
    const rank = Math.max(x.shape.length, y.shape.length);
    const raised = ({ shape }: Tensor) => [...new Array<number>(rank - shape.length).fill(1), ...shape];
    const [a, b] = [raised(x), raised(y)];
    const blocks = reshape(x, { shape: a.flatMap((n) => [n, 1]) });
    const inner = reshape(y, { shape: b.flatMap((n) => [1, n]) });
    return reshape(mul(blocks, inner), { shape: a.map((n, i) => n * (b[i] as number)) });
  },
});

/**
 * The sums of products along the last axis of both; with a scalar, the products. Dtypes as of `tensordot`. Shapes: x [...,
 * n], y [..., n] → the other axes. Errors: ShapeError.
 */
export const inner: CompositeOp<[x: Tensor, y: Tensor]> = /* @__PURE__ */ composeValues({
  name: 'inner',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => (isScalar(x) || isScalar(y) ? mul(x, y) : tensordot(x, y, { axes: [-1, -1] })),
});

/**
 * The product along the last axis of x and the second to last of y, as NumPy's dot; with a scalar, the products. Dtypes as
 * of `tensordot`. Errors: ShapeError.
 */
export const dot: CompositeOp<[x: Tensor, y: Tensor]> = /* @__PURE__ */ composeValues({
  name: 'dot',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => {
    if (isScalar(x) || isScalar(y)) return mul(x, y);
    return tensordot(x, y, { axes: [-1, y.shape.length === 1 ? 0 : -2] });
  },
});

const isScalar = ({ shape }: Tensor) => shape.length === 0;

/** The sum of products of all elements, both flattened. Shape []. float32. Errors: ShapeError for other counts, DTypeError. */
export const vdot: CompositeOp<[x: Tensor, y: Tensor]> = /* @__PURE__ */ composeValues({
  name: 'vdot',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => tensordot(reshape(x, { shape: [-1] }), reshape(y, { shape: [-1] }), { axes: 1 }),
});

export interface AverageOptions {
  /** The axes that are averaged. Default null: all elements. */
  axis?: number | null;
  /** The weights, as an option. Default null: all elements count the same. */
  weights?: TensorLike | null;
}

/**
 * The mean along `axis`, weighted by `weights` of the shape of x, or of its axis: the second argument, or an option. float32. Errors:
 * ShapeError, DTypeError.
 */
export const average: CompositeOp<[x: Tensor, weights: Tensor | null], AverageOptions, Tensor, ['axis']> =
  /* @__PURE__ */ withWeightsByName(
    /* @__PURE__ */ composeFloats({
      name: 'average',
      inputs: ['x', 'weights?'],
      options: { axis: true, weights: false },
      compose: ([x, weights], { axis = null }) => {
        if (!weights) return mean(x, { axis });
        const rank = x.shape.length;
        const along =
          axis !== null && weights.shape.length === 1 ? normalizeAxis('average', axis, rank) : null;
        const shape = x.shape.map((_, i) => (i === along ? -1 : 1));
        const spread = along === null ? weights : reshape(weights, { shape });
        const ofAll = add(spread, mul(x, 0));
        return div(sum(mul(x, spread), { axis }), sum(ofAll, { axis }));
      },
    }),
  );

/* @__NO_SIDE_EFFECTS__ */
function withWeightsByName<
  F extends CompositeOp<[x: Tensor, weights: Tensor | null], AverageOptions, Tensor, ['axis']>,
>(op: F): F {
  const run = op as unknown as (...args: unknown[]) => Tensor;
  const call = (...args: unknown[]) => {
    const last = args.at(-1);
    if (!isPlainObject(last) || last.weights === undefined || args.length !== 2) return run(...args);
    const { weights, ...options } = last;
    return run(args[0], weights, options);
  };
  return Object.assign(call, { definition: op.definition }) as unknown as F;
}

/** The number of elements that aren't 0. int32. Shapes: as of `sum`. Any dtype. Errors: ShapeError. */
export const countNonzero: CompositeOp<[x: Tensor], ReduceOptions, Tensor, ReducePositions> =
  /* @__PURE__ */ defineComposite({
    name: 'countNonzero',
    inputs: ['x'],
    options: reduceOptionNames,
    backward: null,
    compose: ([x], options) => sum(cast(x.dtype === 'bool' ? x : notEqual(x, 0), 'int32'), options),
  });

/** The largest minus the smallest element. float32, int32. Shapes: as of `max`. Errors: ShapeError, DTypeError. */
export const ptp: CompositeOp<[x: Tensor], ReduceOptions, Tensor, ReducePositions> =
  /* @__PURE__ */ composeNumbers({
    name: 'ptp',
    inputs: ['x'],
    options: reduceOptionNames,
    compose: ([x], options) => sub(max(x, options), min(x, options)),
  });

export interface DiffOptions extends AlongAxisOptions {
  /** The number of times differences are taken. Default 1. */
  n?: number;
}

/**
 * Differences of neighbours along `axis`, `n` times. Shape: x with n elements fewer along `axis`. float32, int32. Errors:
 * ShapeError, ValueError.
 */
export const diff: CompositeOp<[x: Tensor], DiffOptions, Tensor, ['n', 'axis']> =
  /* @__PURE__ */ composeValues({
    name: 'diff',
    inputs: ['x'],
    options: { n: true, axis: true },
    compose: ([x], { n = 1, axis = -1 }) => {
      requireInteger('diff', 'n', n, 0);
      const along = normalizeAxis('diff', axis, x.shape.length);
      return Array.from({ length: n }).reduce<Tensor>((y) => {
        const [ahead, behind] = neighbours(y, along);
        return sub(ahead, behind);
      }, x);
    },
  });

/** Returns all elements but the first, and all but the last, along `axis`. */
function neighbours(x: Tensor, axis: number): [ahead: Tensor, behind: Tensor] {
  const size = x.shape.map((n, i) => (i === axis ? Math.max(0, n - 1) : n));
  const begin = x.shape.map((n, i) => (i === axis ? Math.min(1, n) : 0));
  return [slice(x, { begin, size }), slice(x, { begin: begin.map(() => 0), size })];
}

export interface TrapezoidOptions extends AlongAxisOptions {
  /** The distance between samples, if their positions aren't given. Default 1. */
  dx?: number;
}

/**
 * The integral of y along `axis` by the trapezoidal rule, at positions `x` [n], or of the shape of y. float32. Shape: y
 * without the axis. Errors: ShapeError, ValueError.
 */
export const trapezoid: CompositeOp<[y: Tensor, x: Tensor | null], TrapezoidOptions, Tensor, ['dx', 'axis']> =
  /* @__PURE__ */ composeFloats({
    name: 'trapezoid',
    inputs: ['y', 'x?'],
    options: { dx: true, axis: true },
    compose: ([y, x], { dx = 1, axis = -1 }) => {
      requireFinite('trapezoid', 'dx', dx);
      const along = normalizeAxis('trapezoid', axis, y.shape.length);
      const last = moveAxis(y, { source: along, destination: -1 });
      const [ahead, behind] = neighbours(last, last.shape.length - 1);
      const heights = mul(add(ahead, behind), 0.5);
      if (!x) return mul(sum(heights, { axis: -1 }), dx);
      const places = x.shape.length === 1 ? x : moveAxis(x, { source: along, destination: -1 });
      const [next, previous] = neighbours(places, places.shape.length - 1);
      return sum(mul(heights, sub(next, previous)), { axis: -1 });
    },
  });

/**
 * The correlation coefficients of the rows of x [variables, observations]. Shape [variables, variables]. float32. Errors:
 * ShapeError, DTypeError.
 */
export const corrcoef: CompositeOp<[x: Tensor]> = /* @__PURE__ */ composeFloats({
  name: 'corrcoef',
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    const centered = sub(x, mean(x, { axis: -1, keepDims: true }));
    const unit = div(centered, sqrt(sum(square(centered), { axis: -1, keepDims: true })));
    return matMul(unit, unit, { transposeB: true });
  },
});

export interface CdistOptions {
  /** The exponent of the norm. Default 2. */
  p?: number;
}

/**
 * The distances of all rows of x from all rows of y. Shapes: x [..., n, k], y [..., m, k] → [..., n, m]. float32. Errors:
 * ShapeError, ValueError, DTypeError.
 */
export const cdist: CompositeOp<[x: Tensor, y: Tensor], CdistOptions, Tensor, ['p']> =
  /* @__PURE__ */ composeFloats({
    name: 'cdist',
    inputs: ['x', 'y'],
    options: { p: true },
    compose: ([x, y], { p = 2 }) => {
      requireVectorOrder('cdist', 'p', p);
      const differences = sub(expandDims(x, { axis: -2 }), expandDims(y, { axis: -3 }));
      return vectorNorm(differences, p, { axis: [-1], keepDims: false });
    },
  });

export interface PsnrOptions {
  /** The largest possible value. */
  maxVal: number;
}

/**
 * The peak signal-to-noise ratio in decibels: 20 log₁₀ maxVal - 10 log₁₀ of the mean squared difference. Shape []. float32.
 * Errors: ShapeError, ValueError.
 */
export const psnr: CompositeOp<[x: Tensor, y: Tensor], PsnrOptions, Tensor, ['maxVal']> =
  /* @__PURE__ */ composeFloats({
    name: 'psnr',
    inputs: ['x', 'y'],
    options: { maxVal: true },
    compose: ([x, y], { maxVal }) => {
      requireFinite('psnr', 'maxVal', maxVal, 0);
      return sub(20 * Math.log10(maxVal), mul(log10(mean(square(sub(x, y)))), 10));
    },
  });
