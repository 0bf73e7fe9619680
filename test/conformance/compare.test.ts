import { expect, test } from 'vitest';
import { mismatch } from './compare.ts';
import type { HostTensor } from './safetensors.ts';

const tolerance = { rtol: 0.1, atol: 0.01 };
const floats = (values: number[], shape = [values.length]): HostTensor => ({
  shape,
  dtype: 'float32',
  data: Float32Array.from(values),
});

test('a value passes inside of atol + rtol * |expected|, and fails outside', () => {
  expect(mismatch(floats([1.1, -2.2, 0.009]), floats([1, -2, 0]), tolerance)).toBeNull();
  expect(mismatch(floats([1.12]), floats([1]), tolerance)).toMatch('at [0]: expected 1, got 1.12');
  expect(mismatch(floats([0.011]), floats([0]), tolerance)).toMatch('allowed 0.01');
});

test('the worst element is named by its position', () => {
  const expected = floats([1, 1, 1, 1, 1, 1], [2, 3]);
  const fault = mismatch(floats([1, 2, 1, 1, 1, 9], [2, 3]), expected, tolerance);
  expect(fault).toMatch('at [1, 2]: expected 1, got 9');
  expect(fault).toMatch('2 of 6 elements');
});

test('NaN equals only NaN, and an infinity only itself', () => {
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  expect(mismatch(floats(odd), floats(odd), tolerance)).toBeNull();
  for (const [actual, expected] of [
    [Number.NaN, 1],
    [1, Number.NaN],
    [Number.POSITIVE_INFINITY, 1],
    [1, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.NaN, Number.POSITIVE_INFINITY],
  ] as const)
    expect(mismatch(floats([actual]), floats([expected]), tolerance)).not.toBeNull();
});

test('without a tolerance equal values pass and others fail', () => {
  const exact = { rtol: 0, atol: 0 };
  expect(mismatch(floats([0, 2]), floats([-0, 2]), exact)).toBeNull();
  expect(mismatch(floats([2.0000002]), floats([2]), exact)).not.toBeNull();
});

test('shapes and dtypes must be those expected', () => {
  const ints: HostTensor = { shape: [1], dtype: 'int32', data: Int32Array.of(1) };
  expect(mismatch(floats([1], [1, 1]), floats([1]), tolerance)).toMatch('shape [1,1], expected [1]');
  expect(mismatch(floats([1], []), floats([1]), tolerance)).toMatch('shape [], expected [1]');
  expect(mismatch(ints, floats([1]), tolerance)).toMatch('dtype int32, expected float32');
});

test('empty tensors compare by shape', () => {
  expect(mismatch(floats([], [0, 3]), floats([], [0, 3]), tolerance)).toBeNull();
  expect(mismatch(floats([], [0, 3]), floats([], [3, 0]), tolerance)).not.toBeNull();
});
