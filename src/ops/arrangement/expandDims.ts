/** @file expandDims, squeeze: each is the gradient of the other. */
import { checkShape, describe, formatShape, normalizeAxes, normalizeAxis } from '../../core/shape.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { reshape } from './reshape.ts';
import { ShapeError } from '../../core/errors.ts';

export interface ExpandDimsOptions {
  /** Where the new axis goes; negative axes count from the last of the result. Default 0. */
  axis?: number;
}

/**
 * `x` with a new axis of size 1 at `axis`, without a copy.
 * Errors: ShapeError for an axis that the result lacks, and if the rank would exceed 6.
 * Any dtype.
 */
export const expandDims: Op<[x: Tensor], ExpandDimsOptions, Tensor, 'first', ['axis']> =
  /* @__PURE__ */ defineOp({
    name: 'expandDims',
    inputs: ['x'],
    options: { axis: true },
    acceptsFloat16: true,
    save: { inputs: [] },
    infer: ([{ shape, dtype }], { axis = 0 }) => {
      const at = normalizeAxis('expandDims', axis, shape.length + 1);
      const expanded = [...shape.slice(0, at), 1, ...shape.slice(at)];
      checkShape('expandDims', expanded);
      return { shape: expanded, dtype };
    },
    forward: ([x], plan) => view(x, plan, 'expandDims'),
    backward: ([dy], { inputSpecs: [x] }) => [reshape(dy, { shape: x.shape })],
  });

export interface SqueezeOptions {
  /** Axes of size 1 to drop; if null or omitted, all of them. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
}

/**
 * `x` without axes of size 1, without a copy.
 * Errors: ShapeError for an axis that x lacks, or that is longer.
 * Any dtype.
 */
export const squeeze: Op<[x: Tensor], SqueezeOptions, Tensor, 'first', ['axis']> = /* @__PURE__ */ defineOp({
  name: 'squeeze',
  inputs: ['x'],
  options: { axis: true },
  acceptsFloat16: true,
  save: { inputs: [] },
  infer: ([{ shape, dtype }], { axis }) => {
    const isAll = axis === undefined || axis === null;
    const dropped = isAll
      ? shape.flatMap((n, i) => (n === 1 ? [i] : []))
      : normalizeAxes('squeeze', axis, shape.length);
    if (dropped.some((i) => shape[i] !== 1)) {
      throw new ShapeError({
        op: 'squeeze',
        rule: 'only axes of size 1 can be dropped.',
        received: `axis ${describe(axis)} of shape ${formatShape(shape)}`,
        hint: 'leave `axis` out to drop all axes of size 1, or slice the axis first.',
      });
    }
    return { shape: shape.filter((_, i) => !dropped.includes(i)), dtype };
  },
  forward: ([x], plan) => view(x, plan, 'squeeze'),
  backward: ([dy], { inputSpecs: [x] }) => [reshape(dy, { shape: x.shape })],
});
