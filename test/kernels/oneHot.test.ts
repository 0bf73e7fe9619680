/** @file One-hot encodings large enough for groups of elements, on both kinds of adapters, against the host. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, oneHot, tensor } from '../../src/index.ts';
import { adapterClasses, onAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

/** Indices from -1 to `depth`, of which the first and the last are outside. */
const indices = (count: number, depth: number) =>
  Int32Array.from({ length: count }, (_, i) => ((i * 7) % (depth + 2)) - 1);

/** The encoding of [outer, inner] indices as [outer, depth, inner]. */
function encoded(given: Int32Array, depth: number, inner: number): Float32Array {
  return Float32Array.from({ length: given.length * depth }, (_, i) => {
    const slab = Math.floor(i / inner);
    return given[Math.floor(slab / depth) * inner + (i % inner)] === slab % depth ? 2 : -1;
  });
}

describe.each(adapterClasses)('%s', (kind) => {
  test.each([
    { what: 'vectors', outer: 300, depth: 128 },
    { what: 'an incomplete last group of vectors', outer: 300, depth: 44 },
    { what: 'one vector per row', outer: 5001, depth: 4 },
    { what: 'elements', outer: 1000, depth: 33 },
    { what: 'fewer elements than a group', outer: 3000, depth: 3 },
    { what: 'an inner axis', outer: 7, depth: 5, inner: 701 },
    { what: 'a short inner axis', outer: 500, depth: 9, inner: 3 },
    { what: 'few elements', outer: 5, depth: 8 },
  ])('$what', async ({ outer, depth, inner = 1 }) => {
    const given = indices(outer * inner, depth);
    const shape = inner === 1 ? [outer] : [outer, inner];
    const found = onAdapter(kind, () =>
      oneHot(tensor(given, { shape }), { depth, axis: 1, onValue: 2, offValue: -1 }),
    );
    expect(found.shape).toEqual(inner === 1 ? [outer, depth] : [outer, depth, inner]);
    expect(await found.data()).toEqual(encoded(given, depth, inner));
  });
});
