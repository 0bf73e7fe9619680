/**
 * @file Permutations of rows, determined by a seed and the number of the pass over the data, so that a resumed run sees
 * its batches in the same order.
 */

/** Returns a permutation of 0 … n - 1 for pass `pass` and `seed`. */
export function permutation(n: number, seed: number, pass: number): Int32Array<ArrayBuffer> {
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  const random = generator(seed, pass);
  // Fisher–Yates shuffle.
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const value = order[i] as number;
    order[i] = order[j] as number;
    order[j] = value;
  }
  return order;
}

/** Returns a generator of random numbers in [0, 1) for a seed and a pass. Source: sfc32 of PractRand (Doty-Humphrey). */
export function generator(seed: number, pass: number): () => number {
  let a = seed >>> 0;
  let b = Math.floor(seed / 2 ** 32) >>> 0;
  let c = pass >>> 0;
  let counter = 1;
  const next = (): number => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 2 ** 32;
  };
  // The first numbers still correlate with the seed.
  for (let i = 0; i < 16; i++) next();
  return next;
}
