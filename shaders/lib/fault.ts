/**
 * @file Fault reporting: the first fault of a launch (the lowest flat position) and its value, kept only by atomicMax,
 * so that the report is the same on every run and needs no lock and no second launch.
 *
 * A slot is `wordsPerSlot` words, zero if no fault happened. In a launch over `count` positions, a fault at
 * position p is coded as the rank count - p, at least 1 and largest for the lowest p. A rank takes
 * b = 32 - countLeadingZeros(count) bits of a word; the other 32 - b bits of each word carry a piece of the value,
 * so that max over (rank, piece) keeps the pieces of the lowest position's value. Positions are unique in a launch,
 * hence no two faults compete with one rank.
 */

/** Words of one slot: with 31 bits of rank, each word carries one bit of the value. */
export const wordsPerSlot = 32;

export const faultLibrary = /* wgsl */ `
fn report_fault(position: u32, count: u32, value: u32) {
  let rank = count - position;
  let rank_bits = 32u - countLeadingZeros(count);
  let piece_bits = 32u - rank_bits;
  let piece_mask = (1u << piece_bits) - 1u;
  let base = params.fault_slot * ${wordsPerSlot}u;
  var remaining = value;
  for (var word = 0u; word * piece_bits < 32u; word++) {
    let code = (rank << piece_bits) | (remaining & piece_mask);
    // Most faults come after an earlier one: a plain load avoids the contended atomic for them.
    if (atomicLoad(&fault_words[base + word]) < code) {
      atomicMax(&fault_words[base + word], code);
    }
    remaining >>= piece_bits;
  }
}`;

/** The inverse of `report_fault`: null if the slot is clear. */
export function decodeFault(words: Uint32Array, count: number): { position: number; value: number } | null {
  if (words[0] === 0) return null;
  const rankBits = 32 - Math.clz32(count);
  const pieceBits = 32 - rankBits;
  const rank = (words[0] as number) >>> pieceBits;
  let value = 0;
  for (let word = 0; word * pieceBits < 32; word++) {
    const piece = (words[word] as number) & (2 ** pieceBits - 1);
    value = (value | (piece << (word * pieceBits))) >>> 0;
  }
  return { position: count - rank, value };
}
