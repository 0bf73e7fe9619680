/**
 * @file Direct depthwise convolutions, since they aren't matmuls. Result channel o reads image channel o / multiplier. Here
 * are the operands of each direction; the implementations are in depthwise/.
 *
 * - forward:    out[b, y, x, o]   = Σ taps           image · kernel[tap, o]
 * - inputGrad:  out[b, y, x, c]   = Σ taps, m        dy[…, c · multiplier + m] · kernel[tap, c · multiplier + m]
 * - filterGrad: out[part, tap, o] = Σ rows of a part image · dy; a second pass adds the parts in order
 */

export type DepthwiseDirection = 'forward' | 'inputGrad' | 'filterGrad';

/** The names of a direction's operands. */
export const depthwiseOperands: Record<DepthwiseDirection, readonly [string, string]> = {
  forward: ['image', 'weights'],
  inputGrad: ['cotangent', 'weights'],
  filterGrad: ['image', 'cotangent'],
};
