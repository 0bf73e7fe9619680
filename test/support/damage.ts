/** @file Damaged files: bytes flipped, cut, spliced, and numbers replaced by extreme ones. */
import type { Random } from './random.ts';

/** Replacements for counts, sizes and addresses. */
const extremes: readonly bigint[] = [
  0n,
  1n,
  0x7fn,
  0xffn,
  0xffffn,
  0x7fffffffn,
  0xffffffffn,
  0x1_0000_0000n,
  0x7fff_ffff_ffff_ffffn,
  0xffff_ffff_ffff_ffffn,
  2n ** 53n,
  2n ** 40n,
];

type Bytes = Uint8Array<ArrayBuffer>;

/** Changes some of `bytes`, or returns other bytes. `others` are files to take parts from. */
type Damage = (bytes: Bytes, dice: Random, others: readonly Bytes[]) => Bytes;

const damages: readonly Damage[] = [
  function flip(bytes, dice) {
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
    return bytes;
  },
  function replace(bytes, dice) {
    bytes[dice.below(bytes.length)] = dice.below(256);
    return bytes;
  },
  function number(bytes, dice) {
    const size = dice.pick([1, 2, 4, 8]);
    // Fields are usually aligned.
    const at = dice.below(2) === 0 ? dice.below(bytes.length) : dice.below(Math.ceil(bytes.length / 8)) * 8;
    const value = dice.below(3) === 0 ? BigInt(dice.below(bytes.length + 64)) : dice.pick(extremes);
    for (let i = 0; i < size && at + i < bytes.length; i++)
      bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
    return bytes;
  },
  function cut(bytes, dice) {
    return bytes.slice(0, dice.below(bytes.length));
  },
  function remove(bytes, dice) {
    const [from, count] = [dice.below(bytes.length), 1 + dice.below(64)];
    return Uint8Array.from([...bytes.subarray(0, from), ...bytes.subarray(from + count)]);
  },
  function splice(bytes, dice, others) {
    const other = dice.pick(others);
    const count = Math.min(bytes.length, other.length, 1 + dice.below(512));
    const from = dice.below(other.length - count + 1);
    bytes.set(other.subarray(from, from + count), dice.below(bytes.length - count + 1));
    return bytes;
  },
  function repeat(bytes, dice) {
    const at = dice.below(bytes.length);
    const part = bytes.subarray(at, at + 1 + dice.below(256));
    return Uint8Array.from([...bytes.subarray(0, at), ...part, ...bytes.subarray(at)]);
  },
];

/** Returns a copy of `bytes`, damaged at one to four places. */
export function damaged(bytes: Bytes, dice: Random, others: readonly Bytes[]): Bytes {
  let result = bytes.slice();
  for (let left = 1 + dice.below(4); left > 0 && result.length > 0; left--)
    result = dice.pick(damages)(result, dice, others);
  return result;
}
