/** @file Digests of host values: they change with the values. */
import { expect, test } from 'vitest';
import { digestOf } from '../../src/execution/capture.ts';

test('every byte of small data counts', () => {
  const data = Uint8Array.from({ length: 300 }, (_, i) => (i * 37) % 256);
  const digest = digestOf(data);
  expect(digestOf(data.slice())).toBe(digest);
  for (let i = 0; i < data.length; i++) {
    const changed = data.slice();
    changed[i] = (changed[i] as number) ^ 1;
    expect(digestOf(changed), `byte ${i}`).not.toBe(digest);
  }
});

test('a view counts with its own bytes and its length only', () => {
  const whole = new Float32Array([9, 1, 2, 3, 9]);
  expect(digestOf(whole.subarray(1, 4))).toBe(digestOf(new Float32Array([1, 2, 3])));
  expect(digestOf(new Uint8Array(4))).not.toBe(digestOf(new Uint8Array(5)));
  expect(digestOf(new Uint8Array(0))).toBe(digestOf(new Uint8Array(0)));
});

test('of large data, bytes from the beginning to the end count', () => {
  const data = new Uint8Array(2 ** 21 + 5);
  const digest = digestOf(data);
  // Every third byte is read.
  for (const place of [0, 3, 3 * 2 ** 18, data.length - 1 - ((data.length - 1) % 3)]) {
    data[place] = 1;
    expect(digestOf(data), `byte ${place}`).not.toBe(digest);
    data[place] = 0;
  }
});
