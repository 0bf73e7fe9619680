/**
 * @file 2D convolution as an implicit GEMM: three instances of the engine, one a direction. Images are NHWC, kernels
 * HWIO. Nothing is copied out beforehand: where a patch lies in the image is worked out while it is read.
 *
 * | direction   | rows of C              | columns      | segments, and the steps within one |
 * | ----------- | ---------------------- | ------------ | ---------------------------------- |
 * | forward     | pixels of the result   | filters      | kernel taps, input channels; or kernel rows, taps × input channels |
 * | inputGrad   | pixels of the image    | input channels | kernel taps, filters             |
 * | filterGrad  | kernel taps × input channels | filters | rows of the result, its columns   |
 *
 * A slice is a group. With strides, the pixels of an image fall in classes by their remainder: a kernel tap reaches all
 * pixels of a class, or none. The input gradient takes a slice for each class and skips the taps that don't reach it.
 */
import { filterGrad } from './convolution/filterGrad.ts';
import { forward } from './convolution/forward.ts';
import { inputGrad } from './convolution/inputGrad.ts';
import { type GemmOptions, gemm } from './gemm.ts';

export type Direction = 'forward' | 'inputGrad' | 'filterGrad';

export type ConvolutionKernelOptions = GemmOptions & {
  /** Whether a stride is above 1: input gradients have classes of pixels then. */
  strided: boolean;
  /**
   * Forward, without groups and dilation along a row: whether a segment is a row of the kernel. Its taps are neighbours in
   * the image as they are in the kernel, so that few channels fill vectors all the same.
   */
  joined: boolean;
};

/** Geometry, as all directions read it. */
export const convolutionParams = {
  in_h: 'u32',
  in_w: 'u32',
  in_c: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  out_c: 'u32',
  kernel_w: 'u32',
  stride_h: 'i32',
  stride_w: 'i32',
  dilation_h: 'i32',
  dilation_w: 'i32',
  pad_h: 'i32',
  pad_w: 'i32',
  group_in: 'u32',
  group_out: 'u32',
} as const;

export function convolution(direction: Direction): (options: ConvolutionKernelOptions) => string {
  return (options) => {
    const sources = { forward: forward(options.joined), inputGrad: inputGrad(options.strided), filterGrad };
    return gemm(options, {
      source: sources[direction],
      a: { guarded: true },
      b: { guarded: false },
      skips: direction === 'inputGrad' && options.strided,
    });
  };
}
