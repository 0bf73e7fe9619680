/** @file dropout */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, type Shape, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { view } from '../../kernels/launch/output.ts';
import { dropoutKernel } from '../../kernels/random.ts';
import { perResult } from '../define/cost.ts';
import { defineOp } from '../define/define.ts';
import type { FloatOp } from '../elementwise/elementwise.ts';
import { checkSeed, drawSeed, type Seed } from '../define/seeds.ts';

export interface DropoutOptions {
  /** Fraction of the elements that are cleared, in [0, 1). */
  rate: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: Seed | undefined;
  /** Shape of the mask, which broadcasts to x: elements along axes of size 1 are kept or cleared together. Null: x's size. */
  noiseShape?: readonly (number | null)[] | undefined;
}

function requireRate(rate: unknown): void {
  if (typeof rate === 'number' && rate >= 0 && rate < 1) return;
  throw new ValueError({
    op: 'dropout',
    rule: '`rate` must be a number in [0, 1).',
    received: `rate: ${describe(rate)}`,
    hint: 'pass the fraction to clear, such as 0.5.',
  });
}

/** Returns the shape of the mask of x. */
function maskShape(x: TensorSpec, noiseShape: DropoutOptions['noiseShape']): Shape {
  if (noiseShape === undefined) return x.shape;
  const list = Array.isArray(noiseShape) ? (noiseShape as readonly (number | null)[]) : [];
  const offset = x.shape.length - list.length;
  const mask = list.map((n, i) => n ?? x.shape[offset + i]);
  const fits = mask.every((n, i) => n === 1 || n === x.shape[offset + i]);
  if (Array.isArray(noiseShape) && offset >= 0 && fits) return mask as number[];
  throw new ShapeError({
    op: 'dropout',
    rule: '`noiseShape` must broadcast to the shape of `x`: each size is 1, that of x, or null.',
    received: `noiseShape: ${describe(noiseShape)} for x ${formatSpec(x)}`,
    hint: `start from ${formatShape(x.shape)}, with 1 for axes that are cleared as one.`,
  });
}

/**
 * x with a fraction `rate` of its elements cleared at random, and the others scaled by 1 / (1 - rate), which preserves the
 * expected value. The mask is a function of the seed: the gradient generates it again, and nothing is saved. A rate of 0 is
 * the identity.
 * Errors: DTypeError for x that isn't float32; ValueError for a rate outside [0, 1) or a seed that isn't one; ShapeError.
 * Source: N. Srivastava et al., Dropout, JMLR 2014.
 */
export const dropout: FloatOp<DropoutOptions, ['rate', 'noiseShape', 'seed']> = /* @__PURE__ */ defineOp({
  name: 'dropout',
  inputs: ['x'],
  options: { rate: true, noiseShape: true, seed: true },
  save: { inputs: [] },
  settle: (options) => (options.seed === undefined ? { ...options, seed: drawSeed() } : options),
  infer: ([x], { rate, seed, noiseShape }) => {
    requireDType('dropout', 'x', x.dtype, ['float32']);
    requireRate(rate);
    checkSeed('dropout', seed);
    return { shape: x.shape, dtype: x.dtype, mask: maskShape(x, noiseShape) };
  },
  // Recorded calls carry the seed that `settle` drew; `encodeOp` calls `forward` without it.
  forward: ([x], plan, { options: { rate, seed = drawSeed() } }) => {
    if (rate === 0) return view(x, plan, 'dropout');
    if (sameShape(plan.mask, x.shape)) return dropoutKernel(x, rate, seed);
    const whole = kernels().fillKernel(x.device, { shape: plan.mask, dtype: 'float32' }, 1, 'dropout');
    const mask = dropoutKernel(whole, rate, seed);
    return kernels().elementwiseKernel('dropout', 'select(a * b, 0.0, b == 0.0)', [x, mask], plan);
  },
  backward: ([dy], { options }) => [dropout(dy, options)],
  cost: perResult,
});
