/**
 * @file Random models of more kinds than those of randomModels.test.ts (wide_models.py): outputs, two training steps, and what
 * Keras finds in the files that are saved here before and after them. `npm run test:keras`. RETROGRAD_WIDE_MODELS is a folder
 * of models that were made before, or `first,count` of the seeds.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, Tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';
import { difference, only, type RandomCase, tensorOf } from './randomCases.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const given = process.env.RETROGRAD_WIDE_MODELS ?? '0,40';
const script = fileURLToPath(new URL('./wide_models.py', import.meta.url));

interface WideCase extends RandomCase {
  readonly kind: string;
  readonly policies: readonly string[];
  readonly inputNames: readonly string[] | null;
  readonly outputNames: readonly string[] | null;
}

function inKeras(...args: string[]) {
  const { status, stderr } = spawnSync(python as string, [script, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
}

function made(): string {
  if (fs.existsSync(given)) return given;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wide-'));
  inKeras('make', folder, ...given.split(','));
  return folder;
}

/** Returns the values of a record in the order of its keys, as Keras flattens it. */
const flat = (value: unknown): Tensor[] =>
  value instanceof Tensor
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(flat)
      : Object.keys(value as object)
          .sort()
          .flatMap((key) => flat((value as Record<string, unknown>)[key]));

const named = <T>(names: readonly string[] | null, list: readonly T[]): never =>
  names ? (Object.fromEntries(names.map((name, i) => [name, list[i]])) as never) : only(list);

/** Layers of mixed precision round to float16. */
const isRounded = ({ policies }: WideCase) => policies.includes('mixed_float16');
/** Layers of int8 and float8 round inputs, which are others by rounding, too. */
const isQuantized = ({ policies }: WideCase) => policies.some((name) => /int|float8/.test(name));

async function differences(folder: string, one: WideCase): Promise<string[]> {
  clearSession();
  const found: string[] = [];
  const tolerance = isRounded(one) ? 1e-2 : isQuantized(one) ? 1e-3 : 2e-4;
  const note = (what: string, value: number, limit: number) => {
    if (!(value <= limit)) found.push(`${what} differ by ${value.toPrecision(2)}`);
  };
  const at = (end: string) => path.join(folder, `${one.seed}.${end}`);
  const net = await loadModel(fs.readFileSync(at('keras')));
  const x = named(one.inputNames, one.inputs.map(tensorOf));
  const y = named(one.outputNames, one.targets.map(tensorOf));
  for (const [i, wanted] of one.outputs.entries()) {
    const output = flat(net.apply(x, { training: false }))[i] as Tensor;
    note(`outputs ${i}`, difference(await output.data(), wanted.data), tolerance);
  }
  await net.save(at('saved.keras'));
  await net.saveWeights(at('weights.h5'));
  // Shards of 400 bytes: a layer has several, and a weight may be larger than one.
  await net.saveWeights(at('weights.json'), { maxShardSize: 400 / 2 ** 30 });
  const steps = [];
  for (const [step, wanted] of one.logs.entries()) {
    const logs = (await net.trainOnBatch(x, y)) as Record<string, number>;
    const values = Object.values(logs).map(Number);
    note(
      `logs of step ${step} (${JSON.stringify(logs)})`,
      difference(values, Object.values(wanted)),
      5 * tolerance,
    );
    const names = [logs, wanted].map((record) => Object.keys(record).join());
    if (names[0] !== names[1]) found.push(`logs ${names[0]}, not ${names[1]}`);
  }
  for (const [i, weight] of (one.weights ? net.weights : []).entries())
    note(`weights ${weight.path}`, difference(await weight.data(), one.weights[i] ?? []), 10 * tolerance);
  await net.save(at('trained.keras'));
  const outputs = [];
  for (const output of flat(net.apply(x, { training: false })))
    outputs.push({ shape: output.shape, data: Array.from(await output.data()) });
  if (one.logs.length > 0) {
    net.resetMetrics?.();
    const logs = (await net.trainOnBatch(x, y)) as Record<string, number>;
    steps.push(Number(Object.values(logs)[0]));
  }
  fs.writeFileSync(at('trained.json'), JSON.stringify({ outputs, logs: steps }));
  net.dispose();
  return found;
}

const linesOf = (file: string) =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe.skipIf(!python)('a random model of many kinds', () => {
  beforeAll(async () => {
    await init();
  });

  test('computes and trains as in Keras, which reads it again', async () => {
    const folder = made();
    const cases = linesOf(path.join(folder, 'cases.jsonl')) as WideCase[];
    const from = Number(process.env.RETROGRAD_RANDOM_FROM ?? 0);
    const failed: string[] = [];
    const name = ({ seed, kind, optimizer, layers }: WideCase) =>
      `seed ${seed}, ${kind}, ${optimizer.name}: ${layers.join(' ')}`;
    for (const one of cases) {
      if (one.seed < from) continue;
      const found = await differences(folder, one).catch((error: unknown) => [
        process.env.RETROGRAD_TRACE ? (error as Error).stack : String(error),
      ]);
      if (found.length > 0) failed.push(`${name(one)}\n  ${found.slice(0, 4).join('\n  ')}`);
    }
    inKeras('check', folder);
    const checks = linesOf(path.join(folder, 'checks.jsonl')) as Record<string, unknown>[];
    for (const { seed, ...found } of checks)
      if (Object.keys(found).length > 0)
        failed.push(
          `${name(cases.find((one) => one.seed === seed) as WideCase)}\n  in Keras: ${JSON.stringify(found)}`,
        );
    expect(failed, failed.join('\n')).toEqual([]);
  }, 3_000_000);
});
