/** @file Means and variances as a reduction: sets of values are merged by their moments, in one pass. */
import * as math from '../elementwise/math.ts';
import type { Reduction } from './reduce.ts';

/** Results of `momentsReduction`: the mean, and the population variance. */
export const meanOf = 'a.w + a.y';
export const varianceOf = 'a.z / params.length';

/**
 * Merges (count, offset, sum of squared deviations, pivot) of sets of values, whose mean is pivot + offset. E[x²] - E[x]²
 * would lose all digits if the mean is large. `finish` are the results, NaN if there are no elements.
 */
export function momentsReduction(finish: readonly string[]): Reduction {
  return {
    accumulator: 'vec4<f32>',
    initial: 'vec4<f32>()',
    prepare: math.momentsOf('value'),
    prepareFour: math.momentsOfFour('a', 'b', 'c', 'd'),
    combine: math.mergeMoments('a', 'b'),
    finish,
    empty: finish.map(() => Number.NaN),
  };
}
