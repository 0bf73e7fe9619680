/** @file Networks of real transformers, with adapters of real PEFT that PyTorch trains, there and back: `npm run test:hub`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradients, init, reshape, type Tensor, tensor } from '../../../src/index.ts';
import { type HostTensor, loadAdapter, readSafetensors, saveAdapter } from '../../../src/io/index.ts';
import { losses, optimizers } from '../../../src/keras/index.ts';
import {
  type CausalLM,
  checkpointModules,
  fromPretrained,
  savePretrained,
  type SequenceClassifier,
  type TokenClassifier,
} from '../../../src/hub/index.ts';
import { Expected, expectClose, logitsOf, statesOf } from '../checkpoints.ts';

const python = process.env.RETROGRAD_HUB_PYTHON ?? '';
const side = fileURLToPath(new URL('./hub_side.py', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hub-'));
const at = (...parts: string[]) => path.join(folder, ...parts);

const networks = ['gpt2', 'llama', 'smollm', 'mistral', 'qwen2', 'qwen3', 'gemma3', 'bert', 'distilbert'];
/** Those of images and sounds. */
const others = ['vit', 'clip', 'whisper'];
const forms = ['float32', 'float32-shards', 'bfloat16', 'bfloat16-shards'];

function runPython(command: 'make' | 'read'): void {
  const { status, stderr } = spawnSync(python, [side, command, folder], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

/** These networks are all of texts. */
type TextNetwork = CausalLM | SequenceClassifier | TokenClassifier;

const crossentropy = losses.sparseCategoricalCrossentropy({ fromLogits: true });

/** A network with the adapter that PEFT has made for it. */
async function adaptedNetwork(
  name: string,
): Promise<{ model: TextNetwork; modules: Awaited<ReturnType<typeof checkpointModules>> }> {
  const model = (await fromPretrained(at(name, 'float32'))) as TextNetwork;
  const modules = await checkpointModules(model);
  await loadAdapter(model, at(name, 'adapter', 'adapter_model.safetensors'), { modules });
  return { model, modules };
}

describe.runIf(python !== '')('of transformers', () => {
  beforeAll(async () => {
    await init();
    runPython('make');
  }, 600_000);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  describe.each(networks)('%s', (name) => {
    test.each(forms)('in %s: logits, hidden states, greedy tokens', async (form) => {
      const expected = new Expected(at(name, form, 'expected.safetensors'));
      const model = await fromPretrained(at(name, form));
      const isPerToken = (expected.values('logits').length / expected.values('ids').length) % 1 === 0;
      const shown = expected.values('mask').map(Boolean);
      await expectClose(
        logitsOf(model, expected),
        expected.values('logits'),
        1e-4,
        isPerToken ? { shown } : {},
      );
      const { hidden: states = [] } = statesOf(model, expected);
      expect(states.length).toBe(expected.names('hidden.').length);
      for (const [i, state] of states.entries())
        await expectClose(state, expected.values(`hidden.${i}`), 1e-4, { shown });
      if (expected.has('generated.0')) {
        const lists = (key: string) => [0, 1].map((i) => expected.values(`${key}.${i}`));
        const made = await (model as CausalLM).generate(lists('prompt'), { maxNewTokens: 12 });
        expect(made).toEqual(lists('generated'));
      }
      model.dispose();
    });

    test('the adapter has PEFT’s gradients', async () => {
      const expected = new Expected(at(name, 'adapter', 'expected.safetensors'));
      const { model, modules } = await adaptedNetwork(name);
      const [ids, labels] = [expected.tensor('ids'), expected.tensor('labels')];
      await expectClose(model.apply(ids), expected.values('logits'), 1e-4);
      const { gradients: found } = gradients(() => {
        const logits = model.apply(ids) as Tensor;
        const rows = reshape(logits, { shape: [-1, logits.shape.at(-1) as number] });
        return crossentropy.call(reshape(labels, { shape: [-1] }), rows);
      }, model.trainableWeights as never);
      // Saved in place of the weights, gradients have the names and layouts of PEFT.
      for (const [i, weight] of model.trainableWeights.entries())
        weight.assign((found as unknown as Tensor[])[i] as Tensor);
      await saveAdapter(model, at(name, 'gradients'), { modules });
      const bytes = fs.readFileSync(at(name, 'gradients', 'adapter_model.safetensors'));
      const { tensors } = readSafetensors(bytes);
      const keys = expected.names('gradient.').map((key) => key.slice('gradient.'.length));
      expect([...tensors.keys()].sort()).toEqual(keys.sort());
      const largest = Math.max(...keys.flatMap((key) => expected.values(`gradient.${key}`)).map(Math.abs));
      for (const key of keys) {
        const { data, shape } = tensors.get(key) as HostTensor;
        // Those of keys without an effect are what rounding leaves.
        const wanted = expected.values(`gradient.${key}`);
        await expectClose(tensor(data, { shape }), wanted, 1e-3, { atLeast: 1e-4 * largest });
      }
      model.dispose();
    });

    test('ten steps of AdamW are on PyTorch’s curve, and what they saved is saved for Python', async () => {
      const expected = new Expected(at(name, 'adapter', 'expected.safetensors'));
      const { model, modules } = await adaptedNetwork(name);
      const [ids, labels] = [expected.tensor('ids'), expected.tensor('labels')];
      const optimizer = optimizers.adamW({ learningRate: 0.01, weightDecay: 0.01, epsilon: 1e-12 });
      model.compile({ optimizer, loss: crossentropy });
      const wanted = expected.values('losses');
      const { history } = await model.fit(ids, labels, { epochs: wanted.length, shuffle: false, verbose: 0 });
      for (const [i, loss] of (history.loss as number[]).entries())
        expect(Math.abs(loss / (wanted[i] as number) - 1)).toBeLessThan(1e-4);
      await expectClose(model.apply(ids), expected.values('learned'), 1e-3);
      await saveAdapter(model, at(name, 'saved-adapter'), { modules });
      await savePretrained(model, at(name, 'saved'));
      model.dispose();
    });
  });

  describe.each(others)('%s', (name) => {
    test.each(forms)('in %s: logits, features after each layer, and saved again', async (form) => {
      const expected = new Expected(at(name, form, 'expected.safetensors'));
      const model = await fromPretrained(at(name, form));
      await expectClose(logitsOf(model, expected), expected.values('logits'), 1e-4);
      for (const [tower, states] of Object.entries(statesOf(model, expected))) {
        expect(states.length).toBe(expected.names(`${tower}.`).length);
        const shown = tower === 'text' && expected.has('mask') ? expected.values('mask').map(Boolean) : null;
        for (const [i, state] of states.entries())
          await expectClose(state, expected.values(`${tower}.${i}`), 1e-4, { shown });
      }
      if (form === 'float32') await savePretrained(model, at(name, 'saved'));
      model.dispose();
    });
  });

  test('Python computes the same with what was saved here', async () => {
    runPython('read');
    for (const name of networks) {
      const read = new Expected(at(name, 'read.safetensors'));
      const model = (await fromPretrained(at(name, 'saved'))) as TextNetwork;
      const logits = model.apply(tensor([[5, 9, 14, 20, 27]], { dtype: 'int32' }));
      await expectClose(logits, read.values('merged'), 1e-4);
      await expectClose(logits, read.values('adapted'), 1e-4);
      model.dispose();
    }
    for (const name of others) {
      const expected = new Expected(at(name, 'float32', 'expected.safetensors'));
      const read = new Expected(at(name, 'read.safetensors'));
      const logits = read.tensor('logits');
      await expectClose(logits, expected.values('logits'), 1e-6);
    }
  });
});
