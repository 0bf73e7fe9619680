/** @file tile */
import { ShapeError } from '../../core/errors.ts';
import { describe, formatShape, type Shape, sizeOf } from '../../core/shape.ts';
import { view } from '../../kernels/launch/output.ts';
import { padKernel } from '../../kernels/copies/pad.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { reshape } from './reshape.ts';
import { sum } from '../reductions/sum.ts';

export interface TileOptions {
  /** How often x is repeated along each axis. */
  reps: readonly number[];
}

/**
 * `x` repeated along each axis. Shape: sizes times `reps`. Any dtype. The gradient is the sum over the repetitions.
 * Errors: ShapeError unless `reps` has a count for each axis.
 */
export const tile: Op<[x: Tensor], TileOptions, Tensor, 'first', ['reps']> = /* @__PURE__ */ defineOp({
  name: 'tile',
  inputs: ['x'],
  options: { reps: true },
  save: { inputs: [] },
  infer: ([{ shape, dtype }], { reps }) => {
    checkReps(shape, reps);
    return { shape: shape.map((n, i) => n * (reps[i] as number)), dtype };
  },
  forward: ([x], plan, { options: { reps } }) => {
    if (reps.every((count) => count === 1)) return view(x, plan, 'tile');
    const before = reps.map(() => 0);
    return padKernel('tile', x, before, plan, 'repeat');
  },
  backward: ([dOut], { inputSpecs: [{ shape }], options: { reps } }) => {
    let dy = dOut;
    reps.forEach((count, axis) => {
      if (count === 1) return;
      const n = shape[axis] as number;
      const before = sizeOf(dy.shape.slice(0, axis));
      const after = sizeOf(dy.shape.slice(axis + 1));
      const summed = sum(reshape(dy, { shape: [before, count, n, after] }), { axis: 1 });
      dy = reshape(summed, { shape: dy.shape.map((size, i) => (i === axis ? n : size)) });
    });
    return [dy];
  },
  cost: noFlops,
});

function checkReps(shape: Shape, reps: unknown): void {
  const isList =
    Array.isArray(reps) &&
    reps.length === shape.length &&
    reps.every((count) => Number.isInteger(count) && count >= 0);
  if (isList) return;
  throw new ShapeError({
    op: 'tile',
    rule: '`reps` must hold a non-negative integer for each axis.',
    received: `reps: ${describe(reps)} for shape ${formatShape(shape)}`,
    hint: 'pass 1 for axes that are not repeated; expandDims x first to repeat along a new axis.',
  });
}
