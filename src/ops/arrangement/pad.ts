/** @file pad */
import { bitsOf } from '../../core/bits.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireNumber } from '../../core/integers.ts';
import { describe, formatShape, requireOneOf, type Shape } from '../../core/shape.ts';
import { padKernel } from '../../kernels/copies/pad.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { add } from '../elementwise/arithmetic.ts';
import { sum } from '../reductions/sum.ts';
import { flip } from './flip.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';

/** The modes of padding with elements of the axis itself. */
type PadMode = 'reflect' | 'symmetric' | 'edge' | 'wrap';

export interface PadOptions {
  /** Elements to add before and after, for each axis. */
  paddings: readonly (readonly [number, number] | readonly number[])[];
  /**
   * The padding: a constant (default), elements mirrored at the edge element ('reflect'), mirrored with the edge element
   * repeated ('symmetric'), the edge element ('edge'), or the elements of the other end ('wrap').
   */
  mode?: 'constant' | PadMode;
  /** The padding value for mode 'constant'. Default 0. */
  constantValue?: number;
}

/**
 * `x` with elements added before and after on each axis. Any dtype. The gradient of an element is the sum over all its
 * copies.
 * Errors: ShapeError if `paddings` don't fit x, exceed the mirrored axis, or need an element of an empty one; ValueError for the
 * mode.
 */
export const pad: Op<[x: Tensor], PadOptions, Tensor, 'first', ['paddings', 'constantValue']> =
  /* @__PURE__ */ defineOp({
    name: 'pad',
    inputs: ['x'],
    options: { paddings: true, constantValue: true, mode: false },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const { mode = 'constant', constantValue = 0 } = options;
      requireOneOf('pad', 'mode', mode, ['constant', 'reflect', 'symmetric', 'edge', 'wrap']);
      requireNumber('pad', 'constantValue', constantValue, dtype);
      const paddings = checkPaddings(shape, options);
      const padded = shape.map((n, i) => n + sumOf(paddings[i] ?? none));
      return { shape: padded, dtype, paddings, mode, constantValue };
    },
    forward: ([x], plan) => {
      const { paddings, mode, constantValue } = plan;
      if (paddings.every((padding) => sumOf(padding) === 0)) return view(x, plan, 'pad');
      const before = paddings.map(([first]) => first);
      if (mode !== 'wrap') return padKernel('pad', x, before, plan, mode, bitsOf(constantValue, x.dtype));
      const skipped = before.map((first, axis) =>
        first === 0 ? 0 : -restOf(first, x.shape[axis] as number),
      );
      return padKernel('pad', x, skipped, plan, 'repeat');
    },
    backward: ([dOut], { inputSpecs: [{ shape }], plan: { paddings, mode } }) => {
      if (mode === 'constant')
        return [slice(dOut, { begin: paddings.map(([before]) => before), size: shape })];
      let dy = dOut;
      shape.forEach((n, axis) => {
        const padding = paddings[axis] ?? none;
        if (sumOf(padding) > 0) dy = (mode === 'wrap' ? foldWrapped : foldBack)(dy, axis, n, padding, mode);
      });
      return [dy];
    },
    cost: noFlops,
  });

type Padding = readonly [number, number];

const none: Padding = [0, 0];

const sumOf = ([before, after]: Padding) => before + after;

/** How many more elements make whole repetitions of `n`. */
const restOf = (count: number, n: number) => (n - (count % n)) % n;

/** Adds all elements of `axis` that are copies of one. */
function foldWrapped(dy: Tensor, axis: number, n: number, [before, after]: Padding): Tensor {
  const rests = [restOf(before, n), restOf(after, n)] as const;
  const whole = pad(dy, { paddings: dy.shape.map((_, i) => (i === axis ? rests : none)) });
  const shape = dy.shape.flatMap((size, i) => (i === axis ? [-1, n] : [size]));
  return sum(reshape(whole, { shape }), { axis });
}

/** Adds the padding of `axis`, mirrored back or all of it to the edge, to the `n` inner elements. */
function foldBack(dy: Tensor, axis: number, n: number, [before, after]: Padding, mode: PadMode): Tensor {
  const inset = mode === 'reflect' ? 1 : 0;
  const part = (first: number, length: number) =>
    slice(dy, {
      begin: dy.shape.map((_, i) => (i === axis ? first : 0)),
      size: dy.shape.map((_, i) => (i === axis ? length : -1)),
    });
  const placed = (x: Tensor, first: number, length: number) =>
    pad(x, { paddings: x.shape.map((_, i) => (i === axis ? [first, n - first - length] : none)) });
  const folded = (first: number, length: number, edge: number, mirrored: number) => {
    const x = part(first, length);
    return mode === 'edge'
      ? placed(sum(x, { axis, keepDims: true }), edge, 1)
      : placed(flip(x, { axis }), mirrored, length);
  };
  let all = part(before, n);
  if (before > 0) all = add(all, folded(0, before, 0, inset));
  if (after > 0) all = add(all, folded(before + n, after, n - 1, n - inset - after));
  return all;
}

function checkPaddings(shape: Shape, { paddings, mode = 'constant' }: PadOptions): readonly Padding[] {
  if (!isPaddings(paddings, shape.length)) {
    throw new ShapeError({
      op: 'pad',
      rule: '`paddings` must hold [before, after] for each axis, in non-negative integers.',
      received: `paddings: ${describe(paddings)} for shape ${formatShape(shape)}`,
      hint: 'pass [0, 0] for axes that stay as they are.',
    });
  }
  if (mode !== 'constant') {
    const isMirrored = mode === 'reflect' || mode === 'symmetric';
    const reach = (axis: number) => {
      const size = shape[axis] as number;
      return isMirrored || size === 0 ? size - (mode === 'reflect' ? 1 : 0) : Number.POSITIVE_INFINITY;
    };
    const excess = paddings.findIndex((padding, axis) => Math.max(...padding) > Math.max(0, reach(axis)));
    if (excess >= 0) {
      throw new ShapeError({
        op: 'pad',
        rule: isMirrored
          ? `mode '${mode}' adds at most ${mode === 'reflect' ? 'size - 1' : 'size'} elements on each side.`
          : `mode '${mode}' takes elements of the axis, which must have some.`,
        received: `paddings ${describe(paddings[excess])} for axis ${excess} of shape ${formatShape(shape)}`,
        hint: 'pad in several steps, or use another mode.',
      });
    }
  }
  return paddings;
}

function isPaddings(paddings: unknown, rank: number): paddings is readonly Padding[] {
  return (
    Array.isArray(paddings) &&
    paddings.length === rank &&
    [...paddings].every(
      (padding) =>
        Array.isArray(padding) &&
        padding.length === 2 &&
        padding.every((count) => Number.isInteger(count) && count >= 0),
    )
  );
}
