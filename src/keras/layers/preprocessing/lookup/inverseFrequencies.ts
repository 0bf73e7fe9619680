/** @file Inverse document frequencies, the weights of tokens with outputMode 'tfIdf'. */

/** log(1 + documents / (1 + documents with the token)), for each token. */
export function inverseFrequencies(found: readonly number[], documents: number): number[] {
  return found.map((count) => Math.log(1 + documents / (1 + count)));
}

/** Weights of all indices: `special` ones at the start have the mean of the others, and those up to `depth` have 0. */
export function paddedWeights(weights: readonly number[], special: number, depth: number): number[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const known = [...new Array<number>(special).fill(mean), ...weights];
  return [...known, ...new Array<number>(Math.max(0, depth - known.length)).fill(0)];
}
