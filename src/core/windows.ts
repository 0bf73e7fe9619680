/**
 * @file Windows that slide over the spatial axes of an image: how many there are, and how much padding lies before
 * the first. Shared by convolutions and pools.
 */
import { ShapeError, ValueError } from './errors.ts';
import { describe, formatShape, requireInteger } from './shape.ts';
import { suggestionFor } from './suggest.ts';

/** `same` pads so that ceil(size / stride) windows fit, an odd element after; pairs are [before, after] for each axis. */
export type Padding = 'same' | 'valid' | readonly (readonly [number, number])[];

/** One spatial axis. */
export interface WindowAxis {
  /** Size of the input. */
  readonly input: number;
  /** Number of windows: the size of the output. */
  readonly output: number;
  readonly window: number;
  readonly stride: number;
  readonly dilation: number;
  /** Padding before the first element. */
  readonly before: number;
}

export interface WindowOptions {
  window: readonly number[];
  strides: readonly number[];
  /** Default: 1 on every axis. */
  dilation?: readonly number[];
  padding: Padding;
}

/** One number for each of `N` axes. */
export type PerAxis<N extends number> = N extends 1
  ? [number]
  : N extends 2
    ? [number, number]
    : N extends 3
      ? [number, number, number]
      : number[];

/** Returns positive integers, one for each of `rank` axes; a single number means all. Errors: ValueError. */
export function perAxis<N extends number>(op: string, what: string, value: unknown, rank: N): PerAxis<N> {
  const list = Array.isArray(value) ? value : new Array(rank).fill(value);
  if (list.length !== rank) {
    throw new ValueError({
      op,
      rule: `\`${what}\` is one positive integer, or a list of ${rank}.`,
      received: `${what}: ${describe(value)}`,
      hint: `pass ${describe(new Array(rank).fill(2))}, or 2 for all axes.`,
    });
  }
  for (const n of list) requireInteger(op, what, n, 1);
  // Its length was checked.
  return list as PerAxis<N>;
}

/**
 * Returns the padding of an option: a name, or a pair of non-negative integers for each of `rank` axes.
 * Errors: ValueError.
 */
export function paddingOf(op: string, padding: unknown, rank: number): Padding {
  if (padding === 'same' || padding === 'valid') return padding;
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((n) => Number.isInteger(n) && n >= 0);
  if (Array.isArray(padding) && padding.length === rank && padding.every(isPair)) return padding as Padding;
  const example = `[${new Array(rank).fill('[1, 1]').join(', ')}]`;
  throw new ValueError({
    op,
    rule: `\`padding\` must be 'same', 'valid', or a pair of non-negative integers for each of ${rank} spatial axes.`,
    received: `padding: ${describe(padding)}`,
    hint: suggestionFor(padding, ['same', 'valid'], `pass one of the names, or pairs such as ${example}.`),
  });
}

/** Options of windows as the caller of an op gives them. */
export interface GivenWindows {
  strides?: number | readonly number[];
  /** Default 'valid'. */
  padding?: Padding;
  dilationRate?: number | readonly number[];
}

/** Returns checked options of windows along `rank` axes; strides and dilations are 1 by default. Errors: ValueError. */
export function windowOptions<N extends number>(
  op: string,
  window: readonly number[],
  { strides = 1, padding = 'valid', dilationRate = 1 }: GivenWindows,
  rank: N,
) {
  return {
    window,
    strides: perAxis(op, 'strides', strides, rank),
    dilation: perAxis(op, 'dilationRate', dilationRate, rank),
    padding: paddingOf(op, padding, rank),
  } satisfies WindowOptions;
}

/** Returns the part of a padding that belongs to the axes from `from` to `to`. */
export function paddingOfAxes(padding: Padding, from: number, to?: number): Padding {
  return typeof padding === 'string' ? padding : padding.slice(from, to);
}

/** The upper limit of an axis, padding included: kernels compute positions as i32. */
const maxExtent = 2 ** 31 - 1;

/**
 * Returns the windows over the spatial axes of `sizes`. The caller has checked the options.
 * Errors: ShapeError if a window is larger than a padded axis, and for an axis that padding makes longer than 2³¹ - 1.
 */
export function slideWindows(op: string, sizes: readonly number[], options: WindowOptions): WindowAxis[] {
  const { strides, padding } = options;
  return sizes.map((input, axis) => {
    const window = options.window[axis] as number;
    const stride = strides[axis] as number;
    const dilation = options.dilation?.[axis] ?? 1;
    if (padding === 'same') return sameWindows({ input, window, stride, dilation });
    const extent = (window - 1) * dilation + 1;
    const [before, after] = padding === 'valid' ? [0, 0] : (padding[axis] as readonly [number, number]);
    const padded = input + before + after;
    if (padded < extent) {
      throw new ShapeError({
        op,
        rule: 'a window must fit into the padded image.',
        received: `a window of ${extent} on spatial axis ${axis}, which has ${padded} elements with padding (image ${formatShape(sizes)})`,
        hint: "take a smaller window, or padding: 'same'.",
      });
    }
    if (padded > maxExtent) {
      throw new ShapeError({
        op,
        rule: `a padded axis has at most ${maxExtent} elements.`,
        received: `${padded} elements with padding on spatial axis ${axis} (image ${formatShape(sizes)})`,
        hint: 'take less padding.',
      });
    }
    const output = Math.floor((padded - extent) / stride) + 1;
    return { input, output, window, stride: reachingStride(stride, output, padded), dilation, before };
  });
}

/**
 * Windows with 'same' padding. Dilations and strides that lead beyond the image are replaced by smaller, equivalent ones,
 * since kernels compute positions as i32.
 */
function sameWindows({ input, window, stride, dilation }: Omit<WindowAxis, 'output' | 'before'>): WindowAxis {
  const output = Math.ceil(input / stride);
  const span = Math.max(0, output - 1) * stride;
  // Beyond this dilation, neighbouring taps are farther apart than the image and all steps over it: at most one hits the image.
  const spread = Math.min(dilation, 4 * (input + span) + 1);
  const extent = (window - 1) * spread + 1;
  const before = Math.floor(Math.max(0, span + extent - input) / 2);
  return {
    input,
    output,
    window,
    stride: reachingStride(stride, output, input + extent),
    dilation: spread,
    before,
  };
}

/** Returns the stride, limited for a single window to one that just leads beyond the padded axis. */
function reachingStride(stride: number, output: number, padded: number): number {
  return output > 1 ? stride : Math.min(stride, padded + 1);
}

/**
 * Returns `axis` with a window clipped to what any of its positions has of the image. For pools: elements beyond the image don't
 * count there, so windows may be of any size.
 */
export function clippedWindow(axis: WindowAxis): WindowAxis {
  const { input, output, stride } = axis;
  const span = Math.max(0, output - 1) * stride;
  const before = Math.min(axis.before, span);
  const window = Math.min(axis.window - (axis.before - before), before + input);
  return { ...axis, before, window, stride: reachingStride(stride, output, window + input) };
}
