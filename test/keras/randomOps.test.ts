/**
 * @file Random calls of keras.ops next to Keras on JAX (test/fixtures/keras/random_ops.py): shapes, dtypes and values. RETROGRAD_RANDOM_OPS
 * is `first,count` of other seeds, for which the Python of `npm run test:keras` is called.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { foldName } from '../../src/core/suggest.ts';
import { type DType, enableFloat16, init, type Tensor, tensor, tidy } from '../../src/index.ts';
import { ops } from '../../src/keras/index.ts';

interface Listed {
  readonly shape: number[];
  readonly dtype: DType;
  readonly values: (number | string)[];
}
type Call = [seed: number, op: string, args: unknown[], options: Record<string, unknown>, results: Listed[]];
type AnyOp = (...args: unknown[]) => Tensor | Tensor[];

beforeAll(async () => {
  await init();
  enableFloat16();
});

function made(): Call[] {
  const given = process.env.RETROGRAD_RANDOM_OPS;
  const folder = new URL('../fixtures/keras/', import.meta.url);
  if (!given) return JSON.parse(fs.readFileSync(new URL('random_ops.json', folder), 'utf8')) as Call[];
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'ops-')), 'calls.json');
  const script = fileURLToPath(new URL('random_ops.py', folder));
  const python = process.env.RETROGRAD_KERAS_PYTHON as string;
  const { status, stderr } = spawnSync(python, [script, ...given.split(','), file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Call[];
}

const isListed = (value: unknown): value is Listed =>
  typeof value === 'object' && value !== null && 'values' in value;
/** NaN and infinities are strings in JSON. */
const numberOf = (value: number | string) => Number(String(value).replace('inf', 'Infinity'));
const tensorOf = ({ values, shape, dtype }: Listed) => tensor(values.map(numberOf), { shape, dtype });

function read(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(read);
  return isListed(value) ? tensorOf(value) : value;
}

const otherNames: Record<string, string> = { keepdims: 'keepDims' };
const camel = (name: string) =>
  otherNames[name] ?? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const functions = new Map(Object.entries(ops).map(([name, fn]) => [foldName(name), fn as unknown as AnyOp]));

function called([, name, args, options]: Call): Tensor[] {
  const op = functions.get(foldName(name));
  if (!op) throw new Error(`there is no op ${name}`);
  const named = Object.entries(options).map(([key, value]) => [camel(key), read(value)]);
  const given = named.length > 0 ? [Object.fromEntries(named)] : [];
  return [op(...args.map(read), ...given)].flat();
}

/** Returns how the results differ from Keras's; null if they don't. */
async function difference(call: Call): Promise<string | null> {
  const [, , , , wanted] = call;
  const found = tidy(() => called(call));
  const specs = (list: readonly { shape: readonly number[]; dtype: string }[]) =>
    list.map(({ shape, dtype }) => `${dtype}[${shape}]`).join(' ');
  if (specs(found) !== specs(wanted)) return `${specs(found)}, not ${specs(wanted)}`;
  for (const [i, { values, dtype }] of wanted.entries()) {
    const numbers = [...((await (found[i] as Tensor).data()) as Iterable<number>)];
    const expected = values.map(numberOf);
    const largest = Math.max(1, ...expected.filter(Number.isFinite).map(Math.abs));
    // Half of the last bit of float16 is 2^-11; ops of several steps round more than once in JAX.
    const limit = (dtype === 'float16' ? 4e-3 : 2e-5) * largest;
    const at = expected.findIndex((value, j) =>
      Number.isFinite(value)
        ? !(Math.abs((numbers[j] as number) - value) <= limit)
        : !Object.is(numbers[j], value),
    );
    if (at >= 0) return `[${at}] is ${numbers[at]}, not ${expected[at]}`;
  }
  for (const x of found) x.dispose();
  return null;
}

test('random calls of ops return what they return in Keras', { timeout: 600_000 }, async () => {
  const failed: string[] = [];
  const calls = made();
  for (const call of calls) {
    const found = await difference(call).catch((error: unknown) =>
      String(error).split('\n').slice(0, 3).join(' '),
    );
    if (found) failed.push(`${JSON.stringify(call.slice(0, 4)).slice(0, 300)}\n  ${found}`);
  }
  expect(failed, `${failed.length} of ${calls.length}\n${failed.join('\n')}`).toEqual([]);
});
