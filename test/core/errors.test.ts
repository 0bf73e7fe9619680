/** @file What consoles print of an error: its message with rule, received and hint once, and the stack. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { finishing } from '../../src/core/cleanup.ts';
import { addToMessage, restate } from '../../src/core/errorMessage.ts';
import { IndexOutOfRangeError, NonFiniteError, RetrogradError, ShapeError } from '../../src/core/errors.ts';
import { joinErrors } from '../../src/webgpu/faults.ts';

const parts = { op: 'reshape', rule: 'the rule.', received: 'what came', hint: 'do this.' };
const place = { position: [7], layer: 'dense_7', history: { node: 'the history' } };

/** Returns how often `text` is in what consoles print of an error. */
const printed = (error: Error, text: string) => inspect(error, { depth: 9 }).split(text).length - 1;

function expectOnce(error: Error): void {
  for (const text of [parts.rule, parts.received, parts.hint]) expect(printed(error, text), text).toBe(1);
  expect(inspect(error)).toMatch(new RegExp(`^${error.name}: `));
  expect(inspect(error)).not.toMatch(/\{\s|others:|the history/);
}

test.each([
  ['RetrogradError', new RetrogradError(parts)],
  ['ShapeError', new ShapeError(parts)],
  ['IndexOutOfRangeError', new IndexOutOfRangeError({ ...parts, ...place, index: 5, limit: 3, axis: 0 })],
  ['NonFiniteError', new NonFiniteError({ ...parts, ...place, value: Number.NaN, inputs: ['float32[2]'] })],
])('%s is printed with each part once, which programs can still read', (name, error) => {
  expect(error.name).toBe(name);
  expect(error).toMatchObject(parts);
  expect(Object.keys(error)).toEqual(['name']);
  expectOnce(error);
});

test('the fields of faults can be read', () => {
  const fault = { ...parts, ...place, index: 5, limit: 3, axis: 0 };
  expect(new IndexOutOfRangeError(fault)).toMatchObject(fault);
  const nan = { ...parts, ...place, value: 1, inputs: ['float32[2]'] };
  expect(new NonFiniteError(nan)).toMatchObject(nan);
});

test('a cause is printed after the error', () => {
  const cause = new RetrogradError({ rule: 'another rule.', received: 'something else' });
  const error = new RetrogradError({ ...parts, cause });
  for (const text of [parts.rule, parts.received, parts.hint]) expect(printed(error, text), text).toBe(1);
  for (const text of ['another rule.', 'something else']) expect(printed(error, text), text).toBe(1);
});

test('lines that are added later are printed once', () => {
  const error = new RetrogradError(parts);
  addToMessage(error, '\n  during: epoch 2 of 5, batch $& 3');
  expect(error.message).toMatch(/hint: do this\.\n {2}during: epoch 2 of 5, batch \$& 3$/);
  expect(printed(error, 'during: epoch 2 of 5, batch $& 3')).toBe(1);
  expectOnce(error);
  expect(error.stack).toMatch(/batch \$& 3\n +at /);
});

test('parts that are replaced are printed once, and those before them no more', () => {
  const error = new RetrogradError({ rule: 'a rule of 194.', received: '[194]', op: 'reshape' });
  restate(error, parts);
  expect(error).toMatchObject({ ...parts, message: new RetrogradError(parts).message });
  expectOnce(error);
  expect(printed(error, '194')).toBe(0);
});

test('errors of several faults, and of cleanup', () => {
  const others = ['second', 'third'].map((rule) => new RetrogradError({ rule: `the ${rule} rule.` }));
  const joined = joinErrors([new RetrogradError(parts), ...others]) as RetrogradError;
  expect(joined.others).toEqual(others);
  for (const { rule } of others) expect(printed(joined, rule), rule).toBe(1);
  expectOnce(joined);
  const failing = (error: Error) => () => {
    throw error;
  };
  const error = new RetrogradError(parts);
  expect(() => finishing(failing(error), failing(new Error('the file is gone')))).toThrow(error);
  expect(printed(error, 'while cleaning up: the file is gone')).toBe(1);
});

test('wherever consoles find an error, they print each part once', () => {
  const error = () => new RetrogradError(parts);
  const held: [string, unknown][] = [
    ['in an object', { error: error() }],
    ['in a list', [error()]],
    ['in a map', new Map([['error', error()]])],
    ['as a cause', new Error('the step failed', { cause: error() })],
    ['as a cause of a cause', new Error('a', { cause: new RetrogradError({ rule: 'b', cause: error() }) })],
    ['in an AggregateError', new AggregateError([error()], 'some failed')],
    ['as what a promise was rejected with', { status: 'rejected', reason: error() }],
  ];
  for (const [where, value] of held)
    for (const text of [parts.rule, parts.received, parts.hint])
      expect(inspect(value, { depth: 9 }).split(text).length - 1, `${where}: ${text}`).toBe(1);
});
