/**
 * @file Depthwise convolutions, directly: they are no matmul. Result channel o reads image channel o / multiplier. What
 * their directions read; how they are computed is in depthwise/.
 *
 * - forward:    out[b, y, x, o]   = Σ taps           image · kernel[tap, o]
 * - inputGrad:  out[b, y, x, c]   = Σ taps, m        dy[…, c · multiplier + m] · kernel[tap, c · multiplier + m]
 * - filterGrad: out[part, tap, o] = Σ rows of a part image · dy, whose parts a second pass adds in order
 */

export type DepthwiseDirection = 'forward' | 'inputGrad' | 'filterGrad';

/** The names of what a direction reads. */
export const depthwiseOperands: Record<DepthwiseDirection, readonly [string, string]> = {
  forward: ['image', 'weights'],
  inputGrad: ['cotangent', 'weights'],
  filterGrad: ['image', 'cotangent'],
};
