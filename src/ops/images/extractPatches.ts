/** @file extractPatches */
import { requireRank } from '../../core/shape.ts';
import { type Padding, perAxis, slideWindows, type WindowAxis, windowOptions } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { windowPatches } from './patches.ts';

export interface ExtractPatchesOptions {
  /** Height and width of a patch. */
  size: number | readonly number[];
  /**
   * Pixels from one patch to the next, down and across. Default: the size of a patch, so that they neither
   * overlap nor leave gaps.
   */
  strides?: number | readonly number[] | null;
  /** Distance between the pixels of a patch. Default 1. */
  dilationRate?: number | readonly number[];
  /** 'valid' (default): patches inside the image; 'same': zeros are added around it. */
  padding?: Padding;
}

/**
 * The patches of images, each as one vector: its rows, then columns, then channels, as in Keras and TensorFlow. Any dtype.
 * Shapes: x [n, h, w, c] → [n, outHeight, outWidth, height · width · c].
 * Errors: ShapeError for other ranks, and if no patch fits; ValueError for options.
 */
export const extractPatches: CompositeOp<
  [x: Tensor],
  ExtractPatchesOptions,
  Tensor,
  ['size', 'strides', 'dilationRate', 'padding']
> = /* @__PURE__ */ defineComposite({
  name: 'extractPatches',
  inputs: ['x'],
  options: { size: true, strides: true, dilationRate: true, padding: true },
  compose: ([x], { size, strides, ...others }) => {
    const op = 'extractPatches';
    requireRank(op, 'x', x.shape, 4);
    const window = perAxis(op, 'size', size, 2);
    const windows = windowOptions(op, window, { ...others, strides: strides ?? window }, 2);
    return windowPatches(x, slideWindows(op, x.shape.slice(1, 3), windows) as [WindowAxis, WindowAxis]);
  },
});
