/**
 * @file Random trainings of Keras on TensorFlow (random_trainings.py): histories, hooks, files of callbacks, weights and results of
 * evaluations. `npm run test:keras`. RETROGRAD_RANDOM_TRAININGS is a folder that was made before, or `first,count` of the seeds.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { init } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { callbacks, clearSession, type Model } from '../../../src/keras/index.ts';
import { sinks } from '../../../src/keras/callbacks/index.ts';
import { difference, only, tensorOf, type Values } from './randomCases.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const given = process.env.RETROGRAD_RANDOM_TRAININGS ?? '0,30';
const script = fileURLToPath(new URL('./random_trainings.py', import.meta.url));

type Number_ = number | string;
type Listed = Number_ | readonly Number_[];
type Hook = [name: string, number: number | null, logs: readonly string[]];

interface Training {
  readonly seed: number;
  readonly policy: string;
  readonly optimizer: string;
  readonly stepsPerExecution: number;
  readonly data: 'arrays' | 'tuples' | 'records' | 'dataset';
  readonly fit: Readonly<Record<string, unknown>>;
  readonly batch: number;
  readonly classWeight: Readonly<Record<string, number>> | null;
  readonly callbacks: readonly [name: string, options: Readonly<Record<string, unknown>>][];
  readonly stop: number | null;
  readonly x: readonly Values[];
  readonly y: readonly (Omit<Values, 'data'> & { data: readonly Number_[] })[];
  readonly sampleWeight: Values | null;
  readonly inputNames: readonly string[] | null;
  readonly outputNames: readonly string[] | null;
  readonly history: Readonly<Record<string, readonly Listed[]>>;
  readonly epochs: readonly number[];
  readonly hooks: readonly Hook[];
  readonly files: readonly string[];
  readonly table: readonly (readonly string[])[] | null;
  readonly evaluated: Readonly<Record<string, Listed>>;
  readonly iterations: number;
  readonly rate: number;
  readonly weights: readonly (readonly Number_[])[];
}

function made(): string {
  if (fs.existsSync(given)) return given;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainings-'));
  const { status, stderr } = spawnSync(python as string, [script, folder, ...given.split(',')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
  return folder;
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const inCamel = (options: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value]));
const numbers = (values: Listed | readonly Listed[]): number[] =>
  [values].flat(2).map((value) => Number(value === 'nan' ? Number.NaN : value === 'inf' ? Infinity : value));
const named = <T>(names: readonly string[] | null, list: readonly T[]): never =>
  names ? (Object.fromEntries(names.map((name, i) => [name, list[i]])) as never) : only(list);

/** The difference of values of which both may be NaN. */
function distance(found: readonly number[], wanted: readonly number[]): number {
  if (found.some((value, i) => Number.isNaN(value) !== Number.isNaN(wanted[i] as number))) return Infinity;
  const both = found
    .map((value, i) => [value, wanted[i] as number] as const)
    .filter(([a]) => !Number.isNaN(a));
  const lists = [both.map(([a]) => a), both.map(([, b]) => b)] as const;
  return found.length === wanted.length ? difference(...lists) : Infinity;
}

class Hooks extends callbacks.Callback {
  override readonly readsBatchLogs = true;
  readonly found: Hook[] = [];

  constructor(private readonly stop: number | null) {
    super();
  }
  #note(name: string, number: number | null = null, logs: object = {}) {
    this.found.push([name, number, Object.keys(logs).sort()]);
  }
  override onTrainBegin() {
    this.#note('trainBegin');
  }
  override onTrainEnd(logs: object) {
    this.#note('trainEnd', null, logs);
  }
  override onEpochBegin(epoch: number) {
    this.#note('epochBegin', epoch);
  }
  override onEpochEnd(epoch: number, { learning_rate: _, ...logs }: Record<string, number>) {
    this.#note('epochEnd', epoch, logs);
  }
  override onTrainBatchBegin(batch: number) {
    this.#note('trainBatchBegin', batch);
  }
  override onTrainBatchEnd(batch: number, logs: object) {
    this.#note('trainBatchEnd', batch, logs);
    if (this.stop !== null && this.found.length > this.stop) (this.model as Model).stopTraining = true;
  }
  override onTestBegin() {
    this.#note('testBegin');
  }
  override onTestEnd(logs: object) {
    this.#note('testEnd', null, logs);
  }
  override onTestBatchEnd(batch: number, logs: object) {
    this.#note('testBatchEnd', batch, logs);
  }
}

/** Hooks without those of batches of several steps, and without their numbers and logs. */
function comparable(found: readonly Hook[], one: Training): string[] {
  return found
    .filter(([name]) => one.stepsPerExecution === 1 || !name.includes('Batch'))
    .map(([name, number, logs]) => `${name} ${number ?? ''} ${logs.join()}`);
}

async function differences(folder: string, one: Training): Promise<string[]> {
  clearSession();
  const found: string[] = [];
  const tolerance = one.policy === 'mixed_float16' ? 2e-2 : 1e-3;
  const note = (what: string, value: number, limit = tolerance) => {
    if (!(value <= limit)) found.push(`${what} differ by ${value.toPrecision(2)}`);
  };
  const net = (await loadModel(fs.readFileSync(path.join(folder, `${one.seed}.keras`)))) as Model;
  const rows = (values: Values, from: number, count: number) => {
    const size = values.data.length / (values.shape[0] as number);
    const data = values.data.slice(from * size, (from + count) * size);
    return tensorOf({ ...values, shape: [count, ...values.shape.slice(1)], data });
  };
  const targets = one.y.map((values) => ({ ...values, data: numbers(values.data) }));
  const xOf = (from: number, count: number) =>
    named(
      one.inputNames,
      one.x.map((v) => rows(v, from, count)),
    );
  const yOf = (from: number, count: number) =>
    named(
      one.outputNames,
      targets.map((v) => rows(v, from, count)),
    );
  const samples = one.x[0]?.shape[0] as number;
  const files = sinks.memoryFiles();
  const hooks = new Hooks(one.stop);
  const list = one.callbacks.map(([name, options]) => {
    if (name === 'LearningRateScheduler')
      return callbacks.learningRateScheduler({
        schedule: (epoch: number, rate: number) => (epoch % 2 === 0 ? rate * 0.7 : rate),
      });
    const make = (callbacks as never as Record<string, (options: object) => callbacks.Callback>)[
      name === 'CSVLogger'
        ? 'csvLogger'
        : name === 'ReduceLROnPlateau'
          ? 'reduceLROnPlateau'
          : `${name[0]?.toLowerCase()}${name.slice(1)}`
    ];
    const usesFiles = name === 'CSVLogger' || name === 'ModelCheckpoint';
    return make?.({ ...inCamel(options), ...(usesFiles && { sink: files }) });
  });
  const { validation_data: validation, ...settings } = one.fit;
  const options = {
    ...Object.fromEntries(Object.entries(inCamel(settings)).filter(([, value]) => value !== null)),
    ...(validation !== undefined && { validationData: [xOf(0, one.batch), yOf(0, one.batch)] }),
    ...(one.classWeight && { classWeight: one.classWeight }),
    callbacks: [...list, hooks],
    shuffle: false,
    verbose: 0,
  };
  const weights = one.sampleWeight;
  const isEndless = one.data !== 'dataset';
  function* batches() {
    for (let at = 0; isEndless || at < samples; at = (at + one.batch) % (isEndless ? samples : Infinity)) {
      const [x, y] = [xOf(at, one.batch), yOf(at, one.batch)];
      const sampleWeight = weights && rows(weights, at, one.batch);
      if (one.data === 'records') yield { x, y, ...(sampleWeight && { sampleWeight }) };
      else yield sampleWeight ? [x, y, sampleWeight] : [x, y];
    }
  }
  const x = xOf(0, samples);
  const y = yOf(0, samples);
  const sampleWeight = weights && tensorOf(weights);
  const history =
    one.data === 'arrays'
      ? await net.fit(x, y, { ...options, shuffle: false, ...(sampleWeight && { sampleWeight }) } as never)
      : await net.fit(batches as never, (({ shuffle: _, ...rest }) => rest)(options) as never);
  const keys = [Object.keys(history.history), Object.keys(one.history)].map((names) =>
    names.toSorted().join(),
  );
  if (keys[0] !== keys[1]) found.push(`history ${keys[0]}, not ${keys[1]}`);
  for (const [key, wanted] of Object.entries(one.history))
    note(
      `history ${key} (${history.history[key]}, not ${wanted})`,
      distance(numbers((history.history[key] ?? []) as never), numbers(wanted as never)),
    );
  if (history.epoch.join() !== one.epochs.join()) found.push(`epochs ${history.epoch}, not ${one.epochs}`);
  const called = [comparable(hooks.found, one), comparable(one.hooks, one)] as const;
  const at = called[1].findIndex((hook, i) => hook !== called[0][i]);
  if (at >= 0 || called[0].length !== called[1].length)
    found.push(
      `hook ${at}: ${called[0][at]}, not ${called[1][at]} (${called[0].length}, ${called[1].length})`,
    );
  const names = [...files.files.keys()].toSorted();
  if (names.join() !== one.files.join()) found.push(`files ${names}, not ${one.files}`);
  for (const [i, weight] of net.weights.entries())
    note(
      `weights ${weight.path}`,
      distance(Array.from(await weight.data(), Number), numbers(one.weights[i] ?? [])),
    );
  const optimizer = net.optimizer as {
    iterations: number;
    learningRate: unknown;
    innerOptimizer?: { iterations: number };
  };
  const iterations = optimizer.innerOptimizer?.iterations ?? optimizer.iterations;
  if (iterations !== one.iterations) found.push(`iterations ${iterations}, not ${one.iterations}`);
  const evaluated = (await net.evaluate(x, y, {
    batchSize: one.batch,
    verbose: 0,
    ...(sampleWeight && { sampleWeight }),
  } as never)) as Record<string, number>;
  for (const [key, wanted] of Object.entries(one.evaluated))
    note(`evaluated ${key}`, distance(numbers((evaluated[key] ?? Number.NaN) as never), numbers(wanted)));
  net.dispose();
  return found;
}

describe.skipIf(!python && !fs.existsSync(given))('a random training', () => {
  beforeAll(async () => {
    await init();
  });

  test('is that of Keras', async () => {
    const folder = made();
    const lines = fs.readFileSync(path.join(folder, 'cases.jsonl'), 'utf8').trim().split('\n');
    const failed: string[] = [];
    for (const one of lines.map((line) => JSON.parse(line) as Training)) {
      const found = await differences(folder, one).catch((error: unknown) => [String(error)]);
      const { seed, policy, optimizer, data, stepsPerExecution, fit } = one;
      const settings = JSON.stringify({ policy, optimizer, data, stepsPerExecution, ...fit });
      const names = one.callbacks.map((listed) => JSON.stringify(listed)).join(' ');
      if (found.length > 0)
        failed.push(`seed ${seed}, ${settings} ${names}\n  ${found.slice(0, 5).join('\n  ')}`);
    }
    expect(failed, failed.join('\n')).toEqual([]);
  }, 3_000_000);
});
