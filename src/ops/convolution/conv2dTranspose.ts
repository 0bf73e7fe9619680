/** @file conv2dTranspose: the input gradient of conv2d, as a separate op. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireOneOf, requireRank } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { perAxis } from '../../core/windows.ts';
import { requireKernelSize } from '../../core/convolution.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Conv2dOptions, conv2d, conv2dFilterGrad, conv2dInputGrad } from './conv2d.ts';
import { defineOp, type Op } from '../define/define.ts';
import { readsOther } from '../define/definition.ts';
import { transposedSizes } from './transposedSizes.ts';

export interface Conv2dTransposeOptions {
  /** Steps between windows, by which the image grows: a number, or [rows, columns]. Default 1. */
  strides?: number | readonly number[];
  /**
   * The padding of the convolution whose gradient this is: 'same' gives size · stride; 'valid' adds the rest of the
   * last window. Default 'valid'.
   */
  padding?: 'same' | 'valid';
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
  /** Rows and columns added at the end, fewer than the stride: a number or a pair. Default: as Keras infers. */
  outputPadding?: number | readonly number[] | null;
}

const op = 'conv2dTranspose';

interface TransposePlan extends TensorSpec {
  /** The options of the convolution that is transposed. */
  readonly convolution: Conv2dOptions;
}

function plan(x: TensorSpec, kernel: TensorSpec, options: Conv2dTransposeOptions): TransposePlan {
  requireDType(op, 'x', x.dtype, ['float32']);
  requireDType(op, 'kernel', kernel.dtype, ['float32']);
  requireRank(op, 'x', x.shape, 4);
  requireRank(op, 'kernel', kernel.shape, 4);
  requireKernelSize(op, kernel.shape);
  const { padding = 'valid' } = options;
  requireOneOf(op, 'padding', padding, ['same', 'valid'] as const);
  const strides = perAxis(op, 'strides', options.strides ?? 1, 2);
  const dilationRate = perAxis(op, 'dilationRate', options.dilationRate ?? 1, 2);
  const [batch, height, width, channels] = x.shape as [number, number, number, number];
  const [kernelHeight, kernelWidth, outputs, inputs] = kernel.shape as [number, number, number, number];
  if (channels !== inputs) {
    throw new ShapeError({
      op,
      rule: 'a kernel is [height, width, filters, channels of x].',
      received: `x ${formatSpec(x)}, kernel ${formatSpec(kernel)}`,
      hint: 'check the layout: the last axis of a transposed kernel counts the channels of the image.',
    });
  }
  const sizes = transposedSizes(op, [height, width], {
    window: [kernelHeight, kernelWidth],
    strides,
    dilation: dilationRate,
    padding,
    outputPadding: options.outputPadding ?? null,
  });
  const convolution = { strides, padding, dilationRate };
  return { shape: [batch, ...sizes, outputs], dtype: 'float32', convolution };
}

/**
 * The transposed convolution, which reverses the change of size of a strided conv2d.
 * Shapes: x [batch, height, width, channels], kernel [height, width, filters, channels] → [batch, outHeight, outWidth,
 * filters], where an out size is size · stride ('same'), or size · stride + max(window - stride, 0) ('valid'), with window
 * the dilated size of the kernel. float32.
 * Errors: ShapeError, DTypeError, ValueError. Source: Keras's deconv_output_length, and TensorFlow's conv2d_transpose.
 */
export const conv2dTranspose: Op<
  [x: Tensor, kernel: Tensor],
  Conv2dTransposeOptions,
  Tensor<'float32'>,
  'unknown',
  ['strides', 'padding']
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['x', 'kernel'],
  options: { strides: true, padding: true, dilationRate: false, outputPadding: false },
  readsInputs: readsOther,
  infer: ([x, kernel], options) => plan(x, kernel, options),
  forward: ([x, kernel], { shape, convolution }) =>
    conv2dInputGrad(x, kernel, { ...convolution, inputShape: shape }),
  backward: ([dy], { inputs: [x, kernel], inputSpecs, needs, plan: { convolution } }) => [
    needs[0] ? conv2d(dy, kernel, convolution) : null,
    needs[1] ? conv2dFilterGrad(dy, x, { ...convolution, kernelShape: inputSpecs[1].shape }) : null,
  ],
});
