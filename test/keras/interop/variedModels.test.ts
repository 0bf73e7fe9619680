/**
 * @file Many kinds of models created by Keras: read here, compared key by key and bit by bit, written, and compared again by
 * Keras. `npm run test:keras`; without Python, the fixtures of test/keras/json cover it.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor, type Variable } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { ZipArchive } from '../../../src/formats/zip/index.ts';
import { differences } from './differences.ts';
import { registerOddClasses } from './oddClasses.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'varied-'));
const script = fileURLToPath(new URL('./varied_models.py', import.meta.url));
const [odd, rare] = ['./odd_models.py', './rare_models.py'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string];
const names = [odd, rare, script].flatMap((file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^@case\ndef (\w+)/gm)].map(([, name]) => name as string),
);

interface Packed {
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly data: string;
}

interface Case {
  readonly config: unknown;
  readonly summary: string;
  readonly weights: readonly Packed[];
  readonly inputs: readonly Packed[];
  readonly outputs: readonly Packed[];
}

const read = (name: string) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));

function inKeras(what: 'make' | 'check') {
  const { status, stderr } = spawnSync(python as string, [script, what, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
}

const arrays = {
  float32: Float32Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
  int16: Int16Array,
  bool: Uint8Array,
} as const;

function unpacked({ dtype, data }: Packed): ArrayLike<number | bigint> & ArrayBufferView<ArrayBuffer> {
  const { buffer, byteOffset, length } = Buffer.from(data, 'base64');
  return new arrays[dtype as keyof typeof arrays](buffer.slice(byteOffset, byteOffset + length));
}

function inputOf(packed: Packed): Tensor {
  const dtype = /^u?int(8|16|64)$/.test(packed.dtype) ? 'int32' : packed.dtype;
  return tensor(Array.from(unpacked(packed), Number), { shape: packed.shape, dtype } as never);
}

/** Returns the tensors of a structure, in Keras's order: that of sorted keys. */
function flat(value: unknown): Tensor[] {
  if (Array.isArray(value)) return value.flatMap(flat);
  if ((value as Tensor).data !== undefined) return [value as Tensor];
  const record = value as Record<string, unknown>;
  return Object.keys(record)
    .sort()
    .flatMap((key) => flat(record[key]));
}

/** Weights that aren't the same, bit by bit. */
async function otherWeights(weights: readonly Variable[], expected: readonly Packed[]): Promise<string[]> {
  // Outer layers may be part of the weights' paths.
  const ends = [weights, expected].map((list) => list.map(({ path }) => path.split('/').slice(-2).join('/')));
  if (ends[0]?.join() !== ends[1]?.join()) return [`weights ${ends[0]}, not ${ends[1]}`];
  const isSame = await Promise.all(
    weights.map(async (weight, i) => {
      const values = (await weight.data()).slice();
      const wanted = unpacked(expected[i] as Packed);
      return Buffer.from(values.buffer).equals(Buffer.from(wanted.buffer));
    }),
  );
  return expected.filter((_, i) => !isSame[i]).map(({ path }) => `weight ${path}`);
}

/** Returns the inputs in the structure of the model's inputs. */
function given(net: AnyModel, inputs: readonly Tensor[]): never {
  const queue = [...inputs];
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof (value as { dtype?: unknown }).dtype === 'string') return queue.shift();
    const record = value as Record<string, unknown>;
    return Object.fromEntries(
      Object.keys(record)
        .sort()
        .map((key) => [key, fill(record[key])]),
    );
  };
  return fill((net as unknown as { input: unknown }).input) as never;
}

/**
 * Outputs that differ by more than 1e-5 from Keras's (relatively, where they are large), or by 1e-3 where layers round to
 * float16.
 */
async function otherOutputs(net: AnyModel, { config, inputs, outputs }: Case): Promise<string[]> {
  const tolerance = /"(mixed_)?float16"/.test(JSON.stringify(config)) ? 1e-3 : 1e-5;
  const found = flat(net.apply(given(net, inputs.map(inputOf)), { training: false }));
  const shapes = [found, outputs].map((list) => list.map(({ shape }) => `[${shape}]`).join());
  if (shapes[0] !== shapes[1]) return [`outputs of shapes ${shapes[0]}, not ${shapes[1]}`];
  const distances = await Promise.all(
    found.map(async (output, i) => {
      const values = await output.data();
      const wanted = Array.from(unpacked(outputs[i] as Packed));
      return Math.max(
        0,
        ...wanted.map(
          (value, j) => Math.abs(Number(value) - Number(values[j])) / Math.max(1, Math.abs(Number(value))),
        ),
      );
    }),
  );
  return distances.flatMap((max, i) => (max < tolerance ? [] : [`output ${i}, by ${max}`]));
}

async function configIn(file: string): Promise<unknown> {
  const bytes = fs.readFileSync(path.join(folder, file));
  const archive = await openKerasArchive(await ZipArchive.open(bytesSource(bytes, file)));
  return JSON.parse(archive.config);
}

/** How a model in a file differs from Keras's. */
async function problems(file: string, expected: Case): Promise<string[]> {
  const net = await loadModel(path.join(folder, file));
  const options = { lineLength: 80, expandNested: true, showTrainable: true, print: () => {} };
  const found = [
    ...differences(net.summary(options).split('\n'), expected.summary.split('\n'), 'summary'),
    ...(await otherWeights(net.weights, expected.weights)),
    ...(await otherOutputs(net, expected)),
  ];
  net.dispose();
  return found;
}

describe.runIf(python)('a model of Keras', () => {
  let checked: Record<string, unknown>;
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    await init();
    registerOddClasses();
    inKeras('make');
    for (const name of names) {
      clearSession();
      try {
        const net = await loadModel(path.join(folder, `${name}.keras`));
        await net.save(path.join(folder, `${name}.saved.keras`));
        net.dispose();
      } catch (error) {
        failures.set(name, error);
      }
    }
    inKeras('check');
    checked = read('check.json');
  }, 1_200_000);
  beforeEach(clearSession);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test.each(names)('%s', { timeout: 60_000 }, async (name) => {
    expect(read('make.json')[name]).toBeNull();
    if (failures.has(name)) throw failures.get(name);
    const expected: Case = read(`${name}.json`);
    expect(await problems(`${name}.keras`, expected)).toEqual([]);
    expect(await problems(`${name}.saved.keras`, expected)).toEqual([]);
    expect(differences(await configIn(`${name}.saved.keras`), expected.config)).toEqual([]);
    expect(checked[name]).toEqual({});
  });
});
