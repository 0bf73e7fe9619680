/** @file clip */
import { type ComputeDType, type DType, isFloating, requireDType, wgslType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import * as math from '../../kernels/elementwise/math.ts';
import { perResult } from '../define/cost.ts';
import { defineOp } from '../define/define.ts';
import type { UnaryOp } from './elementwise.ts';
import { defineDerivative } from './derivative.ts';

export interface ClipOptions {
  /** Smaller values become this one. Default: no lower bound. */
  min?: number;
  /** Larger values become this one. Default: no upper bound. */
  max?: number;
}

/** The range of bounds for each dtype. */
const ranges: Record<ComputeDType, readonly [number, number]> = {
  float32: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  bool: [0, 1],
};

/** Both bounds, limited to the range of the dtype. */
function boundsOf({ min, max }: ClipOptions, dtype: DType): readonly [number, number] {
  const [lowest, highest] = ranges[dtype as ComputeDType];
  const [from, to] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  const isBound = (value: unknown) =>
    typeof value === 'number' &&
    !Number.isNaN(value) &&
    (isFloating(dtype) || Number.isInteger(value) || !Number.isFinite(value));
  if (!isBound(from) || !isBound(to) || from > to) {
    throw new ValueError({
      op: 'clip',
      rule: `\`min\` and \`max\` must be ${isFloating(dtype) ? 'numbers' : 'integers'}, min not above max.`,
      received: `min: ${describe(min)}, max: ${describe(max)} for x of dtype ${dtype}`,
      hint: 'order the bounds, or leave one out; for bounds that are tensors use maximum and minimum.',
    });
  }
  return [Math.min(Math.max(from, lowest), highest), Math.min(Math.max(to, lowest), highest)];
}

const clipDerivative = /* @__PURE__ */ defineDerivative<ClipOptions>({
  name: 'clipDerivative',
  expression: 'select(0.0, a, (b >= params.alpha) & (b <= params.beta))',
  scalars: (options) => {
    const [alpha, beta] = boundsOf(options, 'float32');
    return { alpha, beta };
  },
  secondDerivative: null,
});

/**
 * x within [min, max], and the nearer bound elsewhere; NaN stays NaN. Dtypes: float32, int32, uint32.
 * Gradient: 1 within the bounds, inclusive; 0 beyond.
 * Errors: ValueError for bounds that aren't numbers or out of order, or fractional bounds of integers.
 */
export const clip: UnaryOp<ClipOptions, ['min', 'max']> = /* @__PURE__ */ defineOp({
  name: 'clip',
  inputs: ['x'],
  options: { min: true, max: true },
  infer: ([{ shape, dtype }], options) => {
    requireDType('clip', 'x', dtype, ['float32', 'int32', 'uint32']);
    return { shape, dtype, bounds: boundsOf(options, dtype) };
  },
  forward: ([x], plan) => {
    const [alpha, beta] = plan.bounds;
    if (isFloating(x.dtype)) {
      const expression = math.smaller(math.larger('a', 'params.alpha'), 'params.beta');
      return kernels().elementwiseKernel('clip', expression, [x], plan, { alpha, beta });
    }
    const [from, to] = ['alpha', 'beta'].map((name) => `bitcast<${wgslType(x.dtype)}>(params.${name}_bits)`);
    return kernels().elementwiseKernel('clip', `clamp(a, ${from}, ${to})`, [x], plan, { alpha, beta });
  },
  backward: ([dy], { inputs: [x], options }) => [clipDerivative(dy, x, options)],
  elementwise: true,
  cost: perResult,
});
