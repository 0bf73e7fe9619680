/**
 * @file Calls of keras.ops with operands of every dtype and with its options: shapes, dtypes and values are Keras's
 * (test/fixtures/keras/op_calls.py).
 */
import { beforeAll, expect, test } from 'vitest';
import { foldName } from '../../src/core/suggest.ts';
import { init, type Tensor, tensor } from '../../src/index.ts';
import { clearSession, input, ops } from '../../src/keras/index.ts';
import fixture from '../fixtures/keras/op_calls.json' with { type: 'json' };

interface Listed {
  readonly shape: number[];
  readonly dtype: 'float32' | 'int32' | 'bool';
  readonly values: (number | string)[];
}

type Call = [op: string, args: unknown[], options: Record<string, unknown>, results: Listed[]];
type AnyOp = (...args: unknown[]) => Tensor | Tensor[];

beforeAll(async () => {
  await init();
});

/** Compiling the kernels of all ops would take long, so that others than these are only called on symbolic tensors. */
const isComputed = (name: string) =>
  process.env.RETROGRAD_KERAS_PYTHON !== undefined ||
  /^(add|any|max|cumsum|nanmax|fmax|where|clip|round|trunc|sum|matmul|concatenate|linspace|geomspace|eye|tile|cross|solve|svd)$/.test(
    name,
  ) ||
  /^(bincount|ctc_loss|conv_transpose|take_along_axis|multi_hot|scatter_update|slice_update|average|arange|pad|image\..*)$/.test(
    name,
  );

const isListed = (value: unknown): value is Listed =>
  typeof value === 'object' && value !== null && 'values' in value;

/** NaN and infinities are strings in JSON. */
const numberOf = (value: number | string) => Number(String(value).replace('inf', 'Infinity'));

const tensorOf = ({ values, shape, dtype }: Listed) => tensor(values.map(numberOf), { shape, dtype });
const symbolOf = ({ shape, dtype }: Listed) => input({ batchShape: shape, dtype });

function read(value: unknown, make: (listed: Listed) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => read(item, make));
  return isListed(value) ? make(value) : value;
}

const otherNames: Record<string, string> = { keepdims: 'keepDims', M: 'columns' };
const camel = (name: string) =>
  otherNames[name] ?? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function opOf(name: string): AnyOp {
  const [module, op] = name.startsWith('image.') ? [ops.image, name.slice(6)] : [ops, name];
  const found = Object.entries(module).find(([key]) => foldName(key) === foldName(op));
  if (!found) throw new Error(`no op ${name}`);
  return found[1] as AnyOp;
}

function results([name, args, options]: Call, make: (listed: Listed) => unknown): Tensor[] {
  const named = Object.entries(options).map(([key, value]) => [camel(key), read(value, make)]);
  const given = named.length > 0 ? [Object.fromEntries(named)] : [];
  return [opOf(name)(...args.map((arg) => read(arg, make)), ...given)].flat();
}

function requireClose(found: ArrayLike<number>, wanted: Listed): void {
  const expected = wanted.values.map(numberOf);
  const largest = Math.max(1, ...expected.filter((value) => Number.isFinite(value)).map(Math.abs));
  for (const [i, value] of expected.entries()) {
    if (Number.isFinite(value)) expect(Math.abs((found[i] as number) - value)).toBeLessThan(1e-5 * largest);
    else expect(found[i]).toBe(value);
  }
}

const calls = fixture.calls as unknown as Call[];

test.each([...new Set(calls.map(([name]) => name))])('%s', async (name) => {
  for (const call of calls.filter(([other]) => other === name)) {
    clearSession();
    const found = results(call, isComputed(name) ? tensorOf : symbolOf);
    const label = JSON.stringify(call.slice(1, 3));
    const wanted = call[3];
    expect(
      found.map(({ shape, dtype }) => [[...shape], dtype]),
      label,
    ).toEqual(wanted.map(({ shape, dtype }) => [shape, dtype]));
    if (!isComputed(name)) continue;
    const values = await Promise.all(found.map((x) => x.data()));
    for (const [i, one] of wanted.entries()) requireClose(values[i] as Float32Array, one);
  }
});
