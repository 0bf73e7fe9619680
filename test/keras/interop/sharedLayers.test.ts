/**
 * @file Layers that a model has in several places, with real Keras, both ways. `npm run test:keras`;
 * test/keras/saving/sharedLayers.test.ts covers it without Python.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'shared-'));
const script = fileURLToPath(new URL('./shared_layers.py', import.meta.url));
const names = [...fs.readFileSync(script, 'utf8').matchAll(/^@case\ndef (\w+)/gm)].map(
  ([, name]) => name as string,
);

interface Packed {
  readonly shape: number[];
  readonly data: number[];
}

interface Case {
  readonly weights: number;
  readonly inputs: readonly Packed[];
  readonly outputs: readonly Packed[];
}

const at = (name: string) => path.join(folder, name);
const read = (name: string) => JSON.parse(fs.readFileSync(at(name), 'utf8'));

function inKeras(what: 'make' | 'check') {
  const { status, stderr } = spawnSync(python as string, [script, what, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
}

describe.runIf(python)('layers in several places', () => {
  let found: Record<string, { error?: string; weights: number; difference: number }>;
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    await init();
    inKeras('make');
    for (const name of names) {
      clearSession();
      try {
        const net = await loadModel(at(`${name}.keras`));
        await net.save(at(`${name}.saved.keras`));
        net.dispose();
      } catch (error) {
        failures.set(name, error);
      }
    }
    inKeras('check');
    found = read('check.json');
  }, 600_000);
  beforeEach(clearSession);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test.each(names)('%s', async (name) => {
    expect(read('make.json')[name]).toBeNull();
    if (failures.has(name)) throw failures.get(name);
    const { weights, inputs, outputs }: Case = read(`${name}.json`);
    for (const file of [`${name}.keras`, `${name}.saved.keras`]) {
      const net = await loadModel(at(file));
      expect(net.weights.length).toBe(weights);
      const given = inputs.map(({ data, shape }) => tensor(data, { shape }));
      const computed = [(net.apply as (x: unknown) => Tensor)(given.length === 1 ? given[0] : given)].flat();
      for (const [i, output] of computed.entries())
        for (const [j, value] of (await output.data()).entries())
          expect(value).toBeCloseTo(outputs[i]?.data[j] as number, 5);
      net.dispose();
    }
    expect(found[name]?.error).toBeUndefined();
    expect(found[name]?.weights).toBe(weights);
    expect(found[name]?.difference).toBeLessThan(1e-5);
  });
});
