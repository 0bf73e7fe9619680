/** @file CRC-32, as zip archives store it. */

/** The checksum of each byte value. */
const table = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Continues the checksum `before` of the bytes so far with `bytes`. Starts at 0. */
export function crc32(bytes: Uint8Array, before: number): number {
  let value = ~before;
  for (let i = 0; i < bytes.length; i++)
    value = (table[(value ^ (bytes[i] as number)) & 0xff] as number) ^ (value >>> 8);
  return ~value >>> 0;
}
