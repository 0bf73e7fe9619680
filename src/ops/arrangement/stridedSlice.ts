/**
 * @file stridedSlice and stridedScatter. Each is the gradient of the other, so they share a file.
 */
import { isListOf } from '../../core/lists.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import {
  checkShape,
  describe,
  formatShape,
  maxRank,
  sameShape,
  type Shape,
  stridesOf,
} from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { copied, copyInto, denseLayout, type StridedLayout } from '../../kernels/copies/copy.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import type { JoinedCall } from '../define/definition.ts';
import { addN } from '../elementwise/addN.ts';
import { type Part, placeParts } from './slice.ts';

/**
 * One entry for each axis, as NumPy's begin:end:stride. Bit i of a mask applies to entry i.
 */
export interface StridedSliceOptions {
  /** Negative: counted from the end. Clamped to the axis. */
  begin: readonly number[];
  /** End index of each axis, exclusive. Negative ones count from the end. */
  end: readonly number[];
  /** Negative strides go backwards. Default: ones. */
  strides?: readonly number[];
  /** The entry begins at the start of the axis (in the stride's direction). */
  beginMask?: number;
  /** The entry ends at the end of the axis. */
  endMask?: number;
  /** The entry stands for all axes without an entry, taken whole; at most one. */
  ellipsisMask?: number;
  /** The entry makes a new axis of size 1. */
  newAxisMask?: number;
  /** The entry takes the element at `begin` and drops its axis. */
  shrinkAxisMask?: number;
}

export interface StridedScatterOptions extends StridedSliceOptions {
  /** Shape of the result. */
  shape: Shape;
}

/** The options that may come by position. */
type StridedSlicePositions = [
  'begin',
  'end',
  'strides',
  'beginMask',
  'endMask',
  'ellipsisMask',
  'newAxisMask',
  'shrinkAxisMask',
];

const stridedSliceOptionNames: OptionNames<StridedSliceOptions, StridedSlicePositions[number]> = {
  begin: true,
  end: true,
  strides: true,
  beginMask: true,
  endMask: true,
  ellipsisMask: true,
  newAxisMask: true,
  shrinkAxisMask: true,
};

/**
 * Elements of `x` by begin, end and stride on each axis, like TensorFlow's strided_slice and NumPy's indexing. Any dtype.
 * The gradient is written into zeros (`stridedScatter`).
 * Errors: ShapeError if entries don't fit x; ValueError for a stride of 0 or a malformed mask.
 */
export const stridedSlice: Op<[x: Tensor], StridedSliceOptions, Tensor, 'first', StridedSlicePositions> =
  /* @__PURE__ */ defineOp({
    name: 'stridedSlice',
    inputs: ['x'],
    options: stridedSliceOptionNames,
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const { shape: sliced, layout, part } = stridedLayout('stridedSlice', shape, options);
      return { shape: sliced, dtype, layout, part, options };
    },
    forward: ([x], plan) => copied('stridedSlice', x, plan.layout, plan),
    backward: (cotangents, { inputSpecs: [x], plan }) => [addParts([{ cotangents, plan }], x)],
    joinedBackward: addParts,
  });

/**
 * Zeros of `shape`, into which `updates` are written at the positions that `stridedSlice` reads with the same options: its
 * adjoint. Any dtype.
 * Errors: ShapeError if the updates don't have the shape of that slice; otherwise as for `stridedSlice`.
 */
export const stridedScatter: Op<
  [updates: Tensor],
  StridedScatterOptions,
  Tensor,
  'first',
  ['shape', ...StridedSlicePositions]
> = /* @__PURE__ */ defineOp({
  name: 'stridedScatter',
  inputs: ['updates'],
  options: { shape: true, ...stridedSliceOptionNames },
  save: { inputs: [] },
  infer: ([updates], options) => {
    checkShape('stridedScatter', options.shape);
    const { shape, layout } = stridedLayout('stridedScatter', options.shape, options);
    if (!sameShape(updates.shape, shape)) {
      throw new ShapeError({
        op: 'stridedScatter',
        rule: '`updates` must have the shape of the slice that they replace.',
        received: `updates ${formatShape(updates.shape)} for a slice ${formatShape(shape)} of shape ${formatShape(options.shape)}`,
        hint: 'reshape the updates, or correct begin, end and strides.',
      });
    }
    return { shape: [...options.shape], dtype: updates.dtype, layout };
  },
  forward: ([updates], plan) => {
    const out = kernels().fillKernel(updates.device, plan, 0, 'stridedScatter');
    copyInto(updates, denseLayout(updates.shape), out, plan.layout, updates.shape);
    return out;
  },
  backward: ([dy], { options: { shape: _, ...options } }) => [stridedSlice(dy, options)],
});

const masks = ['beginMask', 'endMask', 'ellipsisMask', 'newAxisMask', 'shrinkAxisMask'] as const;

interface StridedPlan extends TensorSpec {
  readonly options: StridedSliceOptions;
  readonly part: Omit<Part, keyof TensorSpec> | null;
}

/** The gradient of the input of several slices. Those without gaps are placed together. */
function addParts(calls: readonly JoinedCall[], x: TensorSpec): Tensor {
  const parts: JoinedCall[] = [];
  const gradients: Tensor[] = [];
  for (const { cotangents, plan } of calls) {
    const { shape, dtype, part, options } = plan as StridedPlan;
    if (part) parts.push({ cotangents, plan: { shape, dtype, ...part } });
    else gradients.push(stridedScatter(cotangents[0] as Tensor, { ...options, shape: x.shape }));
  }
  if (parts.length > 0) gradients.push(placeParts(parts, x));
  const [only] = gradients;
  return only && gradients.length === 1 ? only : addN(gradients);
}

/**
 * The shape of the elements that `options` select in a tensor of `shape`, their layout there, and which part of it they are if
 * they are one without gaps, in order.
 */
function stridedLayout(
  op: string,
  shape: Shape,
  options: StridedSliceOptions,
): { shape: number[]; layout: StridedLayout; part: StridedPlan['part'] } {
  const entries = entriesOf(op, shape, options);
  const own = stridesOf(shape);
  const out: number[] = [];
  const strides: number[] = [];
  const begin: number[] = [];
  const block: number[] = [];
  let isPart = true;
  let offset = 0;
  let axis = 0;
  for (const entry of entries) {
    if (entry === 'new') {
      out.push(1);
      strides.push(0);
      continue;
    }
    const n = shape[axis] as number;
    const step = own[axis] as number;
    const range = entry === 'whole' ? { first: 0, count: n, stride: 1 } : rangeOf(op, shape, axis, entry);
    // An empty range may begin outside the axis, but reads nothing.
    if (range.count > 0) offset += range.first * step;
    begin.push(range.count > 0 ? range.first : 0);
    block.push(range.count);
    isPart &&= range.stride === 1 || range.count <= 1;
    if (entry === 'whole' || !entry.shrink) {
      out.push(range.count);
      strides.push(range.stride * step);
    }
    axis++;
  }
  checkShape(op, out);
  return { shape: out, layout: { offset, strides }, part: isPart ? { begin, block } : null };
}

interface Entry {
  /** Null: the start or end of the axis. */
  begin: number | null;
  end: number | null;
  stride: number;
  shrink: boolean;
}

/** The maximum number of entries: axes of x, new ones, and an ellipsis. */
const maxEntries = 2 * maxRank + 1;

/** One entry for each axis of x, with the new axes between them. */
function entriesOf(op: string, shape: Shape, options: StridedSliceOptions): (Entry | 'whole' | 'new')[] {
  const { begin, end } = options;
  // Check the length first: it may be anything.
  const isShort = Array.isArray(begin) && begin.length <= maxEntries;
  const strides = options.strides ?? (isShort ? begin.map(() => 1) : begin);
  const lists = [begin, end, strides];
  const isSound =
    isShort &&
    lists.every((list) => isListOf(list, Number.isInteger, begin.length) && list.length === begin.length);
  if (!isSound) {
    throw new ShapeError({
      op,
      rule: '`begin`, `end` and `strides` must be lists of integers of the same length.',
      received: `begin: ${describe(begin)}, end: ${describe(end)}, strides: ${describe(options.strides)}`,
      hint: 'give each named axis an entry in all three.',
    });
  }
  checkMasks(op, options);
  const has = (mask: (typeof masks)[number], i: number) => (((options[mask] ?? 0) >> i) & 1) === 1;
  const isEllipsis = begin.map((_, i) => has('ellipsisMask', i));
  const isNew = begin.map((_, i) => !isEllipsis[i] && has('newAxisMask', i));
  const named = begin.filter((_, i) => !isEllipsis[i] && !isNew[i]).length;
  if (named > shape.length || isEllipsis.filter(Boolean).length > 1) {
    throw new ShapeError({
      op,
      rule: 'there is at most one entry for each axis, and at most one ellipsis.',
      received: `${named} entries and ${isEllipsis.filter(Boolean).length} ellipses for shape ${formatShape(shape)}`,
      hint: 'drop entries, or correct the masks.',
    });
  }
  const whole = new Array<'whole'>(shape.length - named).fill('whole');
  const entries = begin.flatMap((first, i): (Entry | 'whole' | 'new')[] => {
    if (isEllipsis[i]) return whole;
    if (isNew[i]) return ['new'];
    const shrink = has('shrinkAxisMask', i);
    return [
      {
        begin: has('beginMask', i) && !shrink ? null : first,
        end: has('endMask', i) ? null : (end[i] as number),
        stride: strides[i] as number,
        shrink,
      },
    ];
  });
  return isEllipsis.includes(true) ? entries : [...entries, ...whole];
}

function checkMasks(op: string, options: StridedSliceOptions): void {
  for (const mask of masks) {
    const value = options[mask];
    if (value === undefined || (Number.isInteger(value) && value >= 0)) continue;
    throw new ValueError({
      op,
      rule: `\`${mask}\` must be a non-negative integer, read as bits.`,
      received: `${mask}: ${describe(value)}`,
      hint: 'set bit i for entry i: 1, 2, 4 and their sums.',
    });
  }
}

/** Returns the elements of one axis that an entry selects. */
function rangeOf(
  op: string,
  shape: Shape,
  axis: number,
  { begin, end, stride, shrink }: Entry,
): { first: number; count: number; stride: number } {
  const n = shape[axis] as number;
  if (stride === 0 || (shrink && stride < 0)) {
    throw new ValueError({
      op,
      rule: 'a stride is not 0, and positive where its axis is shrunk.',
      received: `stride ${stride} for axis ${axis}`,
      hint: 'use 1 to take every element, -1 to go backwards.',
    });
  }
  const fromFront = (at: number) => (at < 0 ? at + n : at);
  if (shrink) {
    const first = fromFront(begin as number);
    if (first >= 0 && first < n) return { first, count: 1, stride: 1 };
    throw new ShapeError({
      op,
      rule: 'an axis that is shrunk must have the element at `begin`.',
      received: `begin ${begin} for axis ${axis} of shape ${formatShape(shape)}`,
      hint: `choose a begin in [${-n}, ${n - 1}].`,
    });
  }
  // A forward range is within 0 … n, a backward one within n - 1 … -1.
  const [low, high] = stride > 0 ? [0, n] : [-1, n - 1];
  const clamp = (at: number) => Math.min(Math.max(fromFront(at), low), high);
  const first = begin === null ? (stride > 0 ? low : high) : clamp(begin);
  const last = end === null ? (stride > 0 ? high : low) : clamp(end);
  return { first, count: Math.max(0, Math.ceil((last - first) / stride)), stride };
}
