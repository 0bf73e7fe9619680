/**
 * @file FarmHash's Fingerprint64, by which TensorFlow spreads strings over buckets. Source: Pike and Alakuijala, FarmHash,
 * 2014, `farmhashna`.
 */
import { mask64, readUint32, readUint64, rotated, wrap } from './words64.ts';

const k0 = 0xc3a5c85c97cb3127n;
const k1 = 0xb492b66fbe98f273n;
const k2 = 0x9ae16a3b2f90404fn;

type Pair = readonly [first: bigint, second: bigint];

/** The 64-bit fingerprint of some bytes. */
export function fingerprint64(bytes: Uint8Array): bigint {
  const { length } = bytes;
  if (length <= 16) return upTo16(bytes);
  if (length <= 32) return upTo32(bytes);
  return length <= 64 ? upTo64(bytes) : longer(bytes);
}

/** The fingerprint of two fingerprints, in order. Source: TensorFlow, core/platform/fingerprint.h. */
export function concatenated(first: bigint, second: bigint): bigint {
  const factor = 0xc6a4a7935bd1e995n;
  const mixed = first ^ factor ^ wrap(shiftMixed(wrap(second * factor)) * factor);
  return shiftMixed(wrap(shiftMixed(wrap(mixed * factor)) * factor));
}

function shiftMixed(value: bigint): bigint {
  return value ^ (value >> 47n);
}

function mixed(u: bigint, v: bigint, factor: bigint): bigint {
  const a = shiftMixed(wrap((u ^ v) * factor));
  return wrap(shiftMixed(wrap((v ^ a) * factor)) * factor);
}

const factorOf = (bytes: Uint8Array) => wrap(k2 + 2n * BigInt(bytes.length));

function upTo16(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const factor = factorOf(bytes);
  if (length >= 8) {
    const a = wrap(readUint64(bytes, 0) + k2);
    const b = readUint64(bytes, length - 8);
    const c = wrap(rotated(b, 37) * factor + a);
    return mixed(c, wrap((rotated(a, 25) + b) * factor), factor);
  }
  if (length >= 4) {
    const a = BigInt(length) + (readUint32(bytes, 0) << 3n);
    return mixed(a, readUint32(bytes, length - 4), factor);
  }
  if (length === 0) return k2;
  const byte = (at: number) => BigInt(bytes[at] as number);
  const y = byte(0) + (byte(length >> 1) << 8n);
  const z = BigInt(length) + (byte(length - 1) << 2n);
  return wrap(shiftMixed(wrap(y * k2) ^ wrap(z * k0)) * k2);
}

function upTo32(bytes: Uint8Array): bigint {
  const factor = factorOf(bytes);
  const { a, b, c, y } = ends(bytes, k1);
  return mixed(y, wrap(a + rotated(wrap(b + k2), 18) + c), factor);
}

function upTo64(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const factor = factorOf(bytes);
  const { a, b, c, y } = ends(bytes, k2);
  const z = mixed(y, wrap(a + rotated(wrap(b + k2), 18) + c), factor);
  const e = wrap(readUint64(bytes, 16) * factor);
  const f = readUint64(bytes, 24);
  const g = wrap((y + readUint64(bytes, length - 32)) * factor);
  const h = wrap((z + readUint64(bytes, length - 24)) * factor);
  const last = wrap(e + rotated(wrap(f + a), 18) + g);
  return mixed(wrap(rotated(wrap(e + f), 43) + rotated(g, 30) + h), last, factor);
}

/** Values computed from the first and the last 16 bytes. */
function ends(bytes: Uint8Array, first: bigint) {
  const { length } = bytes;
  const a = wrap(readUint64(bytes, 0) * first);
  const b = readUint64(bytes, 8);
  const c = wrap(readUint64(bytes, length - 8) * factorOf(bytes));
  const d = wrap(readUint64(bytes, length - 16) * k2);
  return { a, b, c, y: wrap(rotated(wrap(a + b), 43) + rotated(c, 30) + d) };
}

/** Hashes blocks of 64 bytes; the last one overlaps its predecessor. */
function longer(bytes: Uint8Array): bigint {
  const rest = (bytes.length - 1) & 63;
  const seed = 81n;
  const y = wrap(seed * k1 + 113n);
  const z = wrap(shiftMixed(wrap(y * k2 + 113n)) * k2);
  const state: State = { x: wrap(seed * k2 + readUint64(bytes, 0)), y, z, v: [0n, 0n], w: [0n, 0n] };
  const blocks = Math.floor((bytes.length - 1) / 64);
  for (let i = 0; i < blocks; i++) takeBlock(state, bytes, 64 * i, { factor: k1, weight: 1n });
  const factor = wrap(k1 + ((state.z & 0xffn) << 1n));
  const first = wrap(state.w[0] + BigInt(rest));
  state.v = [wrap(state.v[0] + first), state.v[1]];
  state.w = [wrap(first + state.v[0]), state.w[1]];
  takeBlock(state, bytes, bytes.length - 64, { factor, weight: 9n });
  const { v, w } = state;
  const a = wrap(mixed(v[0], w[0], factor) + wrap(shiftMixed(state.y) * k0) + state.z);
  return mixed(a, wrap(mixed(v[1], w[1], factor) + state.x), factor);
}

interface State {
  x: bigint;
  y: bigint;
  z: bigint;
  v: Pair;
  w: Pair;
}

function takeBlock(
  state: State,
  bytes: Uint8Array,
  at: number,
  { factor, weight }: { factor: bigint; weight: bigint },
): void {
  const word = (offset: number) => readUint64(bytes, at + offset);
  const { v, w } = state;
  let x = wrap(rotated(wrap(state.x + state.y + v[0] + word(8)), 37) * factor);
  let y = wrap(rotated(wrap(state.y + v[1] + word(48)), 42) * factor);
  x ^= wrap(w[1] * weight);
  y = wrap(y + v[0] * weight + word(40));
  const z = wrap(rotated(wrap(state.z + w[0]), 33) * factor);
  state.v = weak(bytes, at, wrap(v[1] * factor), wrap(x + w[0]));
  state.w = weak(bytes, at + 32, wrap(z + w[1]), wrap(y + word(16)));
  [state.x, state.y, state.z] = [z, y, x];
}

/** Mixes 32 bytes with two seeds. */
function weak(bytes: Uint8Array, at: number, seedA: bigint, seedB: bigint): Pair {
  const word = (offset: number) => readUint64(bytes, at + offset);
  const c = wrap(seedA + word(0));
  const b = rotated(wrap(seedB + c + word(24)), 21);
  const a = wrap(c + word(8) + word(16));
  return [wrap(a + word(24)), (b + rotated(a, 44) + c) & mask64];
}
