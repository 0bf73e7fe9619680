/** @file Adapters of PEFT for pretrained networks: loaded, saved to the same bits, trained, and added to what is saved. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { init, tensor } from '../../src/index.ts';
import { FilesTarget, loadAdapter, readSafetensors, saveAdapter } from '../../src/io/index.ts';
import { losses, optimizers } from '../../src/keras/index.ts';
import { checkpointModules, fromPretrained, loadTokenizer, savePretrained } from '../../src/hub/index.ts';
import { Expected, expectClose, folderOf, logitsOf } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const tensorsIn = (bytes: Uint8Array | ArrayBuffer) => readSafetensors(bytes as Uint8Array).tensors;

describe.each(['gpt2', 'qwen2', 'bert', 'vit'])('an adapter of %s', (name) => {
  const folder = folderOf(`adapters/${name}`);

  test('computes what it does in PEFT, and is saved to the same bits', async () => {
    const expected = new Expected(name);
    const model = await fromPretrained(folderOf(name));
    const modules = await checkpointModules(model);
    const weights = path.join(folder, 'adapter_model.safetensors');
    await loadAdapter(model, weights, { modules });
    const wanted = new Expected(`adapters/${name}`).values('logits');
    const perToken = expected.has('ids') && wanted.length % expected.values('ids').length === 0;
    const shown = perToken ? expected.values('mask').map(Boolean) : null;
    await expectClose(logitsOf(model, expected), wanted, 1e-4, { shown });
    const saved = new FilesTarget();
    await saveAdapter(model, saved, { modules });
    const file = saved.files.find((one) => one.name === 'adapter_model.safetensors') as File;
    const before = tensorsIn(fs.readFileSync(weights));
    const after = tensorsIn(await file.arrayBuffer());
    expect(new Map([...after].sort())).toEqual(new Map([...before].sort()));
    model.dispose();
  });
});

test.each(['qwen2', 'gemma3'])(
  'a norm of %s that is trained as a whole is in the file of its adapter',
  async (name) => {
    const model = await fromPretrained(folderOf(name), { dtype: 'float32' });
    await model.enableLora({ rank: 1, alsoTrain: 'layer_norm' });
    const modules = await checkpointModules(model);
    const [norm] = model.trainableWeights.filter(({ path }) => path.endsWith('scale'));
    norm?.assign(tensor(new Float32Array(norm.size).fill(3), { shape: norm.shape }));
    const saved = new FilesTarget();
    await saveAdapter(model, saved, { modules });
    const file = saved.files.find((one) => one.name === 'adapter_model.safetensors') as File;
    const { data } = tensorsIn(await file.arrayBuffer()).get('base_model.model.model.norm.weight') ?? {};
    expect(data).toEqual(new Float32Array(24).fill(3));
    const other = await fromPretrained(folderOf(name), { dtype: 'float32' });
    await loadAdapter(other, saved.files, { modules: await checkpointModules(other) });
    const expected = new Expected(name);
    expect(await logitsOf(other, expected).data()).toEqual(await logitsOf(model, expected).data());
    model.dispose();
    other.dispose();
  },
);

test('a network with a trained adapter is saved as the sum', async () => {
  const net = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
  net.enableLora({ rank: 2 });
  const tokens = tensor([[5, 9, 14, 20]], { dtype: 'int32' });
  const next = tensor([[9, 14, 20, 27]], { dtype: 'int32' });
  const loss = losses.sparseCategoricalCrossentropy({ fromLogits: true });
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.05 }), loss });
  const { history } = await net.fit(tokens, next, { epochs: 8, verbose: 0 });
  const curve = history.loss as number[];
  expect(curve.at(-1)).toBeLessThan((curve[0] as number) / 2);
  const saved = new FilesTarget();
  await savePretrained(net, saved);
  const again = await fromPretrained(saved.files, { task: 'causalLM' });
  await expectClose(again.apply(tokens), [...(await net.apply(tokens).data())], 1e-5);
  net.dispose();
  again.dispose();
});

test('a tokenizer is made of its files, by the class that is passed', async () => {
  const file = (name: string, content: object) => new File([JSON.stringify(content)], name);
  class Tokenizer {
    readonly given: readonly object[];
    constructor(...given: [object, object]) {
      this.given = given;
    }
  }
  const content = { model: { type: 'BPE', vocab: {}, merges: [] } };
  const description = file('tokenizer.json', content);
  const config = file('tokenizer_config.json', { eos_token: '</s>' });
  const both = await loadTokenizer([description, config], Tokenizer);
  expect(both.given).toEqual([content, { eos_token: '</s>' }]);
  const alone = await loadTokenizer({ 'tokenizer.json': description }, Tokenizer);
  expect(alone.given[1]).toEqual({});
  await expect(loadTokenizer([config], Tokenizer)).rejects.toThrow(/tokenizer\.json/);
  await expect(loadTokenizer([description], {} as never)).rejects.toThrow(/@huggingface\/tokenizers/);
});
