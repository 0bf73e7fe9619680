/**
 * @file Convolutions of keras.ops, selected by the rank of their operands, and functions computed by convolutions: patches,
 * correlation.
 */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireOneOf, requireRank } from '../../core/shape.ts';
import { type Padding, perAxis } from '../../core/windows.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { conv1d } from '../../ops/convolution/conv1d.ts';
import { conv2d, conv2dInputGrad } from '../../ops/convolution/conv2d.ts';
import { conv2dTranspose } from '../../ops/convolution/conv2dTranspose.ts';
import { conv3d } from '../../ops/convolution/conv3d.ts';
import { conv3dTranspose } from '../../ops/convolution/conv3dTranspose.ts';
import { depthwiseConv2d } from '../../ops/convolution/depthwiseConv2d.ts';
import { eye } from '../../ops/creation/eye.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import { flip } from '../../ops/arrangement/flip.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type DataFormatOption, inEitherFormat } from './channels.ts';
import { composeFloats } from './composites.ts';

/** Options of `conv`, `depthwiseConv` and `separableConv`. */
export interface ConvOptions extends DataFormatOption {
  /** Steps from one window to the next: a number, or one for each axis. Default 1. */
  strides?: number | readonly number[];
  /** 'valid' takes whole windows only; 'same' pads with zeros, so that there is a window for each step. Default 'valid'. */
  padding?: Padding;
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
}

type ConvPositions = ['strides', 'padding', 'dilationRate'];
const convOptions = { strides: true, padding: true, dilationRate: true, dataFormat: false } as const;

/**
 * The convolution of sequences, images or volumes: `conv1d`, `conv2d` or `conv3d` by the rank of x. float32. Shapes: x
 * [batch, ...sizes, channels], kernel [...window, channels / groups, filters] → [batch, ...counts, filters]. Errors:
 * ShapeError, ValueError, DTypeError.
 */
export const conv: CompositeOp<[x: Tensor, kernel: Tensor], ConvOptions, Tensor, ConvPositions> =
  /* @__PURE__ */ composeFloats(
    inEitherFormat({
      name: 'conv',
      inputs: ['x', 'kernel'],
      options: convOptions,
      compose: ([x, kernel], options) => convolved('conv', x, kernel, options),
    }),
  );

/**
 * The convolution of each channel with its own filters. float32. Shapes: x [batch, ...sizes, channels] of sequences or
 * images, kernel [...window, channels, multiplier] → [batch, ...counts, channels · multiplier]. Errors: ShapeError,
 * ValueError, DTypeError.
 */
export const depthwiseConv: CompositeOp<[x: Tensor, kernel: Tensor], ConvOptions, Tensor, ConvPositions> =
  /* @__PURE__ */ composeFloats(
    inEitherFormat({
      name: 'depthwiseConv',
      inputs: ['x', 'kernel'],
      options: convOptions,
      compose: ([x, kernel], options) => depthwise('depthwiseConv', x, kernel, options),
    }),
  );

/**
 * A `depthwiseConv`, whose channels are then mixed by a `conv` with windows of one element. float32. Shapes: x [batch,
 * ...sizes, channels], depthwiseKernel [...window, channels, multiplier], pointwiseKernel [...ones, channels · multiplier,
 * filters] → [batch, ...counts, filters]. Errors: ShapeError, ValueError, DTypeError.
 */
export const separableConv: CompositeOp<
  [x: Tensor, depthwiseKernel: Tensor, pointwiseKernel: Tensor],
  ConvOptions,
  Tensor,
  ConvPositions
> = /* @__PURE__ */ composeFloats(
  inEitherFormat({
    name: 'separableConv',
    inputs: ['x', 'depthwiseKernel', 'pointwiseKernel'],
    options: convOptions,
    compose: ([x, depthwiseKernel, pointwiseKernel], options) => {
      const op = 'separableConv';
      return convolved(op, depthwise(op, x, depthwiseKernel, options), pointwiseKernel, {});
    },
  }),
);

function convolved(op: string, x: Tensor, kernel: Tensor, options: ConvOptions): Tensor {
  const [channels, inputs] = [x.shape.at(-1), kernel.shape.at(-2)] as [number, number];
  // As in Keras, a kernel for a part of the channels is one of groups.
  const given =
    channels > inputs && channels % inputs === 0 ? { ...options, groups: channels / inputs } : options;
  const byRank: Readonly<Record<number, () => Tensor>> = {
    3: () => conv1d(x, kernel, given),
    4: () => conv2d(x, kernel, given),
    5: () => conv3d(x, kernel, given as object),
  };
  const run = byRank[x.shape.length];
  if (run) return run();
  throw new ShapeError({
    op,
    rule: 'x is [batch, ...sizes, channels] with one, two or three sizes.',
    received: `x ${formatShape(x.shape)}`,
    hint: 'add a batch of one: expandDims(x, { axis: 0 }).',
  });
}

function depthwise(op: string, x: Tensor, kernel: Tensor, options: ConvOptions): Tensor {
  if (x.shape.length !== 3) return depthwiseConv2d(x, kernel, options);
  // A sequence is an image of one row.
  const inRow = rowOptions(op, options, (stride) => [stride, stride]);
  const row = (y: Tensor, axis: number) => expandDims(y, { axis });
  return squeeze(depthwiseConv2d(row(x, 1), row(kernel, 0), inRow), { axis: 1 });
}

/** The options of a convolution of a sequence, for an image of one row. */
function rowOptions(
  op: string,
  { strides = 1, padding = 'valid', dilationRate = 1 }: ConvOptions,
  stepsOf = (stride: number) => [1, stride],
) {
  const [stride] = perAxis(op, 'strides', strides, 1);
  const [dilation] = perAxis(op, 'dilationRate', dilationRate, 1);
  return { strides: stepsOf(stride as number), padding, dilationRate: [1, dilation as number] };
}

export interface ConvTransposeOptions extends ConvOptions {
  /** The padding of the convolution whose gradient this is: 'same' gives size · stride. Default 'valid'. */
  padding?: 'valid' | 'same';
  /** Elements added at the end of each axis. Default: as Keras infers. */
  outputPadding?: number | readonly number[] | null;
}

/**
 * The transposed convolution of sequences, images or volumes: `conv2dTranspose` or `conv3dTranspose` by the rank of x. float32. Shapes:
 * x [batch, ...sizes, channels], kernel [...window, filters, channels] → [batch, ...sizes, filters]. Errors: ShapeError, ValueError.
 */
export const convTranspose: CompositeOp<
  [x: Tensor, kernel: Tensor],
  ConvTransposeOptions,
  Tensor,
  ['strides', 'padding', 'outputPadding', 'dilationRate']
> = /* @__PURE__ */ composeFloats(
  inEitherFormat({
    name: 'convTranspose',
    inputs: ['x', 'kernel'],
    options: { ...convOptions, outputPadding: true },
    compose: ([x, kernel], options) => {
      if (x.shape.length === 5) return conv3dTranspose(x, kernel, options);
      if (x.shape.length !== 3) return conv2dTranspose(x, kernel, options);
      // A sequence is an image of one row.
      const { outputPadding = null, ...others } = options;
      const inRow = rowOptions('convTranspose', others);
      const added =
        outputPadding === null ? null : [0, ...perAxis('convTranspose', 'outputPadding', outputPadding, 1)];
      const row = (y: Tensor, axis: number) => expandDims(y, { axis });
      const found = conv2dTranspose(row(x, 1), row(kernel, 0), { ...inRow, outputPadding: added } as object);
      return squeeze(found, { axis: 1 });
    },
  }),
);

export interface UnfoldOptions {
  /** Height and width of patches. */
  kernelSize: number | readonly number[];
  /** Steps between the pixels of a patch. Default 1. */
  dilation?: number | readonly number[];
  /** Zeros on each side. Default 0. */
  padding?: number | readonly number[];
  /** Steps between patches. Default 1. */
  stride?: number | readonly number[];
}

export interface FoldOptions extends UnfoldOptions {
  /** Height and width of the images. */
  outputSize: number | readonly number[];
}

type UnfoldPositions = ['kernelSize', 'dilation', 'padding', 'stride'];
const unfoldOptions = { kernelSize: true, dilation: true, padding: true, stride: true } as const;

/** The convolution that maps each pixel of a patch to a channel. */
function patching(op: string, options: UnfoldOptions) {
  const { kernelSize, dilation = 1, padding = 0, stride = 1 } = options;
  const [height, width] = perAxis(op, 'kernelSize', kernelSize, 2);
  const [down, across] = Array.isArray(padding) && padding.length === 2 ? padding : [padding, padding];
  const count = height * width;
  return {
    count,
    kernel: reshape(eye(count), { shape: [height, width, 1, count] }),
    options: {
      strides: perAxis(op, 'stride', stride, 2),
      dilationRate: perAxis(op, 'dilation', dilation, 2),
      padding: [
        [down, down],
        [across, across],
      ] as Padding,
    },
  };
}

/**
 * The patches of images, as in PyTorch: channels come before sizes. float32. Shapes: x [batch, channels, height, width] → [batch,
 * channels · kernel height · kernel width, patches]. Errors: ShapeError, ValueError, DTypeError.
 */
export const unfold: CompositeOp<[x: Tensor], UnfoldOptions, Tensor, UnfoldPositions> =
  /* @__PURE__ */ defineComposite({
    name: 'unfold',
    inputs: ['x'],
    options: unfoldOptions,
    acceptsFloat16: false,
    compose: ([x], given) => {
      requireRank('unfold', 'x', x.shape, 4);
      const [batch, channels, height, width] = x.shape as [number, number, number, number];
      const { kernel, options, count } = patching('unfold', given);
      const images = reshape(x, { shape: [batch * channels, height, width, 1] });
      const patches = conv2d(images, kernel, options);
      const listed = reshape(patches, { shape: [batch * channels, -1, count] });
      return reshape(transpose(listed, { perm: [0, 2, 1] }), { shape: [batch, channels * count, -1] });
    },
  });

/**
 * Images from patches, which are summed where they overlap: the transpose of `unfold`. float32. Shapes: x [batch, channels ·
 * kernel height · kernel width, patches] → [batch, channels, height, width]. Errors: ShapeError, ValueError, DTypeError.
 */
export const fold: CompositeOp<[x: Tensor], FoldOptions, Tensor, ['outputSize', ...UnfoldPositions]> =
  /* @__PURE__ */ defineComposite({
    name: 'fold',
    inputs: ['x'],
    options: { outputSize: true, ...unfoldOptions },
    acceptsFloat16: false,
    compose: ([x], { outputSize, ...given }) => {
      requireRank('fold', 'x', x.shape, 3);
      const [height, width] = perAxis('fold', 'outputSize', outputSize, 2);
      const [batch, depth, patches] = x.shape as [number, number, number];
      const { kernel, options, count } = patching('fold', given);
      const channels = depth / count;
      const { strides, dilationRate, padding } = options;
      const countOf = (axis: 0 | 1, size: number) => {
        const window = (kernel.shape[axis] as number) - 1;
        const [before, behind] = padding[axis] as unknown as [number, number];
        const rest = size + before + behind - window * (dilationRate[axis] as number) - 1;
        return Math.floor(rest / (strides[axis] as number)) + 1;
      };
      const [down, across] = [countOf(0, height), countOf(1, width)];
      if (!Number.isInteger(channels) || down * across !== patches) throw unfolded(x, count, down * across);
      const listed = transpose(reshape(x, { shape: [batch * channels, count, patches] }), {
        perm: [0, 2, 1],
      });
      const grid = reshape(listed, { shape: [batch * channels, down, across, count] });
      const inputShape = [batch * channels, height, width, 1];
      const images = conv2dInputGrad(grid, kernel, { inputShape, ...options });
      return reshape(images, { shape: [batch, channels, height, width] });
    },
  });

function unfolded(x: Tensor, count: number, patches: number): ShapeError {
  return new ShapeError({
    op: 'fold',
    rule: `x is the result of unfold for images of that size: [batch, channels · ${count}, ${patches}].`,
    received: `x ${formatShape(x.shape)}`,
    hint: 'pass the options that unfold had.',
  });
}

export interface CorrelateOptions {
  /** 'valid' (default): where both overlap fully; 'same': as many values as the longer vector; 'full': wherever they overlap. */
  mode?: 'valid' | 'same' | 'full';
}

/** The cross-correlation of two vectors. float32. Errors: ShapeError for other ranks, ValueError, DTypeError. */
export const correlate: CompositeOp<[x: Tensor, y: Tensor], CorrelateOptions, Tensor, ['mode']> =
  /* @__PURE__ */ composeFloats({
    name: 'correlate',
    inputs: ['x', 'y'],
    options: { mode: true },
    compose: ([x, y], { mode = 'valid' }) => {
      const op = 'correlate';
      requireRank(op, 'x', x.shape, 1);
      requireRank(op, 'y', y.shape, 1);
      requireOneOf(op, 'mode', mode, ['valid', 'same', 'full']);
      const isSwapped = x.size < y.size;
      const [long, short] = isSwapped ? [y, x] : [x, y];
      const last = short.size - 1;
      const half = Math.floor(short.size / 2);
      const around = { valid: [0, 0], same: [half, last - half], full: [last, last] }[mode];
      const signal = reshape(long, { shape: [1, long.size, 1] });
      const kernel = reshape(short, { shape: [short.size, 1, 1] });
      const found = conv1d(signal, kernel, { padding: [around] as unknown as Padding });
      const line = reshape(found, { shape: [-1] });
      return isSwapped ? flip(line, { axis: 0 }) : line;
    },
  });
