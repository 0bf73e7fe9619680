/** @file Pixels as a PNG file, for pictures inside of an SVG. Uncompressed: these are small. Source: PNG (ISO/IEC 15948), zlib (RFC 1950). */
import { crc32 } from '../formats/crc32.ts';
import type { Pixels } from '../tensor/pixels.ts';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Returns the file as a data URL. */
export function pngUrl({ width, height, data }: Pixels): string {
  const lines = new Uint8Array((4 * width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let i = 0; i < 4 * width; i++)
      lines[(4 * width + 1) * y + 1 + i] = data[4 * width * y + i] as number;
  const bytes = [
    Uint8Array.from(signature),
    // 8 bits, RGBA.
    chunk('IHDR', Uint8Array.from([...bigEndian(width), ...bigEndian(height), 8, 6, 0, 0, 0])),
    chunk('IDAT', stored(lines)),
    chunk('IEND', new Uint8Array(0)),
  ];
  let text = '';
  for (const part of bytes) for (const byte of part) text += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(text)}`;
}

const bigEndian = (value: number) =>
  [value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255);

function chunk(type: string, content: Uint8Array): Uint8Array {
  const body = new Uint8Array(4 + content.length);
  body.set([...type].map((sign) => sign.charCodeAt(0)));
  body.set(content, 4);
  const made = new Uint8Array(12 + content.length);
  made.set(bigEndian(content.length));
  made.set(body, 4);
  made.set(bigEndian(crc32(body, 0)), 8 + content.length);
  return made;
}

/** The largest block that isn't compressed. */
const blockSize = 65535;

/** The bytes as a zlib stream of blocks that aren't compressed. */
function stored(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / blockSize));
  const made = new Uint8Array(2 + 5 * blocks + bytes.length + 4);
  made.set([0x78, 0x01]);
  let at = 2;
  for (let block = 0; block < blocks; block++) {
    const content = bytes.subarray(block * blockSize, (block + 1) * blockSize);
    const { length } = content;
    made.set(
      [block === blocks - 1 ? 1 : 0, length & 255, length >>> 8, ~length & 255, (~length >>> 8) & 255],
      at,
    );
    made.set(content, at + 5);
    at += 5 + length;
  }
  made.set(bigEndian(adler32(bytes)), at);
  return made;
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}
