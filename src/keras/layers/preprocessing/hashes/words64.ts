/** @file Unsigned 64-bit integers as BigInt, for hashes. */

export const mask64 = 0xffffffffffffffffn;

/** The lower 64 bits. */
export function wrap(value: bigint): bigint {
  return value & mask64;
}

/** Rotates right, as FarmHash does. SipHash rotates left: pass 64 - bits. */
export function rotated(value: bigint, bits: number): bigint {
  const n = BigInt(bits);
  return (value >> n) | wrap(value << (64n - n));
}

/** Little-endian. */
export function readUint32(bytes: Uint8Array, at: number): bigint {
  const word = (k: number) => BigInt(bytes[at + k] as number) << BigInt(8 * k);
  return word(0) | word(1) | word(2) | word(3);
}

/** Little-endian. */
export function readUint64(bytes: Uint8Array, at: number): bigint {
  return readUint32(bytes, at) | (readUint32(bytes, at + 4) << 32n);
}
