/** @file Adapters of PEFT for pretrained networks: loaded, saved to the same bits, trained, and added to what is saved. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, matMul, type Tensor, tensor, type Variable } from '../../src/index.ts';
import {
  BytesTarget,
  FilesTarget,
  type HostTensor,
  loadAdapter,
  loadModel,
  readSafetensors,
  saveAdapter,
  writeSafetensors,
} from '../../src/io/index.ts';
import { losses, optimizers } from '../../src/keras/index.ts';
import { checkpointModules, fromPretrained, loadTokenizer, savePretrained } from '../../src/hub/index.ts';
import { Expected, expectClose, folderOf, logitsOf } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const tensorsIn = (bytes: Uint8Array | ArrayBuffer) => readSafetensors(bytes as Uint8Array).tensors;

describe.each([
  ['gpt2', 'gpt2'],
  ['qwen2', 'qwen2'],
  ['bert', 'bert'],
  ['vit', 'vit'],
  ['gpt2', 'positions'],
  ['bert', 'positions-dora'],
  ['bert-words', 'words'],
  ['distilbert-words', 'words-distil'],
  ['bert-words', 'words-head'],
])('an adapter of %s: %s', (name, adapter) => {
  const folder = folderOf(`adapters/${adapter}`);

  test('computes what it does in PEFT, and is saved to the same bits', async () => {
    const expected = new Expected(name);
    // Modules that are trained as a whole are of float32.
    const model = await fromPretrained(folderOf(name), { dtype: 'float32' });
    const modules = await checkpointModules(model);
    const weights = path.join(folder, 'adapter_model.safetensors');
    await loadAdapter(model, weights, { modules });
    const wanted = new Expected(`adapters/${adapter}`).values('logits');
    const perToken = expected.has('ids') && wanted.length % expected.values('ids').length === 0;
    const shown = perToken ? expected.values('mask').map(Boolean) : null;
    await expectClose(logitsOf(model, expected), wanted, 1e-4, { shown });
    const saved = new FilesTarget();
    await saveAdapter(model, saved, { modules });
    const file = saved.files.find((one) => one.name === 'adapter_model.safetensors') as File;
    // Without what PEFT writes a second time.
    const isCopy = (key: string) =>
      /(predictions\.decoder\.bias|modules_to_save\..*|original_module\..*)$/.test(key);
    const before = [...tensorsIn(fs.readFileSync(weights))].filter(([key]) => !isCopy(key));
    const after = tensorsIn(await file.arrayBuffer());
    expect(new Map([...after].sort())).toEqual(new Map(before.sort()));
    model.dispose();
  });
});

test('an adapter of a ViT with the names of transformers 4 is that of transformers 5', async () => {
  const folder = folderOf('adapters/vit');
  const tensors = tensorsIn(fs.readFileSync(path.join(folder, 'adapter_model.safetensors')));
  const former = [...tensors].map(([name, value]): [string, HostTensor] => [
    name
      .replace('vit.layers.', 'vit.encoder.layer.')
      .replace('attention.q_proj', 'attention.attention.query')
      .replace('attention.o_proj', 'attention.output.dense')
      .replace('mlp.fc1', 'intermediate.dense')
      .replace('mlp.fc2', 'output.dense'),
    value,
  ]);
  expect(former.map(([name]) => name).filter((name) => tensors.has(name))).toEqual([]);
  const config = JSON.parse(fs.readFileSync(path.join(folder, 'adapter_config.json'), 'utf8'));
  const names = ['query', 'attention.output.dense', 'intermediate.dense', 'output.dense'];
  const model = await fromPretrained(folderOf('vit'));
  const modules = await checkpointModules(model);
  const file = writeSafetensors(new Map(former));
  await loadAdapter(model, file, { modules, config: { ...config, target_modules: names } });
  const wanted = new Expected('adapters/vit').values('logits');
  await expectClose(logitsOf(model, new Expected('vit')), wanted, 1e-4);
  const saved = new FilesTarget();
  await saveAdapter(model, saved, { modules });
  const [weights, written] = saved.files as [File, File];
  expect(new Map([...tensorsIn(await weights.arrayBuffer())].sort())).toEqual(new Map([...tensors].sort()));
  expect(JSON.parse(await written.text()).target_modules).toEqual(['fc1', 'fc2', 'o_proj', 'q_proj']);
  model.dispose();
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

/** A folder of PEFT: its configuration and tensors. */
const adapterFiles = (config: object, tensors: Record<string, HostTensor>) => [
  new File([JSON.stringify({ peft_type: 'LORA', r: 1, lora_alpha: 1, ...config })], 'adapter_config.json'),
  new File([writeSafetensors(new Map(Object.entries(tensors)))], 'adapter_model.safetensors'),
];
const matrix = (rows: number, columns: number, seed: number): HostTensor => ({
  shape: [rows, columns],
  dtype: 'float32',
  data: Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(seed + i)),
});
const turned = ({ data, shape: [rows = 0, columns = 0] }: HostTensor): HostTensor => ({
  shape: [columns, rows],
  dtype: 'float32',
  data: Float32Array.from(data, (_, i) => data[(i % rows) * columns + Math.floor(i / rows)] as number),
});

describe('an adapter of the vectors of tokens', () => {
  const wte = 'base_model.model.transformer.wte.lora_embedding_';
  const [a, b] = [matrix(1, 67, 1), matrix(24, 1, 2)];
  const alone = { [`${wte}A`]: a, [`${wte}B`]: b };
  const logits = {
    'base_model.model.lm_head.lora_A.weight': turned(b),
    'base_model.model.lm_head.lora_B.weight': turned(a),
  };
  const config = { target_modules: ['wte'] };
  const tied = { ...config, ensure_weight_tying: true };
  let ids: Tensor;
  beforeAll(() => {
    ids = tensor([[5, 9, 14]], { dtype: 'int32' });
  });
  const load = async (files: File[]) => {
    const net = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    await loadAdapter(net, files, { modules: await checkpointModules(net) });
    return net;
  };

  test('isn’t one of logits that are products with them, as in PEFT', async () => {
    const net = await load(adapterFiles(config, alone));
    const features = net.backbone.apply(ids);
    const wanted = await matMul(features, net.backbone.tokenEmbedding.embeddings as never, {
      transposeB: true,
    }).data();
    await expectClose(net.apply(ids), [...wanted], 1e-6);
    // The sum would be another network.
    await expect(savePretrained(net, new FilesTarget())).rejects.toThrow(/ensure_weight_tying/);
    await expect(net.save(new BytesTarget())).rejects.toThrow(/ensure_weight_tying/);
    await expect(async () => net.mergeLora()).rejects.toThrow(/ensure_weight_tying/);
    const saved = new FilesTarget();
    await saveAdapter(net, saved, { modules: await checkpointModules(net) });
    const file = saved.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
    expect([...tensorsIn(await file.arrayBuffer()).keys()].sort()).toEqual(Object.keys(alone).sort());
    net.dispose();
  });

  test('is one of logits with ensure_weight_tying, which what is made here has', async () => {
    const net = await load(adapterFiles(tied, { ...alone, ...logits }));
    const saved = new FilesTarget();
    await saveAdapter(net, saved, { modules: await checkpointModules(net) });
    const file = saved.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
    expect(Object.fromEntries(tensorsIn(await file.arrayBuffer()))).toEqual({ ...alone, ...logits });
    const own = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    await own.enableLora({ rank: 1, targets: 'token_embedding', layout: 'peft' });
    const [first, second] = own.trainableWeights;
    first?.assign(tensor(turned(a).data, { shape: first.shape }));
    second?.assign(tensor(turned(b).data, { shape: second.shape }));
    expect(await own.apply(ids).data()).toEqual(await net.apply(ids).data());
    const again = new FilesTarget();
    await saveAdapter(own, again, { modules: await checkpointModules(own) });
    const text = await (again.files.find(({ name }) => name === 'adapter_config.json') as File).text();
    expect(JSON.parse(text)).toMatchObject({ ensure_weight_tying: true, target_modules: ['wte'] });
    const written = again.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
    expect(Object.fromEntries(tensorsIn(await written.arrayBuffer()))).toEqual({ ...alone, ...logits });
    net.dispose();
    own.dispose();
  });

  test.each([
    ['an adapter of logits alone', config, logits, /lm_head.*by itself/],
    [
      'another one of logits',
      tied,
      { ...alone, ...logits, 'lm_head.lora_B.weight': matrix(67, 1, 5) },
      /by itself/,
    ],
    [
      'weights of logits alone',
      config,
      { ...alone, 'base_model.model.lm_head.weight': matrix(67, 24, 1) },
      /other weights of 'lm_head'/,
    ],
  ])('%s is refused, and nothing changes', async (_, fields, tensors, message) => {
    const net = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    const before = await net.apply(ids).data();
    const loading = loadAdapter(net, adapterFiles(fields, tensors), {
      modules: await checkpointModules(net),
    });
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow(FormatError);
    expect(await net.apply(ids).data()).toEqual(before);
    net.dispose();
  });
});

test('positions of a ViT, which PEFT has no adapters for, are saved as the sum', async () => {
  const expected = new Expected('vit');
  const net = await fromPretrained(folderOf('vit'));
  await net.enableLora({ rank: 2, targets: 'position_embedding' });
  const [, b] = net.trainableWeights as [unknown, Variable];
  b.assign(
    tensor(
      Float32Array.from({ length: b.size }, (_, i) => Math.sin(i)),
      { shape: b.shape },
    ),
  );
  const logits = [...(await logitsOf(net, expected).data())];
  const modules = await checkpointModules(net);
  await expect(saveAdapter(net, new FilesTarget(), { modules })).rejects.toThrow(/no module for/);
  const [folder, file] = [new FilesTarget(), new BytesTarget()];
  await savePretrained(net, folder);
  await net.save(file);
  for (const source of [folder.files, file.bytes]) {
    const again = await (source instanceof Uint8Array ? loadModel(source) : fromPretrained(source));
    await expectClose(logitsOf(again as typeof net, expected), logits, 1e-5);
    again.dispose();
  }
  net.dispose();
});

test.each(['float32', 'bfloat16'] as const)(
  'vectors below an adapter are written again, kept in %s',
  async (dtype) => {
    const stored = tensorsIn(fs.readFileSync(path.join(folderOf('qwen2'), 'model.safetensors')));
    const vectors = stored.get('model.embed_tokens.weight') as HostTensor;
    const [rows = 0, columns = 0] = vectors.shape;
    const module = 'base_model.model.model.embed_tokens.';
    const tensors = {
      [`${module}base_layer.weight`]: vectors,
      [`${module}lora_embedding_A`]: matrix(1, rows, 1),
      [`${module}lora_embedding_B`]: matrix(columns, 1, 2),
    };
    const net = await fromPretrained(folderOf('qwen2'), { dtype });
    const modules = await checkpointModules(net);
    await loadAdapter(net, adapterFiles({ target_modules: ['embed_tokens'] }, tensors), { modules });
    const saved = new FilesTarget();
    await saveAdapter(net, saved, { modules });
    const file = saved.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
    const found = tensorsIn(await file.arrayBuffer());
    for (const [name, { data }] of Object.entries(tensors))
      expect([...(found.get(name)?.data ?? [])]).toEqual([...data]);
    expect(found.size).toBe(3);
    net.dispose();
  },
);

test('a matrix of logits that is trained as a whole is one of the modules to save', async () => {
  const query = 'base_model.model.model.layers.0.self_attn.q_proj.lora_';
  const tensors = {
    [`${query}A.weight`]: matrix(1, 24, 1),
    [`${query}B.weight`]: matrix(24, 1, 2),
    'base_model.model.lm_head.weight': matrix(61, 24, 3),
  };
  const files = adapterFiles({ target_modules: ['q_proj'], modules_to_save: ['lm_head'] }, tensors);
  const net = await fromPretrained(folderOf('llama'), { task: 'causalLM' });
  const modules = await checkpointModules(net);
  await loadAdapter(net, files, { modules });
  expect(net.trainableWeights.map(({ path }) => path).filter((path) => !path.includes('lora'))).toEqual([
    expect.stringMatching(/reverse_embeddings$/),
  ]);
  const saved = new FilesTarget();
  await saveAdapter(net, saved, { modules });
  const file = saved.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
  expect(Object.fromEntries(tensorsIn(await file.arrayBuffer()))).toEqual(tensors);
  const text = await (saved.files.find(({ name }) => name === 'adapter_config.json') as File).text();
  expect(JSON.parse(text).modules_to_save).toEqual(['lm_head']);
  net.dispose();
  const narrow = await fromPretrained(folderOf('llama'), { task: 'causalLM', dtype: 'bfloat16' });
  await expect(loadAdapter(narrow, files, { modules: await checkpointModules(narrow) })).rejects.toThrow(
    /'lm_head', which is kept in 16 bits/,
  );
  narrow.dispose();
});

test.each([false, true])(
  'a network with a trained adapter, with a bias: %s, is saved as the sum',
  async (loraBias) => {
    const net = await fromPretrained(folderOf('gpt2'), { task: 'causalLM' });
    net.enableLora({ rank: 2, loraBias });
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
  },
);

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
