/**
 * @file 2D convolution as an implicit GEMM: three instances of the engine, one per direction. Images are NHWC, kernels
 * HWIO. No patches are copied in advance: their position in the image is computed as they are read.
 *
 * | direction   | rows of C              | columns      | segments, and the steps within one |
 * | ----------- | ---------------------- | ------------ | ---------------------------------- |
 * | forward     | pixels of the result   | filters      | kernel taps, input channels; or kernel rows, taps × input channels |
 * | inputGrad   | pixels of the image    | input channels | kernel taps, filters             |
 * | filterGrad  | kernel taps × input channels | filters | rows of the result, its columns   |
 *
 * A slice is a group. With strides, the pixels of an image are divided into classes by their remainder: a kernel tap
 * reaches all pixels of a class, or none. The input gradient has a slice for each class and skips taps that don't reach it.
 */
import { filterGrad } from './convolution/filterGrad.ts';
import { forward } from './convolution/forward.ts';
import { inputGrad, type Strides } from './convolution/inputGrad.ts';
import { type GemmOptions, gemm } from './gemm.ts';

export type Direction = 'forward' | 'inputGrad' | 'filterGrad';

export type ConvolutionKernelOptions = GemmOptions & {
  /**
   * Strides along both axes. Above 1, input gradients have classes of pixels. Of strides that aren't known, a quotient takes vector
   * instructions for each k tile, even if it is the same for all invocations.
   */
  strides: Strides;
  /**
   * Forward, without groups and dilation along a row: whether a segment is a row of the kernel. Its taps are adjacent in
   * the image as in the kernel, so that vectors can be filled even with few channels.
   */
  joined: boolean;
};

/** The geometry, shared by all directions. */
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

export function convolution(
  direction: Direction,
): (options: ConvolutionKernelOptions, store?: string) => string {
  return (options, store) => {
    const sources = { forward: forward(options.joined), inputGrad: inputGrad(options.strides), filterGrad };
    return gemm(options, {
      source: sources[direction],
      a: { guarded: true },
      b: { guarded: false },
      segments: direction === 'inputGrad' && options.strides !== 1 ? 'some' : 'all',
      store,
    });
  };
}
