/** @file Calls of keras.ops with operands of every dtype and with all options: shapes, dtypes and values are Keras's (test/fixtures/keras/op_calls.py). */
import { beforeAll, expect, test } from 'vitest';
import { foldName } from '../../src/core/suggest.ts';
import { init, type Tensor, tensor } from '../../src/index.ts';
import { ops } from '../../src/keras/index.ts';
import fixture from '../fixtures/keras/op_calls.json' with { type: 'json' };

interface Listed {
  readonly shape: number[];
  readonly dtype: 'float32' | 'int32' | 'bool';
  readonly values: (number | string)[];
}

type Call = [op: string, args: unknown[], options: Record<string, unknown>, results: Listed[]];
type AnyOp = (...args: unknown[]) => Tensor | Tensor[] | Promise<Tensor>;

beforeAll(async () => {
  await init();
});

const isListed = (value: unknown): value is Listed =>
  typeof value === 'object' && value !== null && 'values' in value;
/** NaN and infinities are strings in JSON. */
const numberOf = (value: number | string) => Number(String(value).replace('inf', 'Infinity'));

function read(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(read);
  if (!isListed(value)) return value;
  return tensor(value.values.map(numberOf), { shape: value.shape, dtype: value.dtype });
}

const camelNames: Record<string, string> = { keepdims: 'keepDims', M: 'columns' };
const camel = (name: string) =>
  camelNames[name] ?? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function opOf(name: string): AnyOp {
  const [module, op] = name.startsWith('image.') ? [ops.image, name.slice(6)] : [ops, name];
  const found = Object.entries(module).find(([key]) => foldName(key) === foldName(op));
  if (!found) throw new Error(`no op ${name}`);
  return found[1] as AnyOp;
}

function requireClose(found: ArrayLike<number>, wanted: Listed): void {
  const expected = wanted.values.map(numberOf);
  const largest = Math.max(1, ...expected.filter(Number.isFinite).map(Math.abs));
  for (const [i, value] of expected.entries()) {
    if (Number.isFinite(value)) expect(Math.abs((found[i] as number) - value)).toBeLessThan(1e-5 * largest);
    else expect(found[i]).toBe(value);
  }
}

const calls = fixture.calls as unknown as Call[];
const names = [...new Set(calls.map(([name]) => name))];

test.each(names)('%s', async (name) => {
  const failures: string[] = [];
  for (const [, args, options, results] of calls.filter(([other]) => other === name)) {
    const label = JSON.stringify([args, options]);
    try {
      const named = Object.entries(options).filter(([, value]) => value !== null).map(([key, value]) => [camel(key), read(value)]);
      const given = named.length > 0 ? [Object.fromEntries(named)] : [];
      const found = [await opOf(name)(...args.map(read), ...given)].flat() as Tensor[];
      expect(found.map(({ shape, dtype }) => [[...shape], dtype])).toEqual(
        results.map(({ shape, dtype }) => [shape, dtype]),
      );
      for (const [i, wanted] of results.entries())
        requireClose((await (found[i] as Tensor).data()) as Float32Array, wanted);
    } catch (error) {
      failures.push(`${label}: ${(error as Error).message.slice(0, 400)}`);
    }
  }
  expect(failures).toEqual([]);
});
