/** @file Buckets of strings and integers, by TensorFlow's hashes. */
import { ValueError } from '../../../../core/errors.ts';
import { describe } from '../../../../core/shape.ts';
import { fingerprint64 } from './farmHash.ts';
import { sipHash } from './sipHash.ts';
import { wrap } from './words64.ts';

/** The key of SipHash: two integers. */
export type Salt = readonly [number, number];

const encoder = new TextEncoder();

/** The bytes that are hashed; for a number, those of its digits. */
export function bytesOf(value: string | number): Uint8Array {
  return encoder.encode(String(value));
}

/** A bucket below `count`: by SipHash with a salt, otherwise by FarmHash's fingerprint. */
export function bucketOf(value: string | number, count: number, salt: Salt | null): number {
  const bytes = bytesOf(value);
  const hash = salt ? sipHash(bytes, [wrap(BigInt(salt[0])), wrap(BigInt(salt[1]))]) : fingerprint64(bytes);
  return Number(hash % BigInt(count));
}

/** A single number is used for both words of the key. Errors: ValueError for an invalid salt. */
export function saltOf(op: string, given: unknown): Salt | null {
  if (given === null || given === undefined) return null;
  const words: readonly unknown[] = Array.isArray(given) ? given : [given, given];
  if (words.length === 2 && words.every((word) => Number.isSafeInteger(word)))
    return words as unknown as Salt;
  throw new ValueError({
    op,
    rule: '`salt` is an integer, or a list of two.',
    received: `salt: ${describe(given)}`,
    hint: 'leave it out for a hash without a key.',
  });
}
