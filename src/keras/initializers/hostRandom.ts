/** @file Seeded random numbers on the host, for values computed there, such as orthogonal matrices. */

/** Uniform numbers in [0, 1) with 32 random bits. Source: the generator SplitMix of Steele et al., OOPSLA 2014, in 32 bits. */
export function hostUniform(seed: number | null): () => number {
  let state = seed === null ? (crypto.getRandomValues(new Uint32Array(1))[0] as number) : fold(seed);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Normal values, in pairs by the Box–Muller transform. */
export function hostNormals(count: number, seed: number | null): Float64Array {
  const uniform = hostUniform(seed);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < count) values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}

/** Folds 53 bits into 32, so that no part of a seed is lost. */
function fold(seed: number): number {
  return (seed >>> 0) ^ Math.imul(Math.floor(seed / 2 ** 32), 0x85ebca6b);
}
