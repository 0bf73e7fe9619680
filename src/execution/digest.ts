/** @file A digest of host values, to detect changes. */

/** For larger data, this many bytes are read, evenly spread. */
const maxBytes = 2 ** 20;

/** FNV-1a, 32 bits. */
export function digestOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): number {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const step = Math.ceil(byteLength / maxBytes);
  let hash = 0x811c9dc5 ^ byteLength;
  for (let i = 0; i < byteLength; i += step) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash;
}
