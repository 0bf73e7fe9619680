/** @file The filter fletcher32: a checksum in the last four bytes of a chunk. */

export const checksumBytes = 4;

/** Number of words whose sums can't exceed 32 bits. */
const blockWords = 360;

/** Returns the bytes before the checksum. `invalid` creates the error for a wrong checksum. */
export function withoutChecksum(
  bytes: Uint8Array<ArrayBuffer>,
  invalid: (received: string) => Error,
): Uint8Array<ArrayBuffer> {
  const end = bytes.length - checksumBytes;
  if (end < 0) throw invalid('no room for a checksum');
  const stored = new DataView(bytes.buffer, bytes.byteOffset + end).getUint32(0, true);
  const data = bytes.subarray(0, end);
  const found = fletcher32(data);
  if (stored !== found && stored !== swapped(found)) throw invalid('bytes of another checksum');
  return data;
}

/** Fletcher's checksum of big-endian words of 16 bits; a last single byte is the upper half of one. */
function fletcher32(bytes: Uint8Array): number {
  let [sum, sumOfSums] = [0, 0];
  for (let begin = 0; begin < bytes.length; begin += 2 * blockWords) {
    const end = Math.min(bytes.length, begin + 2 * blockWords);
    for (let i = begin; i < end; i += 2) {
      sum += ((bytes[i] as number) << 8) | (bytes[i + 1] ?? 0);
      sumOfSums += sum;
    }
    sum = folded(sum);
    sumOfSums = folded(sumOfSums);
  }
  return ((folded(sumOfSums) << 16) | folded(sum)) >>> 0;
}

/** One step of the reduction modulo 65535. */
function folded(sum: number): number {
  return (sum & 0xffff) + (sum >>> 16);
}

/** Early versions of HDF5 wrote the bytes of each half in the other order. */
function swapped(checksum: number): number {
  return (((checksum & 0x00ff00ff) << 8) | ((checksum >>> 8) & 0x00ff00ff)) >>> 0;
}
