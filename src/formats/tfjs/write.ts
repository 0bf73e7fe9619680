/** @file Writes the weights of a TF.js layers model: a manifest, and shards next to it. */
import type { Shape } from '../../core/shape.ts';
import { crc32 } from '../crc32.ts';

/** A weight with its bytes: little-endian, row-major; a bool is a byte. */
export interface NewWeight {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: 'float32' | 'int32' | 'bool';
  /** Group of the weight. Default: the model's. */
  readonly group?: 'optimizer';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface NewShard {
  readonly name: string;
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

export interface NewManifest {
  readonly manifest: readonly object[];
  readonly shards: readonly NewShard[];
}

/** The same as in TF.js's converter: browsers fetch several shards concurrently, and cache them. */
const shardBytes = 4 << 20;

/** Names of shards from `writeManifest`. */
export const shardName = /^group1-shard\d+of\d+-[0-9a-f]{8}\.bin$/;

/**
 * One group of all weights in their order. The names of the shards contain a checksum of the weights, so that the shards of
 * an older model in the same folder are kept until its model.json is replaced.
 */
export function writeManifest(weights: readonly NewWeight[]): NewManifest {
  if (weights.length === 0) return { manifest: [], shards: [] };
  const checksum = weights.reduce((sum, { bytes }) => crc32(bytes, sum), 0);
  const contents = inShards(weights.map(({ bytes }) => bytes));
  const id = checksum.toString(16).padStart(8, '0');
  const shards = contents.map((pieces, i) => ({
    name: `group1-shard${i + 1}of${contents.length}-${id}.bin`,
    pieces,
  }));
  const paths = shards.map(({ name }) => name);
  const specs = weights.map(({ bytes: _, shape, ...spec }) => ({ ...spec, shape: [...shape] }));
  return { manifest: [{ paths, weights: specs }], shards };
}

/** Joins `pieces` and splits them into shards of equal size, except for the last. */
function inShards(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer>[][] {
  const shards: Uint8Array<ArrayBuffer>[][] = [[]];
  let room = shardBytes;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (room === 0) {
        shards.push([]);
        room = shardBytes;
      }
      const part = piece.subarray(at, at + room);
      shards.at(-1)?.push(part);
      at += part.length;
      room -= part.length;
    }
  }
  return shards;
}
