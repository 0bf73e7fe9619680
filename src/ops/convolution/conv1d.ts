/** @file conv1d: a 2D convolution of images one row high. */
import { ShapeError } from '../../core/errors.ts';
import { requireRank, type Shape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { type Padding, paddingOf, perAxis } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Conv2dOptions, conv2d, conv2dFilterGrad, conv2dInputGrad, planConv2d } from './conv2d.ts';
import { convolutionOptionNames, type ConvolutionPositions } from './convolution.ts';
import { defineOp, type Op } from '../define/define.ts';
import { readsOther } from '../define/definition.ts';
import { reshape } from '../arrangement/reshape.ts';

export interface Conv1dOptions {
  /** Steps from one window to the next. Default 1. */
  strides?: number | readonly number[];
  /** 'causal' pads only at the front, so that a result doesn't depend on later elements. Default 'valid'. */
  padding?: Padding | 'causal';
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
  /** Groups of channels that are convolved separately. Default 1. */
  groups?: number;
}

/** Returns a sequence as an image of one row: [batch, width, c] → [batch, 1, width, c]. */
const asImage = (shape: Shape): number[] => [...shape.slice(0, 1), 1, ...shape.slice(1)];
/** Returns a kernel as one of a single row: [width, i, o] → [1, width, i, o]. */
const asImageKernel = (kernel: Shape): number[] => [1, ...kernel];

function rowOptions(kernel: Shape, options: Conv1dOptions): Conv2dOptions {
  const op = 'conv1d';
  const { strides = 1, padding = 'valid', dilationRate = 1, groups = 1 } = options;
  const [stride] = perAxis(op, 'strides', strides, 1);
  const [dilation] = perAxis(op, 'dilationRate', dilationRate, 1);
  return {
    strides: [1, stride],
    padding: rowPadding(kernel, padding, dilation),
    dilationRate: [1, dilation],
    groups,
  };
}

function rowPadding(kernel: Shape, given: Padding | 'causal', dilation: number): Padding {
  if (given === 'causal')
    return [
      [0, 0],
      [((kernel[0] as number) - 1) * dilation, 0],
    ];
  const padding = paddingOf('conv1d', given, 1);
  return typeof padding === 'string' ? padding : [[0, 0], padding[0] as readonly [number, number]];
}

interface Conv1dPlan extends TensorSpec {
  /** The options of the convolution of images. */
  readonly row: Conv2dOptions;
}

function plan(x: TensorSpec, kernel: TensorSpec, options: Conv1dOptions): Conv1dPlan {
  requireRank('conv1d', 'x', x.shape, 3);
  requireRank('conv1d', 'kernel', kernel.shape, 3);
  if ((kernel.shape[0] as number) < 1) {
    throw new ShapeError({
      op: 'conv1d',
      rule: 'a kernel covers at least one step.',
      received: `kernel ${formatSpec(kernel)}`,
      hint: 'pass a kernel with a width of at least 1.',
    });
  }
  const row = rowOptions(kernel.shape, options);
  const image = { shape: asImage(x.shape), dtype: x.dtype };
  const imageKernel = { shape: asImageKernel(kernel.shape), dtype: kernel.dtype };
  const { batch, columns, outputs } = planConv2d('conv1d', image, imageKernel, row).geometry;
  return { shape: [batch, columns.output, outputs], dtype: 'float32', row };
}

/**
 * The 1D convolution (cross-correlation) of sequences with a kernel.
 * Shapes: x [batch, width, channels], kernel [width, channels / groups, filters] → [batch, outWidth, filters]. float32.
 * `padding` is 'same', 'valid', 'causal', or [[before, after]].
 * Errors: ShapeError for ranks, channels that don't fit, a kernel wider than the padded sequence; DTypeError; ValueError.
 */
export const conv1d: Op<
  [x: Tensor, kernel: Tensor],
  Conv1dOptions,
  Tensor<'float32'>,
  'unknown',
  ConvolutionPositions
> = /* @__PURE__ */ defineOp({
  name: 'conv1d',
  inputs: ['x', 'kernel'],
  options: convolutionOptionNames,
  readsInputs: readsOther,
  infer: ([x, kernel], options) => plan(x, kernel, options),
  forward: ([x, kernel], { shape, row }) => {
    const image = reshape(x, { shape: asImage(x.shape) });
    const imageKernel = reshape(kernel, { shape: asImageKernel(kernel.shape) });
    return reshape(conv2d(image, imageKernel, row), { shape });
  },
  backward: ([cotangent], { inputs: [x, kernel], inputSpecs, needs, plan: { row } }) => {
    const [xSpec, kernelSpec] = inputSpecs;
    const dy = reshape(cotangent, { shape: asImage(cotangent.shape) });
    const inputShape = asImage(xSpec.shape);
    const kernelShape = asImageKernel(kernelSpec.shape);
    const dx = () => conv2dInputGrad(dy, reshape(kernel, { shape: kernelShape }), { ...row, inputShape });
    const dk = () => conv2dFilterGrad(reshape(x, { shape: inputShape }), dy, { ...row, kernelShape });
    return [
      needs[0] ? reshape(dx(), { shape: xSpec.shape }) : null,
      needs[1] ? reshape(dk(), { shape: kernelSpec.shape }) : null,
    ];
  },
});
