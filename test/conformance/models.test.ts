/** @file Faults that the runner of models must detect. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { openDevice } from './cases.ts';
import { checkNames, type ModelFiles, runModel } from './models.ts';

let uncaptured: string[];
beforeAll(async () => {
  uncaptured = await openDevice();
});

function filesOf(name: string): ModelFiles {
  const read = (file: string) => readFileSync(new URL(`../fixtures/models/${name}/${file}`, import.meta.url));
  const bytes = (file: string) => {
    const data = read(file);
    return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
  };
  const text = (file: string) => read(file).toString();
  const trained = name !== 'lambda_model';
  return {
    name,
    config: text('config.json'),
    meta: text('meta.json'),
    io: bytes('io.safetensors'),
    weights: bytes('weights.safetensors'),
    summary: text('summary.txt'),
    train: trained ? text('train.json') : null,
    final: trained ? bytes('final.safetensors') : null,
  };
}

type Changed = Record<string, object>;

/** JSON with one value of it changed. */
function changed(text: string, change: (value: Changed) => void): string {
  const value = JSON.parse(text);
  change(value);
  return JSON.stringify(value);
}

/** Names of the checks that fail. */
async function failures(files: ModelFiles, checks: readonly string[] = checkNames): Promise<string[]> {
  const results = await runModel(files, checks, uncaptured);
  return results.filter(({ faults }) => faults.length > 0).map(({ id }) => id);
}

test('a right model passes', async () => {
  const results = await runModel(filesOf('mlp_classifier'), checkNames, uncaptured);
  expect(results.map(({ id, faults }) => [id, faults])).toEqual(
    ['config', 'structure', 'summary', 'outputs', 'gradients', 'training'].map((id) => [id, []]),
  );
});

test('a model with Python code is rejected, and computed by what it is reported', async () => {
  const results = await runModel(filesOf('lambda_model'), checkNames, uncaptured);
  expect(results.map(({ id, faults }) => [id, faults])).toEqual(
    ['structure', 'summary', 'outputs', 'gradients', 'lambda'].map((id) => [id, []]),
  );
});

test('wrong values are noticed', async () => {
  const files = filesOf('mlp_classifier');
  const other = filesOf('nested').weights;
  expect(await failures({ ...files, weights: other }, ['outputs'])).toEqual(['outputs']);
  expect(await failures({ ...files, weights: files.final as ArrayBuffer }, ['outputs', 'gradients'])).toEqual(
    ['outputs', 'gradients'],
  );
  const tight = changed(files.meta, (meta) => Object.assign(meta, { tolerance: { rtol: 0, atol: 0 } }));
  expect(await failures({ ...files, meta: tight }, ['outputs', 'gradients'])).toEqual([
    'outputs',
    'gradients',
  ]);
});

test('a wrong description is detected', async () => {
  const files = filesOf('mlp_classifier');
  const meta = changed(files.meta, (value) => Object.assign(value, { totalParams: 3 }));
  const summary = (files.summary as string).replace('1,482', '1,483');
  const config = files.config.replace('"use_bias": true', '"use_bias": true, "seed": 1');
  expect(await failures({ ...files, meta, summary }, ['structure', 'summary'])).toEqual([
    'structure',
    'summary',
  ]);
  expect(await failures({ ...files, config }, ['config'])).toEqual(['config']);
});

test('a wrong run is detected', async () => {
  const files = filesOf('fine_tune');
  const train = (change: (value: Changed) => void) => ({
    ...files,
    train: changed(files.train as string, change),
  });
  const wrong = [
    train(({ history }) => Object.assign(history ?? {}, { loss: [1, 1, 1] })),
    train(({ history }) => Object.assign(history ?? {}, { auc: [1, 1, 1] })),
    train(({ evaluate }) => Object.assign(evaluate ?? {}, { loss: 0 })),
    train((value) => Object.assign(value, { unchangedWeights: ['head/kernel'] })),
    { ...files, final: files.weights },
  ];
  for (const run of wrong) expect(await failures(run, ['training'])).toEqual(['training']);
});
