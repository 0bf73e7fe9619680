/** @file conv3dTranspose: transposed 2D convolutions whose results are summed along the depth. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireOneOf, requireRank } from '../../core/shape.ts';
import { perAxis, slideWindows, type WindowAxis } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { addN } from '../elementwise/addN.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { conv2dTranspose } from './conv2dTranspose.ts';
import { reshape } from '../arrangement/reshape.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { stridedScatter } from '../arrangement/stridedSlice.ts';
import { transpose } from '../arrangement/transpose.ts';
import { transposedSizes } from './transposedSizes.ts';
import { unstack } from '../arrangement/unstack.ts';

export interface Conv3dTransposeOptions {
  /** Steps between windows, by which the volume grows: a number, or one for each spatial axis. Default 1. */
  strides?: number | readonly number[];
  /** The padding of the convolution whose gradient this is: 'same' gives size · stride. Default 'valid'. */
  padding?: 'same' | 'valid';
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
  /** Elements added at the end, fewer than the stride: a number, or one for each spatial axis. Default: as Keras infers. */
  outputPadding?: number | readonly number[] | null;
}

type Five = [number, number, number, number, number];

/**
 * The transposed convolution, which reverses the change of size of a strided conv3d. float32.
 * Shapes: x [batch, depth, height, width, channels], kernel [depth, height, width, filters, channels] → [batch, outDepth,
 * outHeight, outWidth, filters]; the sizes are those of conv2dTranspose.
 * Errors: ShapeError, DTypeError, ValueError. Source: Keras's conv_transpose.
 */
export const conv3dTranspose: CompositeOp<
  [x: Tensor, kernel: Tensor],
  Conv3dTransposeOptions,
  Tensor,
  ['strides', 'padding']
> = /* @__PURE__ */ defineComposite({
  name: 'conv3dTranspose',
  acceptsFloat16: false,
  inputs: ['x', 'kernel'],
  options: { strides: true, padding: true, dilationRate: false, outputPadding: false },
  compose: ([x, kernel], { strides = 1, padding = 'valid', dilationRate = 1, outputPadding = null }) => {
    const op = 'conv3dTranspose';
    requireFit(op, x, kernel);
    requireOneOf(op, 'padding', padding, ['same', 'valid']);
    const steps = perAxis(op, 'strides', strides, 3);
    const dilation = perAxis(op, 'dilationRate', dilationRate, 3);
    const window = kernel.shape.slice(0, 3);
    const windows = { window, strides: steps, dilation, padding, outputPadding };
    const [outDepth] = transposedSizes(op, x.shape.slice(1, 4), windows) as [number];
    const images = conv2dTranspose(depthsAsImages(x), tapsAsFilters(kernel), {
      strides: steps.slice(1),
      padding,
      dilationRate: dilation.slice(1),
      outputPadding: Array.isArray(outputPadding) ? outputPadding.slice(1) : outputPadding,
    });
    const along = {
      window: window.slice(0, 1),
      strides: steps.slice(0, 1),
      dilation: dilation.slice(0, 1),
      padding,
    };
    const [deep] = slideWindows(op, [outDepth], along) as [WindowAxis];
    return addedAlongDepth(images, x.shape as Five, kernel.shape as Five, {
      ...deep,
      // The stride of a single window may have been shortened, but is never used.
      dilation: dilation[0] as number,
      stride: steps[0] as number,
    });
  },
});

/** [n, d, h, w, c] → [n · d, h, w, c]. */
function depthsAsImages(x: Tensor): Tensor {
  const [n, depth, height, width, channels] = x.shape as Five;
  return reshape(x, { shape: [n * depth, height, width, channels] });
}

/** [depth, height, width, filters, c] → [height, width, depth · filters, c]. */
function tapsAsFilters(kernel: Tensor): Tensor {
  const [depth, height, width, filters, channels] = kernel.shape as Five;
  const moved = transpose(kernel, { perm: [1, 2, 0, 3, 4] });
  return reshape(moved, { shape: [height, width, depth * filters, channels] });
}

/**
 * Adds the result of tap k at depth d to depth d · stride + k · dilation, padding in front left out: images [n · d, h, w,
 * taps · f].
 */
function addedAlongDepth(images: Tensor, [n, depth]: Five, kernel: Five, along: WindowAxis): Tensor {
  const [taps, , , filters] = kernel;
  const [, height, width] = images.shape as [number, number, number];
  const { input: size, stride, dilation, before } = along;
  const reach = (depth - 1) * stride + (taps - 1) * dilation + 1;
  const parts = unstack(reshape(images, { shape: [n, depth, height, width, taps, filters] }), { axis: 4 });
  const placed = parts.map((part, k) =>
    stridedScatter(part, {
      shape: [n, reach, height, width, filters],
      begin: [0, k * dilation, 0, 0, 0],
      end: [n, k * dilation + (depth - 1) * stride + 1, height, width, filters],
      strides: [1, stride, 1, 1, 1],
    }),
  );
  const whole = addN(placed);
  const none: [number, number] = [0, 0];
  const padded = pad(whole, { paddings: [none, [0, Math.max(0, before + size - reach)], none, none, none] });
  return slice(padded, { begin: [0, before, 0, 0, 0], size: [n, size, height, width, filters] });
}

function requireFit(op: string, x: Tensor, kernel: Tensor): void {
  for (const [name, { dtype, shape }] of Object.entries({ x, kernel })) {
    requireRank(op, name, shape, 5);
    requireDType(op, name, dtype, ['float32']);
  }
  if (!kernel.shape.slice(0, 3).includes(0) && x.shape[1] !== 0 && x.shape[4] === kernel.shape[4]) return;
  throw new ShapeError({
    op,
    rule: '`kernel` must be [depth, height, width, filters, channels of x], and x must have depths.',
    received: `x ${formatShape(x.shape)} and kernel ${formatShape(kernel.shape)}`,
    hint: 'check the layout: the last axis of a transposed kernel counts the channels of the volume.',
  });
}
