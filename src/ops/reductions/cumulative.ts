/**
 * @file cumprod, and cummax by recursive doubling. Source of recursive doubling: W. D. Hillis, G. L. Steele, "Data parallel
 * algorithms", 1986.
 */
import { normalizeAxis, requireBoolean } from '../../core/shape.ts';
import { type DType, requireDType } from '../../core/dtype.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { scanKernel } from '../../kernels/reduce/scan.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { perResult } from '../define/cost.ts';
import { type CumsumOptions, planScan, type ScanPlan } from './cumsum.ts';
import { defineOp, type Op } from '../define/define.ts';
import { flip } from '../arrangement/flip.ts';
import { identity } from '../arrangement/identity.ts';
import { maximum } from '../elementwise/maximum.ts';
import { numbers } from './reduction.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';

export interface CummaxOptions {
  /** The axis along which maxima run. Default 0. */
  axis?: number;
  /** Runs from the end of the axis. Default false. */
  reverse?: boolean;
}

const lowest: Partial<Record<DType, number>> = {
  float32: Number.NEGATIVE_INFINITY,
  int32: -(2 ** 31),
  uint32: 0,
};

/**
 * Running products of `x` along `axis`: element k holds the product of the elements up to and including k. Shape: that of x;
 * float32, int32, uint32. Gradients are exact at zeros, too.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cumprod: Op<[x: Tensor], CumsumOptions, Tensor, 'first', ['axis', 'exclusive', 'reverse']> =
  /* @__PURE__ */ defineOp({
    name: 'cumprod',
    inputs: ['x'],
    options: { axis: true, exclusive: true, reverse: true },
    save: { inputs: [0] },
    infer: ([x], options) => planScan('cumprod', x, options),
    forward: ([x], plan) => scanKernel('cumprod', x, plan.axis, plan),
    backward: ([dy], { inputs: [x], plan }) => [productGradient(dy, x, plan)],
    cost: perResult,
  });

/**
 * The gradient of running products without a division, so that it is exact at zeros: through products by recursive doubling, where
 * an element becomes the product of the last 2, 4, 8, … elements.
 */
function productGradient(dy: Tensor, x: Tensor, { axis, exclusive, reverse }: ScanPlan): Tensor {
  const turned = (t: Tensor) => (reverse ? flip(t, { axis }) : t);
  const n = x.shape[axis] as number;
  const levels: { product: Tensor; span: number }[] = [];
  let product = exclusive ? shifted(turned(x), axis, 1, 1) : turned(x);
  for (let span = 1; span < n; span *= 2) {
    levels.push({ product, span });
    if (2 * span < n) product = mul(shifted(product, axis, span, 1), product);
  }
  let gradient = turned(dy);
  for (const { product, span } of levels.reverse()) {
    gradient = add(
      mul(gradient, shifted(product, axis, span, 1)),
      shifted(mul(gradient, product), axis, -span, 0),
    );
  }
  return turned(exclusive ? shifted(gradient, axis, -1, 0) : gradient);
}

/**
 * Running maxima of `x` along `axis`: element k holds the largest element up to and including k. NaN propagates.
 * Shape: that of x; float32, int32, uint32. Equal elements share the gradient.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cummax: CompositeOp<[x: Tensor], CummaxOptions, Tensor, ['axis', 'reverse']> =
  /* @__PURE__ */ defineComposite({
    name: 'cummax',
    acceptsFloat16: false,
    inputs: ['x'],
    options: { axis: true, reverse: true },
    compose: ([x], { axis = 0, reverse = false }) => {
      requireDType('cummax', 'x', x.dtype, numbers);
      requireBoolean('cummax', 'reverse', reverse);
      const along = normalizeAxis('cummax', axis, x.shape.length);
      const flipped = reverse ? flip(x, { axis: along }) : x;
      const maxima = runningFold(flipped, along, maximum, lowest[x.dtype] as number);
      return reverse ? flip(maxima, { axis: along }) : maxima;
    },
  });

/** Folds each element with all before it: after step i an element holds the fold of the last 2^i. */
function runningFold(
  x: Tensor,
  axis: number,
  fold: (a: Tensor, b: Tensor) => Tensor,
  neutral: number,
): Tensor {
  const n = x.shape[axis] as number;
  // A new tensor, even if there is nothing to fold.
  let folded = n > 1 ? x : identity(x);
  for (let distance = 1; distance < n; distance *= 2)
    folded = fold(shifted(folded, axis, distance, neutral), folded);
  return folded;
}

/**
 * Returns `x` shifted along `axis` by `distance`, at most its size: towards the end, or towards the start if negative. The gap is
 * filled with `value`.
 */
function shifted(x: Tensor, axis: number, distance: number, value: number): Tensor {
  const n = x.shape[axis] as number;
  const gap = Math.min(n, Math.abs(distance));
  const begin = x.shape.map((_, i) => (i === axis && distance < 0 ? gap : 0));
  const rest = slice(x, { begin, size: x.shape.map((size, i) => (i === axis ? n - gap : size)) });
  const paddings = x.shape.map((_, i) => (i !== axis ? [0, 0] : distance < 0 ? [0, gap] : [gap, 0]));
  return pad(rest, { paddings, constantValue: value });
}
