/** @file Pseudo-random numbers, the same on every machine. */

/** A generator of [0, 1). Source: the constants of Numerical Recipes, a linear congruential generator. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
