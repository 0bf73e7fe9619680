/** @file Networks of random configurations next to transformers and PEFT: `npm run test:hub`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradients, init, mul, slice, sum, type Tensor, tensor } from '../../../src/index.ts';
import { type HostTensor, loadAdapter, readSafetensors, saveAdapter } from '../../../src/io/index.ts';
import { AudioToText, checkpointModules, fromPretrained, savePretrained } from '../../../src/hub/index.ts';
import { Expected, expectClose, logitsOf, statesOf } from '../checkpoints.ts';

const python = process.env.RETROGRAD_HUB_PYTHON ?? '';
const side = fileURLToPath(new URL('./random_side.py', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hub-random-'));
const count = Number(process.env.RETROGRAD_HUB_NETWORKS ?? 15);
const first = Number(process.env.RETROGRAD_HUB_SEED ?? 1);
const families = ['bert', 'distilbert', 'vit', 'clip', 'whisper'];
const names = Array.from({ length: count }, (_, i) => `${families[i % families.length]}-${first + i}`);

function runPython(...args: string[]): void {
  const { status, stderr } = spawnSync(python, [side, ...args], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

/** Texts without the token that ends them. */
const withoutEnd = (texts: readonly (readonly number[])[]) =>
  texts.map((text) => text.filter((token) => token !== 40));

async function expectSpeech(net: AudioToText, expected: Expected): Promise<void> {
  const long = expected.tensor('long');
  const [, , bands] = long.shape as [number, number, number];
  const window = net.backbone.encoder.maxSequenceLength;
  const tokens = (name: string, n: number) =>
    Array.from({ length: n }, (_, i) => expected.values(`speech.${name}.tokens.${i}`));
  const short = slice(long, { begin: [0, 0, 0], size: [2, window, bands] });
  const begin = (net.speech.noTimestamps ?? 0) + 1;
  const { inputDim } = net.backbone.decoder.tokenEmbedding;
  const suppressTokens = Array.from({ length: inputDim - begin }, (_, i) => begin + i);
  const plain = await net.transcribe(short, { language: 'fr', suppressTokens });
  expect(withoutEnd(plain)).toEqual(tokens('plain', 2));
  const one = slice(long, { begin: [0, 0, 0], size: [1, -1, -1] });
  for (const [name, sounds, options] of [
    ['long', one, {}],
    ['batch', long, { frameCounts: expected.values('long.counts'), language: 'en', task: 'translate' }],
    ['previous', one, { conditionOnPreviousText: true, language: 'en' }],
    ['searched', one, { numBeams: 2, language: 'en' }],
  ] as const) {
    const parts = await net.transcribeSegments(sounds, options);
    expect(
      parts.map((segments) => segments.flatMap((part) => part.tokens)),
      name,
    ).toEqual(tokens(name, parts.length));
    for (const [i, segments] of parts.entries()) {
      const times = segments.flatMap(({ start, end }) => [start, end]);
      const wanted = expected.values(`speech.${name}.times.${i}`);
      expect(times.length).toBe(wanted.length);
      for (const [j, time] of wanted.entries()) expect(times[j]).toBeCloseTo(time, 5);
    }
  }
}

describe.runIf(python !== '')('random networks', () => {
  beforeAll(async () => {
    await init();
    runPython('make', folder, String(count), String(first));
  }, 1_200_000);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  describe.each(names)('%s', (name) => {
    const at = (...parts: string[]) => path.join(folder, name, ...parts);

    test('logits, features after each layer, texts of sounds; saved again', async () => {
      const expected = new Expected(at('expected.safetensors'));
      const model = await fromPretrained(at());
      const shown = expected.has('mask') ? expected.values('mask').map(Boolean) : null;
      const isPerToken =
        expected.has('ids') && expected.values('logits').length % expected.values('ids').length === 0;
      const ofTexts = !expected.has('pixels') && isPerToken ? { shown } : {};
      await expectClose(logitsOf(model, expected), expected.values('logits'), 1e-4, ofTexts);
      for (const [tower, states] of Object.entries(statesOf(model, expected))) {
        expect(states.length).toBe(expected.names(`${tower}.`).length);
        const isText = tower === 'text' || !expected.has('pixels');
        const isMasked = isText && !(tower === 'hidden' && expected.has('frames'));
        for (const [i, state] of states.entries())
          await expectClose(state, expected.values(`${tower}.${i}`), 1e-4, isMasked ? { shown } : {});
      }
      if (model instanceof AudioToText) await expectSpeech(model, expected);
      await savePretrained(model, at('saved'));
      model.dispose();
    });

    test('the adapter has PEFT’s logits and gradients, and is saved for it', async () => {
      const expected = new Expected(at('adapter', 'expected.safetensors'));
      const given = new Expected(at('expected.safetensors'));
      const model = await fromPretrained(at(), { dtype: 'float32' });
      const modules = await checkpointModules(model);
      await loadAdapter(model, at('adapter', 'adapter_model.safetensors'), { modules });
      const { length } = given.has('ids') ? given.values('ids') : [];
      const isPerToken = !given.has('pixels') && expected.values('logits').length % Number(length) === 0;
      const shown = given.has('mask') && isPerToken ? given.values('mask').map(Boolean) : null;
      await expectClose(logitsOf(model, given), expected.values('logits'), 1e-4, { shown });
      await saveAdapter(model, at('saved-adapter'), { modules });
      const weights = expected.tensor('weights');
      const trained = model.trainableWeights;
      const { gradients: found } = gradients(
        () => sum(mul(logitsOf(model, given), weights)),
        trained as unknown as Tensor[],
      );
      // Saved in place of the weights, gradients have the names and layouts of PEFT.
      for (const [i, weight] of trained.entries()) {
        const gradient = (found as unknown as (Tensor | null)[])[i];
        weight.assign(gradient ?? tensor(new Float32Array(weight.size), { shape: weight.shape }));
      }
      await saveAdapter(model, at('gradients'), { modules });
      const { tensors } = readSafetensors(fs.readFileSync(at('gradients', 'adapter_model.safetensors')));
      const keys = expected.names('gradient.').map((key) => key.slice('gradient.'.length));
      const largest = Math.max(...keys.flatMap((key) => expected.values(`gradient.${key}`)).map(Math.abs));
      const missing = keys.filter((key) => !tensors.has(key));
      expect(missing).toEqual([]);
      for (const key of keys) {
        const { data, shape } = tensors.get(key) as HostTensor;
        // Those of keys without an effect are what rounding leaves.
        const wanted = expected.values(`gradient.${key}`);
        await expectClose(tensor(data, { shape }), wanted, 1e-3, { atLeast: 1e-4 * largest });
      }
      model.dispose();
    });
  });

  test('transformers opens what was saved, with the same bits and fields', () => {
    runPython('read', folder);
    const faults = JSON.parse(fs.readFileSync(path.join(folder, 'read.json'), 'utf8'));
    expect(faults).toEqual(Object.fromEntries(names.map((name) => [name, []])));
  }, 600_000);
});
