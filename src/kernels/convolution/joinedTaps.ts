/** @file Rows of a kernel as segments of a GEMM, where those of single taps would be short. */
import type { ConvolutionGeometry } from '../../core/convolution.ts';

/** Up to this many channels, a segment of one tap is too short. */
const fewChannels = 8;

/** Returns whether the implicit GEMM of a forward convolution treats a row of its kernel as one segment. */
export function joinsTaps({ columns, inputs, groups }: ConvolutionGeometry): boolean {
  return groups === 1 && columns.dilation === 1 && columns.window > 1 && inputs <= fewChannels;
}
