/** @file pad */
import { ShapeError } from '../core/errors.ts';
import { requireNumber } from '../core/integers.ts';
import { describe, formatShape, requireOneOf, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { bitsOf } from '../kernels/fill.ts';
import { view } from '../kernels/output.ts';
import { padKernel } from '../kernels/pad.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add } from './arithmetic.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { flip } from './flip.ts';
import { slice } from './slice.ts';

export interface PadOptions {
  /** Elements to add before and after, for each axis. */
  paddings: readonly (readonly [number, number] | readonly number[])[];
  /**
   * What is added: a constant (default), the neighbours mirrored at the edge element ('reflect'), or mirrored at the edge
   * with that element repeated ('symmetric').
   */
  mode?: 'constant' | 'reflect' | 'symmetric';
  /** For mode 'constant'. Default 0. */
  constantValue?: number;
}

/**
 * `x` with elements added before and after on each axis. Any dtype. The gradient of an element is the sum over all
 * places that show it.
 * Errors: ShapeError where `paddings` don't fit x, or reach further than the mirrored axis; ValueError for the mode.
 */
export const pad: Op<[x: Tensor], PadOptions, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor], PadOptions>({
  name: 'pad',
  inputs: ['x'],
  infer: ([x], options) => {
    const { shape, dtype } = x as TensorSpec;
    const { mode = 'constant', constantValue } = options;
    requireOneOf('pad', 'mode', mode, ['constant', 'reflect', 'symmetric']);
    if (constantValue !== undefined) requireNumber('pad', 'constantValue', constantValue, dtype);
    const paddings = checkPaddings(shape, options);
    return { shape: shape.map((n, i) => n + sumOf(paddings[i] as Padding)), dtype };
  },
  forward: ([input], { paddings, mode = 'constant', constantValue = 0 }, { outputs: [output] }) => {
    const [x, spec] = [input as Tensor, output as TensorSpec];
    if (paddings.every((padding) => sumOf(padding as Padding) === 0)) return view(x, spec, 'pad');
    const before = paddings.map(([first]) => first as number);
    return padKernel('pad', x, before, spec, mode, bitsOf(constantValue, x.dtype));
  },
  backward: ([cotangent], { inputSpecs: [x] }, { paddings, mode = 'constant' }) => {
    const { shape } = x as TensorSpec;
    let dy = cotangent as Tensor;
    if (mode === 'constant') {
      return [slice(dy, { begin: paddings.map(([before]) => before as number), size: shape })];
    }
    shape.forEach((n, axis) => {
      const padding = paddings[axis] as Padding;
      if (sumOf(padding) > 0) dy = foldMirrored(dy, axis, n, padding, mode);
    });
    return [dy];
  },
  save: { inputs: [] },
  cost: noFlops,
});

type Padding = readonly [number, number];

const sumOf = ([before, after]: Padding) => before + after;

/** Adds what lies beyond the edges of `axis`, mirrored back, to the `n` elements between them. */
function foldMirrored(
  dy: Tensor,
  axis: number,
  n: number,
  [before, after]: Padding,
  mode: 'reflect' | 'symmetric',
): Tensor {
  const inset = mode === 'reflect' ? 1 : 0;
  const part = (first: number, length: number) =>
    slice(dy, {
      begin: dy.shape.map((_, i) => (i === axis ? first : 0)),
      size: dy.shape.map((_, i) => (i === axis ? length : -1)),
    });
  const placed = (x: Tensor, first: number, length: number) =>
    pad(flip(x, { axis }), {
      paddings: x.shape.map((_, i) => (i === axis ? [first, n - first - length] : [0, 0])),
    });
  let sum = part(before, n);
  if (before > 0) sum = add(sum, placed(part(0, before), inset, before));
  if (after > 0) sum = add(sum, placed(part(before + n, after), n - inset - after, after));
  return sum;
}

function checkPaddings(shape: Shape, { paddings, mode = 'constant' }: PadOptions): readonly Padding[] {
  const isList =
    Array.isArray(paddings) &&
    paddings.length === shape.length &&
    paddings.every(
      (padding) =>
        Array.isArray(padding) &&
        padding.length === 2 &&
        padding.every((count) => Number.isInteger(count) && count >= 0),
    );
  if (!isList) {
    throw new ShapeError({
      op: 'pad',
      rule: '`paddings` must hold [before, after] for each axis, in non-negative integers.',
      received: `paddings: ${describe(paddings)} for shape ${formatShape(shape)}`,
      hint: 'pass [0, 0] for axes that stay as they are.',
    });
  }
  if (mode !== 'constant') {
    const reach = (axis: number) => (shape[axis] as number) - (mode === 'reflect' ? 1 : 0);
    const excess = paddings.findIndex((padding, axis) => Math.max(...padding) > Math.max(0, reach(axis)));
    if (excess >= 0) {
      throw new ShapeError({
        op: 'pad',
        rule: `mode '${mode}' adds at most ${mode === 'reflect' ? 'size - 1' : 'size'} elements on each side.`,
        received: `paddings ${describe(paddings[excess])} for axis ${excess} of shape ${formatShape(shape)}`,
        hint: 'pad in several steps, or use another mode.',
      });
    }
  }
  return paddings as unknown as readonly Padding[];
}
