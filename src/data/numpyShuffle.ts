/**
 * @file The order in which NumPy's `RandomState(seed).shuffle` puts a list, so that files are split with a seed as Keras splits them.
 * Source: Matsumoto and Nishimura, Mersenne Twister, 1998 (mt19937ar); NumPy's legacy `shuffle`.
 */

const length = 624;
const middle = 397;

/** Returns `items` in the order of NumPy's `RandomState(seed).shuffle(items)`. `seed` is an integer in [0, 2^32). */
export function numpyShuffle<T>(items: readonly T[], seed: number): T[] {
  const shuffled = [...items];
  const random = mersenneTwister(seed);
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = integerUpTo(i, random);
    const item = shuffled[i] as T;
    shuffled[i] = shuffled[j] as T;
    shuffled[j] = item;
  }
  return shuffled;
}

/** A random integer in [0, max]: the lowest bits that hold `max`, drawn again while they exceed it. */
function integerUpTo(max: number, random: () => number): number {
  const mask = 0xffffffff >>> Math.clz32(max);
  let value = (random() & mask) >>> 0;
  while (value > max) value = (random() & mask) >>> 0;
  return value;
}

/** Returns a generator of integers in [0, 2^32). */
function mersenneTwister(seed: number): () => number {
  const state = new Uint32Array(length);
  state[0] = seed;
  for (let i = 1; i < length; i++) {
    const before = state[i - 1] as number;
    state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
  }
  let next = length;
  return () => {
    if (next === length) {
      twist(state);
      next = 0;
    }
    let y = state[next++] as number;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < length; i++) {
    const y = ((state[i] as number) & 0x80000000) | ((state[(i + 1) % length] as number) & 0x7fffffff);
    state[i] = (state[(i + middle) % length] as number) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
}
