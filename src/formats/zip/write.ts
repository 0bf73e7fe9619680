/** @file Writes zip archives of stored entries, a piece at a time. The same entries give the same bytes. */
import { crc32 } from '../crc32.ts';
import { ValueError } from '../../core/errors.ts';

/** The bytes of an entry, in pieces. */
export type Pieces = Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;

export interface NewEntry {
  readonly name: string;
  readonly pieces: Pieces;
}

/** What the directory records about a written entry. */
interface Written {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly header: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** Names are UTF-8; checksum and sizes come after the bytes. */
const flags = 0x0808;
/** 1980-01-01, the first day that the format supports. */
const date = 0x0021;

/** Yields the bytes of the archive. Errors: ValueError beyond 4 GiB. */
export async function* writeZip(entries: readonly NewEntry[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const written: Written[] = [];
  let position = 0;
  for (const { name, pieces } of entries) {
    const encoded = new TextEncoder().encode(name);
    const header = position;
    const local = record(0x04034b50, [
      2,
      20,
      2,
      flags,
      2,
      0,
      2,
      0,
      2,
      date,
      4,
      0,
      4,
      0,
      4,
      0,
      2,
      encoded.length,
      2,
      0,
    ]);
    yield local;
    yield encoded;
    position += local.length + encoded.length;
    let [bytes, checksum] = [0, 0];
    for await (const piece of pieces) {
      checksum = crc32(piece, checksum);
      bytes += piece.length;
      yield piece;
    }
    const descriptor = record(0x08074b50, [4, checksum, 4, bytes, 4, bytes]);
    yield descriptor;
    position += bytes + descriptor.length;
    if (position > 0xffffffff) throw tooLarge(name);
    written.push({ name: encoded, header, bytes, checksum });
  }
  yield* writeDirectory(written, position);
}

function* writeDirectory(written: readonly Written[], begin: number): Generator<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  for (const { name, header, bytes: size, checksum } of written) {
    const sizes = [4, checksum, 4, size, 4, size, 2, name.length];
    const entry = record(0x02014b50, [
      ...[2, 20, 2, 20, 2, flags, 2, 0, 2, 0, 2, date],
      ...sizes,
      ...[2, 0, 2, 0, 2, 0, 2, 0, 4, 0, 4, header],
    ]);
    bytes += entry.length + name.length;
    yield entry;
    yield name;
  }
  const { length } = written;
  yield record(0x06054b50, [2, 0, 2, 0, 2, length, 2, length, 4, bytes, 4, begin, 2, 0]);
}

/** Returns a signature of four bytes, and fields, each given by its number of bytes and its value. */
function record(signature: number, fields: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  const all = [4, signature, ...fields];
  for (let i = 0; i < all.length; i += 2) {
    const value = all[i + 1] as number;
    for (let byte = 0; byte < (all[i] as number); byte++) bytes.push((value / 256 ** byte) & 0xff);
  }
  return Uint8Array.from(bytes);
}

function tooLarge(name: string): ValueError {
  return new ValueError({
    op: 'save',
    rule: 'an archive has at most 4 GiB.',
    received: `'${name}' beyond that`,
    hint: "save only the weights: model.saveWeights('model.weights.h5').",
  });
}
