import { expect, test } from 'vitest';
import { withMarkedFloats } from '../../../src/keras/json/markedFloats.ts';

const x = '{"class_name": "__keras_tensor__", "config": {"shape": [2], "keras_history": ["x", 0, 0]}}';

test('whole floats next to a tensor are marked, and others stay', () => {
  expect(withMarkedFloats(`[${x}, 2.0, 3, 0.5]`)).toBe(`[${x}, {"__float__":2.0}, 3, 0.5]`);
  expect(withMarkedFloats(`[1.0, ${x}]`)).toBe(`[{"__float__":1.0}, ${x}]`);
  expect(withMarkedFloats('[1.0, 2.0]')).toBe('[1.0, 2.0]');
});

test('a constant may have millions of numbers', () => {
  const constant = `[${'1.0,'.repeat(4_000_000)}1.0]`;
  expect(withMarkedFloats(constant) === constant).toBe(true);
});
