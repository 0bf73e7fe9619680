/** @file Small parts: buffers that were transferred, lists, numbers of outputs, specs, warnings. */
import { afterEach, expect, test, vi } from 'vitest';
import { isDetached } from '../../src/core/detached.ts';
import { bytesPerElement, higherDType, orderOf, requireDType, wgslType } from '../../src/core/dtype.ts';
import { DeviceError, DTypeError, NonFiniteError, ShapeError } from '../../src/core/errors.ts';
import { lazyImport } from '../../src/core/lazyImport.ts';
import { isListOf } from '../../src/core/lists.ts';
import { requireOutputs } from '../../src/core/outputs.ts';
import { formatSpec, specOf } from '../../src/core/spec.ts';
import { misspeltName } from '../../src/core/suggest.ts';
import { warnOnce } from '../../src/core/warn.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a buffer is detached once it was transferred', () => {
  const buffer = new ArrayBuffer(8);
  expect(isDetached(buffer)).toBe(false);
  structuredClone(buffer, { transfer: [buffer] });
  expect(isDetached(buffer)).toBe(true);
});

test('lists whose items all fit, holes included, up to a length', () => {
  const isNumber = (item: unknown) => typeof item === 'number';
  expect(isListOf([1, 2], isNumber)).toBe(true);
  expect(isListOf([], isNumber)).toBe(true);
  expect(isListOf([1, '2'], isNumber)).toBe(false);
  expect(isListOf(new Array(2), isNumber)).toBe(false);
  expect(isListOf([1, 2], isNumber, 2)).toBe(true);
  expect(isListOf([1, 2, 3], isNumber, 2)).toBe(false);
  for (const other of ['12', { length: 0 }, null]) expect(isListOf(other, isNumber)).toBe(false);
});

test('an op has at most 65,536 outputs', () => {
  expect(() => requireOutputs('unstack', 65536)).not.toThrow();
  expect(() => requireOutputs('unstack', 65537)).toThrow(ShapeError);
  expect(() => requireOutputs('unstack', 65537)).toThrow(
    /unstack: .* at most 65536\.[\s\S]*an axis of size 65537[\s\S]*batchShape/,
  );
});

test('specs', () => {
  expect(specOf({ shape: [2], dtype: 'int32', name: 'x' } as never)).toEqual({ shape: [2], dtype: 'int32' });
  expect(formatSpec({ shape: [null, 3], dtype: 'float16' })).toBe('float16[null, 3]');
});

test('how dtypes are stored', () => {
  const all = ['bool', 'uint32', 'int32', 'float16', 'float32'] as const;
  expect(all.map(bytesPerElement)).toEqual([4, 4, 4, 2, 4]);
  expect(all.map(wgslType)).toEqual(['u32', 'u32', 'i32', 'u32', 'f32']);
  expect(all.map(orderOf)).toEqual([0, 1, 2, 3, 4]);
  expect(higherDType('bool', 'int32')).toBe('int32');
  expect(higherDType('float32', 'int32')).toBe('float32');
  expect(() => requireDType('f', 'x', 'int32', ['int32', 'bool'])).not.toThrow();
  expect(() => requireDType('f', 'x', 'float32', ['int32', 'bool'])).toThrow(DTypeError);
  expect(() => requireDType('f', 'x', 'float32', ['int32', 'bool'])).toThrow(
    /f: x must be int32 or bool\.[\s\S]*x of dtype float32[\s\S]*cast\(x, 'int32'\)/,
  );
});

test('a suggestion differs by one or two edits', () => {
  expect(misspeltName('kernal', ['bias', 'kernel'])).toBe('kernel');
  expect(misspeltName('krenel', ['kernel'])).toBe('kernel');
  expect(misspeltName('kernelab', ['kernel'])).toBe('kernel');
  expect(misspeltName('kernelabc', ['kernel'])).toBeUndefined();
  expect(misspeltName('kernel', ['kernel'])).toBeUndefined();
});

test('a warning is printed once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  // Runs in one process print other texts.
  const run = String(Math.random());
  warnOnce(`the first of two, ${run}`);
  warnOnce(`the first of two, ${run}`);
  warnOnce(`the second, ${run}`);
  expect(warn.mock.calls).toEqual([
    [`retrograd: the first of two, ${run}`],
    [`retrograd: the second, ${run}`],
  ]);
});

test('a value that isn’t finite keeps where it stands', () => {
  const fault = {
    op: 'log',
    rule: 'R.',
    position: [1],
    value: Number.NaN,
    layer: 'a',
    inputs: ['float32[2]'],
  };
  expect(new NonFiniteError(fault)).toMatchObject({ ...fault, name: 'NonFiniteError' });
});

test('a part of the library that can’t be loaded is named, with the reason', async () => {
  const part = { name: 'part' };
  expect(await lazyImport('the kernels', async () => part)).toBe(part);
  const failing = (cause: unknown) => lazyImport('the kernels', () => Promise.reject(cause));
  const cause = new TypeError('failed to fetch');
  await expect(failing(cause)).rejects.toThrow(DeviceError);
  await expect(failing(cause)).rejects.toThrow(
    /loads the kernels by import\(\)[\s\S]*received: failed to fetch/,
  );
  await expect(failing(cause)).rejects.toMatchObject({ cause });
  await expect(failing('no access')).rejects.toThrow(/received: no access/);
});
