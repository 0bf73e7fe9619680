/** @file moveAxis, swapAxes */
import { ShapeError } from '../../core/errors.ts';
import { axesInOrder, describe, normalizeAxis } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { transpose } from './transpose.ts';

export interface MoveAxisOptions {
  /** Axes of x. Negative axes count from the last. */
  source: number | readonly number[];
  /** Where each of them goes. */
  destination: number | readonly number[];
}

export interface SwapAxesOptions {
  /** One of the two axes. Negative axes count from the last. */
  axis1: number;
  /** The other axis. */
  axis2: number;
}

/**
 * `x` with the axes `source` at the positions `destination`; the others keep their order. Any dtype.
 * Errors: ShapeError for axes that x lacks, that repeat, or whose counts differ.
 */
export const moveAxis: CompositeOp<[x: Tensor], MoveAxisOptions, Tensor, ['source', 'destination']> =
  /* @__PURE__ */ defineComposite({
    name: 'moveAxis',
    inputs: ['x'],
    options: { source: true, destination: true },
    compose: ([x], { source, destination }) => {
      const from = axesInOrder('moveAxis', source, x.shape.length, 'source');
      const to = axesInOrder('moveAxis', destination, x.shape.length, 'destination');
      if (from.length !== to.length) {
        throw new ShapeError({
          op: 'moveAxis',
          rule: '`source` and `destination` must name equally many axes.',
          received: `source: ${describe(source)}, destination: ${describe(destination)}`,
          hint: 'give each axis that is moved one destination.',
        });
      }
      const rest = x.shape.map((_, axis) => axis).filter((axis) => !from.includes(axis));
      const perm = x.shape.map((_, axis) => {
        const moved = to.indexOf(axis);
        return moved >= 0 ? (from[moved] as number) : (rest.shift() as number);
      });
      return transpose(x, { perm });
    },
  });

/**
 * `x` with two axes exchanged. Any dtype.
 * Errors: ShapeError for an axis that x lacks.
 */
export const swapAxes: CompositeOp<[x: Tensor], SwapAxesOptions, Tensor, ['axis1', 'axis2']> =
  /* @__PURE__ */ defineComposite({
    name: 'swapAxes',
    inputs: ['x'],
    options: { axis1: true, axis2: true },
    compose: ([x], { axis1, axis2 }) => {
      const [a, b] = [axis1, axis2].map((axis) => normalizeAxis('swapAxes', axis, x.shape.length));
      const perm = x.shape.map((_, axis) => (axis === a ? b : axis === b ? a : axis) as number);
      return transpose(x, { perm });
    },
  });
