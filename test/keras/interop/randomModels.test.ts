/**
 * @file Random models of Keras on TensorFlow (random_models.py): outputs, two training steps, their logs and all weights.
 * `npm run test:keras`. RETROGRAD_RANDOM_MODELS is a folder of models that were made before, or `first,count` of the seeds.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';
import { difference, only, type RandomCase, tensorOf } from './randomCases.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const given = process.env.RETROGRAD_RANDOM_MODELS ?? '0,40';
const script = fileURLToPath(new URL('./random_models.py', import.meta.url));

function made(): string {
  if (fs.existsSync(given)) return given;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'random-'));
  const { status, stderr } = spawnSync(python as string, [script, folder, ...given.split(',')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
  return folder;
}

async function differences(folder: string, one: RandomCase): Promise<string[]> {
  clearSession();
  const found: string[] = [];
  const note = (what: string, value: number, tolerance: number) => {
    if (!(value <= tolerance)) found.push(`${what} differ by ${value.toPrecision(2)}`);
  };
  const net = await loadModel(fs.readFileSync(path.join(folder, `${one.seed}.keras`)));
  const x = only(one.inputs.map(tensorOf));
  const y = only(one.targets.map(tensorOf));
  const outputs = [net.apply(x)].flat() as unknown[] as Tensor[];
  for (const [i, wanted] of one.outputs.entries())
    note(`outputs ${i}`, difference(await (outputs[i] as Tensor).data(), wanted.data), 2e-4);
  const sampleWeight = one.sampleWeight ? tensor([...one.sampleWeight]) : undefined;
  for (const [step, wanted] of one.logs.entries()) {
    const logs = (await net.trainOnBatch(x, y, { sampleWeight } as never)) as Record<string, number>;
    const values = Object.values(logs).map(Number);
    note(`logs of step ${step} (${JSON.stringify(logs)})`, difference(values, Object.values(wanted)), 1e-3);
  }
  for (const [i, weight] of net.weights.entries())
    note(`weights ${weight.path}`, difference(await weight.data(), one.weights[i] ?? []), 2e-3);
  net.dispose();
  return found;
}

describe.skipIf(!python && !fs.existsSync(given))('a random model', () => {
  beforeAll(async () => {
    await init();
  });

  test('computes and trains as in Keras', async () => {
    const folder = made();
    const lines = fs.readFileSync(path.join(folder, 'cases.jsonl'), 'utf8').trim().split('\n');
    const from = Number(process.env.RETROGRAD_RANDOM_FROM ?? 0);
    const failed: string[] = [];
    for (const one of lines.map((line) => JSON.parse(line) as RandomCase)) {
      if (one.seed < from) continue;
      const found = await differences(folder, one).catch((error: unknown) => [String(error)]);
      if (found.length > 0)
        failed.push(
          `seed ${one.seed}, ${one.optimizer.name}: ${one.layers.join(' ')}\n  ${found.slice(0, 4).join('\n  ')}`,
        );
    }
    expect(failed, failed.join('\n')).toEqual([]);
  }, 3_000_000);
});
