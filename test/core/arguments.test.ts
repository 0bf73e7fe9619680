/** @file Arguments that aren't operands: functions, options, signals, numbers of a dtype, and the properties of errors. */
import { expect, test } from 'vitest';
import { checkSignal } from '../../src/core/abortSignal.ts';
import { requireFunction, requireOptions } from '../../src/core/arguments.ts';
import { DeviceLostError, IndexOutOfRangeError, RetrogradError, ValueError } from '../../src/core/errors.ts';
import { rangeOf, requireNumber, roundHalfEven } from '../../src/core/integers.ts';

test('functions', () => {
  expect(() => requireFunction('grad', 'f', () => 1)).not.toThrow();
  for (const wrong of [null, undefined, {}, 'f', 1])
    expect(() => requireFunction('grad', 'f', wrong)).toThrow(ValueError);
  expect(() => requireFunction('grad', 'f', 3)).toThrow(
    /grad: `f` is a function\.\n {2}received: f: 3\n {2}hint: .*grad\(\(\) => …\)/,
  );
});

test('objects of options', () => {
  expect(() => requireOptions('init', {})).not.toThrow();
  for (const wrong of [null, undefined, 1, 'high', () => 1])
    expect(() => requireOptions('init', wrong), String(wrong)).toThrow(/init: options come in an object/);
});

test('a signal that is aborted throws its reason', () => {
  const controller = new AbortController();
  for (const none of [undefined, null, controller.signal])
    expect(() => checkSignal('fit', none)).not.toThrow();
  const reason = new Error('enough');
  controller.abort(reason);
  expect(() => checkSignal('fit', controller.signal)).toThrow(reason);
  for (const wrong of [controller, true, 'abort', {}])
    expect(() => checkSignal('fit', wrong)).toThrow(/`signal` is an AbortSignal[\s\S]*AbortController/);
});

test('numbers that a dtype holds', () => {
  expect(rangeOf('int32')).toEqual([-2147483648, 2147483647]);
  expect(rangeOf('uint32')).toEqual([0, 4294967295]);
  for (const dtype of ['int32', 'uint32'] as const) {
    const [lowest, highest] = rangeOf(dtype);
    for (const held of [lowest, highest, 7])
      expect(() => requireNumber('fill', 'value', held, dtype)).not.toThrow();
    for (const other of [lowest - 1, highest + 1, 0.5, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(() => requireNumber('fill', 'value', other, dtype), `${other}`).toThrow(
        `${dtype} holds integers`,
      );
  }
  for (const dtype of ['float32', 'float16', 'bool'] as const)
    for (const value of [0.5, Number.NaN, -1e30])
      expect(() => requireNumber('fill', 'value', value, dtype)).not.toThrow();
  for (const wrong of ['1', null, undefined, 1n, true])
    expect(() => requireNumber('fill', 'value', wrong, 'float32')).toThrow(/`value` must be a number/);
});

test('rounding, ties to even', () => {
  const given = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4999, 2.5001, -2.51, 3];
  // `toEqual` distinguishes 0 and -0, which count as the same here.
  expect(given.map((x) => roundHalfEven(x) + 0)).toEqual([-2, -2, 0, 0, 2, 2, 2, 3, -3, 3]);
});

test('an error says its op, rule, what was received, and a hint, as far as they are known', () => {
  const cause = new Error('the driver');
  const whole = new DeviceLostError({ op: 'fit', rule: 'R.', received: 'x', hint: 'H.', cause });
  expect(whole.message).toBe('fit: R.\n  received: x\n  hint: H.');
  expect(whole).toMatchObject({
    name: 'DeviceLostError',
    op: 'fit',
    rule: 'R.',
    received: 'x',
    hint: 'H.',
    cause,
  });
  expect(whole.others).toEqual([]);
  const bare = new RetrogradError({ rule: 'R.' });
  expect(bare.message).toBe('R.');
  expect('cause' in bare).toBe(false);
});

test('an index out of range keeps where it stands', () => {
  const fault = { op: 'gather', rule: 'R.', position: [1, 2], index: 9, limit: 5, axis: 0, layer: 'words' };
  const error = new IndexOutOfRangeError(fault);
  expect(error).toMatchObject({ ...fault, name: 'IndexOutOfRangeError' });
  expect(error.history).toBeUndefined();
});
