/** @file Joins parts of bytes into one array. */

/** Returns the bytes of `parts`, `length` in all; a single part is returned as it is. */
export function joinedBytes(
  parts: readonly Uint8Array<ArrayBuffer>[],
  length: number,
): Uint8Array<ArrayBuffer> {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
