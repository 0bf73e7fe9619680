/** @file dilation2d */
import { requireDType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { formatShape, requireRank } from '../core/shape.ts';
import { type Padding, paddingOf, perAxis, slideWindows } from '../core/windows.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { argMax } from './argExtrema.ts';
import { add } from './arithmetic.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { expandDims } from './expandDims.ts';
import { addedAround, extractPatches } from './extractPatches.ts';
import { reshape } from './reshape.ts';
import { pad } from './slice.ts';
import { squeeze } from './squeeze.ts';
import { takeAlongAxis } from './takeAlongAxis.ts';

/** Options of `dilation2d`. */
export interface Dilation2dOptions {
  /** Steps between windows, along height and width. One number applies to both. Default 1. */
  strides?: number | readonly number[];
  /** 'valid' (default), 'same', or [before, after] for each spatial axis. */
  padding?: Padding;
  /** Steps between the taps of a window. Default 1. */
  dilationRate?: number | readonly number[];
}

/** The value of padding: never the maximum. */
const outside = Number.NEGATIVE_INFINITY;

/**
 * Grayscale dilation: the maximum of x + filter over each window, channel by channel; padding never wins. float32.
 * Shapes: x [n, h, w, c], filter [rows, columns, c] → [n, windows down, windows across, c]. The gradient of a window goes to its
 * first maximum, in x and in the filter. Source: TensorFlow's dilation2d.
 * Errors: ShapeError for other ranks or channels and for windows larger than the image; ValueError, DTypeError.
 */
export const dilation2d: CompositeOp<
  [x: Tensor, filter: Tensor],
  Dilation2dOptions,
  Tensor,
  ['strides', 'padding', 'dilationRate']
> = /* @__PURE__ */ defineComposite({
  name: 'dilation2d',
  inputs: ['x', 'filter'],
  options: { strides: true, padding: true, dilationRate: true },
  compose: ([x, filter], { strides = 1, padding = 'valid', dilationRate = 1 }) => {
    const op = 'dilation2d';
    requireShapes(x, filter);
    const [rows, columns, channels] = filter.shape as [number, number, number];
    const steps = perAxis(op, 'strides', strides, 2);
    const dilation = perAxis(op, 'dilationRate', dilationRate, 2);
    const windows = slideWindows(op, x.shape.slice(1, 3), {
      window: [rows, columns],
      strides: steps,
      dilation,
      padding: paddingOf(op, padding, 2),
    });
    const padded = pad(x, {
      paddings: [[0, 0], ...windows.map(addedAround), [0, 0]],
      constantValue: outside,
    });
    const patches = extractPatches(padded, {
      size: [rows, columns],
      strides: windows.map(({ stride }) => stride),
      dilationRate: windows.map((axis) => axis.dilation),
    });
    const [n, down, across] = [x.shape[0], ...windows.map(({ output }) => output)] as [
      number,
      number,
      number,
    ];
    const taps = reshape(patches, { shape: [n, down, across, rows * columns, channels] });
    const sums = add(taps, reshape(filter, { shape: [rows * columns, channels] }));
    const best = expandDims(argMax(sums, { axis: 3 }), { axis: 3 });
    return squeeze(takeAlongAxis(sums, best, { axis: 3, validateIndices: false }), { axis: 3 });
  },
});

function requireShapes(x: Tensor, filter: Tensor): void {
  for (const [name, { dtype }] of Object.entries({ x, filter }))
    requireDType('dilation2d', name, dtype, ['float32']);
  requireRank('dilation2d', 'x', x.shape, 4);
  requireRank('dilation2d', 'filter', filter.shape, 3);
  if (x.shape[3] === filter.shape[2] && !filter.shape.includes(0)) return;
  throw new ShapeError({
    op: 'dilation2d',
    rule: '`filter` must have at least one tap, and the channels of `x`.',
    received: `x ${formatShape(x.shape)} and filter ${formatShape(filter.shape)}`,
    hint: 'pass a filter [rows, columns, channels].',
  });
}
