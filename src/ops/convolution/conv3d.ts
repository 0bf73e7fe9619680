/** @file conv3d: a 2D convolution of images whose channels contain all depths of a window. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, requireRank, type Shape } from '../../core/shape.ts';
import {
  type Padding,
  paddingOfAxes,
  slideWindows,
  type WindowAxis,
  windowOptions,
} from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { conv2d } from './conv2d.ts';
import { windowPatches } from '../images/patches.ts';
import { reshape } from '../arrangement/reshape.ts';
import { transpose } from '../arrangement/transpose.ts';

export interface Conv3dOptions {
  /** Steps between windows, along depth, height and width. One number applies to all. Default 1. */
  strides?: number | readonly number[];
  /** 'valid' (default), 'same', or [before, after] for each spatial axis. */
  padding?: Padding;
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
  /** Groups of channels that are convolved separately. Default 1. */
  groups?: number;
}

/**
 * Convolution of volumes with a kernel (cross-correlation, as in TensorFlow). float32.
 * Shapes: x [n, d, h, w, c], kernel [depth, height, width, c / groups, filters] → [n, windows deep, down, across, filters].
 * Errors: ShapeError for shapes that don't fit and windows larger than the volume; ValueError for options; DTypeError.
 */
export const conv3d: CompositeOp<
  [x: Tensor, kernel: Tensor],
  Conv3dOptions,
  Tensor,
  ['strides', 'padding', 'dilationRate', 'groups']
> = /* @__PURE__ */ defineComposite({
  name: 'conv3d',
  inputs: ['x', 'kernel'],
  options: { strides: true, padding: true, dilationRate: true, groups: true },
  compose: ([x, kernel], { groups = 1, ...options }) => {
    requireVolumes(x, kernel, groups);
    const windows = windowOptions('conv3d', kernel.shape.slice(0, 3), options, 3);
    const axes = slideWindows('conv3d', x.shape.slice(1, 4), windows);
    const [deep, down, across] = axes as [WindowAxis, WindowAxis, WindowAxis];
    const images = conv2d(depthsAsChannels(x, deep, groups), depthsAsInputs(kernel), {
      strides: windows.strides.slice(1),
      padding: paddingOfAxes(windows.padding, 1),
      dilationRate: windows.dilation.slice(1),
      groups,
    });
    const [n, filters] = [x.shape[0], kernel.shape[4]] as [number, number];
    return reshape(images, { shape: [n, deep.output, down.output, across.output, filters] });
  },
});

/** [n, d, h, w, c] → [n · windows deep, h, w, depth · c]: the depths of each window, within each group of channels. */
function depthsAsChannels(x: Tensor, deep: WindowAxis, groups: number): Tensor {
  const [n, depth, height, width, channels] = x.shape as [number, number, number, number, number];
  const { output, window } = deep;
  // An image whose rows are the depths: its patches are one pixel wide.
  const planes = reshape(x, { shape: [n, depth, height * width, channels] });
  const pixel: WindowAxis = {
    input: height * width,
    output: height * width,
    window: 1,
    stride: 1,
    dilation: 1,
    before: 0,
  };
  const side = windowPatches(planes, [deep, pixel]);
  const shape = [n * output, height, width, window * channels];
  if (groups === 1) return reshape(side, { shape });
  const split = reshape(side, { shape: [n * output * height * width, window, groups, channels / groups] });
  return reshape(transpose(split, { perm: [0, 2, 1, 3] }), { shape });
}

/** [depth, height, width, c, filters] → [height, width, depth · c, filters]. */
function depthsAsInputs(kernel: Tensor): Tensor {
  const [depth, height, width, inputs, filters] = kernel.shape as [number, number, number, number, number];
  const moved = transpose(kernel, { perm: [1, 2, 0, 3, 4] });
  return reshape(moved, { shape: [height, width, depth * inputs, filters] });
}

function requireVolumes(x: Tensor, kernel: Tensor, groups: number): void {
  for (const [name, { dtype, shape }] of Object.entries({ x, kernel })) {
    requireRank('conv3d', name, shape, 5);
    requireDType('conv3d', name, dtype, ['float32', 'float16']);
  }
  requireInteger('conv3d', 'groups', groups, 1);
  const [channels, inputs, filters] = [x.shape[4], kernel.shape[3], kernel.shape[4]] as [
    number,
    number,
    number,
  ];
  const hasTaps = !kernel.shape.slice(0, 3).includes(0);
  if (hasTaps && channels === inputs * groups && filters % groups === 0) return;
  throw misfit(x.shape, kernel.shape, groups);
}

function misfit(x: Shape, kernel: Shape, groups: number): ShapeError {
  return new ShapeError({
    op: 'conv3d',
    rule: '`kernel` must be [depth, height, width, channels / groups, filters], with filters a multiple of groups.',
    received: `x ${formatShape(x)}, kernel ${formatShape(kernel)} and groups: ${groups}`,
    hint: 'volumes are [batch, depth, height, width, channels].',
  });
}
