/** @file SipHash-2-4, the hash with a key. Source: Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012. */
import { readUint64, rotated, wrap } from './words64.ts';

type State = [v0: bigint, v1: bigint, v2: bigint, v3: bigint];

/** The 64-bit hash of some bytes by a key of two words. */
export function sipHash(bytes: Uint8Array, [k0, k1]: readonly [bigint, bigint]): bigint {
  const state: State = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const padded = new Uint8Array(8 * (Math.floor(bytes.length / 8) + 1));
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 255;
  for (let at = 0; at < padded.length; at += 8) {
    const word = readUint64(padded, at);
    state[3] ^= word;
    mix(state, 2);
    state[0] ^= word;
  }
  state[2] ^= 0xffn;
  mix(state, 4);
  return state[0] ^ state[1] ^ state[2] ^ state[3];
}

const left = (value: bigint, bits: number) => rotated(value, 64 - bits);

function mix(v: State, rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    v[0] = wrap(v[0] + v[1]);
    v[1] = left(v[1], 13) ^ v[0];
    v[0] = left(v[0], 32);
    v[2] = wrap(v[2] + v[3]);
    v[3] = left(v[3], 16) ^ v[2];
    v[0] = wrap(v[0] + v[3]);
    v[3] = left(v[3], 21) ^ v[0];
    v[2] = wrap(v[2] + v[1]);
    v[1] = left(v[1], 17) ^ v[2];
    v[2] = left(v[2], 32);
  }
}
