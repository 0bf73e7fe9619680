/** @file Pretrained networks there and back: every place that has files, what is refused, and what is saved. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, RetrogradError, type Tensor, ValueError } from '../../src/index.ts';
import {
  BytesTarget,
  FilesTarget,
  type HostTensor,
  loadModel,
  readSafetensors,
  writeSafetensors,
} from '../../src/io/index.ts';
import {
  CausalLM,
  fromPretrained,
  type PretrainedModel,
  type PretrainedReport,
  savePretrained,
  SequenceClassifier,
} from '../../src/hub/index.ts';
import { FakeFolder } from '../support/fakeOriginFiles.ts';
import { Expected, expectClose, filesOf, folderOf, logitsOf, networks } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const tensorsIn = async (file: File) => readSafetensors(await file.arrayBuffer()).tensors;

/** The files of a network, with other fields in its configuration, or other tensors. */
async function changed(
  name: string,
  config: Record<string, unknown>,
  change: (tensors: Map<string, HostTensor>) => void = () => {},
): Promise<Record<string, File>> {
  const files = filesOf(name);
  const json = JSON.parse(await (files['config.json'] as File).text());
  const tensors = new Map(await tensorsIn(files['model.safetensors'] as File));
  change(tensors);
  return {
    ...files,
    'config.json': new File([JSON.stringify({ ...json, ...config })], 'config.json'),
    'model.safetensors': new File([writeSafetensors(tensors)], 'model.safetensors'),
  };
}

async function rejection(loading: Promise<unknown>): Promise<Error> {
  return loading.then(
    () => {
      throw new Error('it was loaded');
    },
    (error: Error) => error,
  );
}

describe('a source', () => {
  const expected = new Expected('gpt2-shards');
  const expectLoaded = async (model: PretrainedModel) => {
    await expectClose(logitsOf(model, expected), expected.values('logits'), 1e-4, {
      shown: expected.values('mask').map(Boolean),
    });
    model.dispose();
  };

  test('is a folder, its handle, dropped files, or files by name', async () => {
    const files = filesOf('gpt2-shards');
    const dropped = Object.values(files).map((file) => {
      const copy = new File([file], file.name);
      Object.defineProperty(copy, 'webkitRelativePath', { value: `gpt2/${file.name}` });
      return copy;
    });
    const folder = new FakeFolder('gpt2');
    for (const file of dropped) {
      const handle = await folder.getFileHandle(file.name, { create: true });
      handle.bytes = [new Uint8Array(await file.arrayBuffer())];
    }
    const sources = [
      `${folderOf('gpt2-shards')}/`,
      path.join(folderOf('gpt2-shards'), 'config.json'),
      files,
      new Map(Object.entries(files)),
      dropped,
      folder as unknown as FileSystemDirectoryHandle,
    ];
    for (const source of sources) await expectLoaded(await fromPretrained(source));
  });

  test('reports progress, and leaves nothing behind when it is aborted', async () => {
    const before = memory().bytes;
    const controller = new AbortController();
    const loaded: number[] = [];
    const aborted = fromPretrained(folderOf('gpt2-shards'), {
      signal: controller.signal,
      onProgress: (progress) => {
        loaded.push(progress.loaded / progress.total);
        if (loaded.length === 3) controller.abort(new Error('enough'));
      },
    });
    await expect(aborted).rejects.toThrow('enough');
    expect(loaded.length).toBe(3);
    expect(memory().bytes).toBe(before);
  });
});

describe('what does not fit', () => {
  test('names all tensors at once', async () => {
    const before = memory().bytes;
    const files = await changed('gpt2', {}, (tensors) => {
      tensors.delete('transformer.h.0.ln_1.bias');
      tensors.delete('transformer.ln_f.weight');
      const wpe = tensors.get('transformer.wpe.weight') as HostTensor;
      tensors.set('transformer.wpe.weight', { ...wpe, shape: [24, 32] });
      tensors.set('transformer.more', wpe);
    });
    const error = await rejection(fromPretrained(files));
    expect(error).toBeInstanceOf(FormatError);
    for (const name of ['h.0.ln_1.bias', 'ln_f.weight', 'wpe.weight', 'more'])
      expect(error.message).toContain(`transformer.${name}`);
    expect(error.message).toContain('[24, 32]');
    expect(memory().bytes).toBe(before);
  });

  test.each([
    ['gpt2', { scale_attn_by_inverse_layer_idx: 1 }, 'scale_attn_by_inverse_layer_idx'],
    ['gpt2', { activation_function: 'mish' }, 'activation_function'],
    ['gpt2', { tie_word_embeddings: false }, 'tie_word_embeddings'],
    ['gpt2', { add_cross_attention: true }, 'add_cross_attention'],
    ['gpt2', { a_field_of_tomorrow: 1 }, 'a_field_of_tomorrow'],
    ['llama', { rope_parameters: { rope_type: 'yarn' } }, 'rope_parameters'],
    ['llama', { rope_parameters: null, rope_scaling: { type: 'dynamic' } }, 'rope_scaling'],
    ['llama', { rope_parameters: null, rope_scaling: { type: 'proportional', factor: 2 } }, 'rope_scaling'],
    ['llama', { rope_parameters: { rope_type: 'linear', factor: 2, mrope_section: [1] } }, 'rope_parameters'],
    [
      'llama',
      { rope_parameters: { rope_type: 'longrope', long_factor: [1], short_factor: 2 } },
      'rope_parameters',
    ],
    ['llama', { partial_rotary_factor: 0.5 }, 'partial_rotary_factor'],
    ['llama', { hidden_act: 'mish' }, 'hidden_act'],
    ['llama', { pretraining_tp: 2 }, 'pretraining_tp'],
    ['qwen2', { layer_types: ['full_attention', 'linear_attention'] }, 'layer_types'],
    ['gemma3', { attn_logit_softcapping: 50 }, 'attn_logit_softcapping'],
    ['bert', { position_embedding_type: 'relative_key' }, 'position_embedding_type'],
    ['bert', { is_decoder: true }, 'is_decoder'],
    ['bert', { quantization_config: { bits: 4 } }, 'quantization_config'],
    ['vit', { image_size: [12, 12, 3] }, 'image_size'],
    ['vit', { use_mean_pooling: true }, 'use_mean_pooling'],
    ['clip', { vision_config: { use_head: true } }, 'vision_config.use_head'],
    ['bert', { pruned_heads: { 1: [0] } }, 'pruned_heads'],
    ['clip', { text_config: 7 }, 'text_config'],
    ['whisper', { is_encoder_decoder: false }, 'is_encoder_decoder'],
    ['whisper', { apply_spec_augment: true }, 'apply_spec_augment'],
    ['clip', { text_config: { dropout: 0.1, hidden_act: 'mish' } }, 'text_config.hidden_act'],
  ])('refuses a configuration of %s by the field: %o', async (name, config, field) => {
    const error = await rejection(fromPretrained(await changed(name, config)));
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain(`\`${field}\``);
  });

  test('fields of early files of CLIP, which say what is usual, are known', async () => {
    const { text_config: text, vision_config: vision } = JSON.parse(
      await (filesOf('clip')['config.json'] as File).text(),
    );
    const usual = { pruned_heads: {}, tie_encoder_decoder: false, tie_word_embeddings: true, dropout: 0 };
    const config = {
      text_config: { ...text, ...usual, hidden_size: 7 },
      text_config_dict: { hidden_size: text.hidden_size },
      vision_config: { ...vision, ...usual },
      vision_config_dict: null,
    };
    const model = await fromPretrained(await changed('clip', config), { task: 'imageTextBackbone' });
    expect(model.textEncoder.hiddenDim).toBe(text.hidden_size);
    model.dispose();
  });

  test('`scale_embedding` of Whisper, which transformers 5 reads and never applies, is accepted', async () => {
    const model = await fromPretrained(await changed('whisper', { scale_embedding: true }));
    model.dispose();
  });

  test('is ignored if the app says so', async () => {
    const files = await changed('gpt2', { a_field_of_tomorrow: 1 });
    const model = await fromPretrained(files, { ignoreConfig: ['a_field_of_tomorrow'] });
    model.dispose();
  });

  test('is a kind of model, a task, a source or an option that there is not', async () => {
    const files = await changed('gpt2', { model_type: 'mamba' });
    await expect(fromPretrained(files)).rejects.toThrow(/model_type.*gpt2/s);
    await expect(fromPretrained(folderOf('gpt2'), { task: 'maskedLM' })).rejects.toThrow(ValueError);
    await expect(fromPretrained(7 as never)).rejects.toThrow(ValueError);
    await expect(fromPretrained(folderOf('gpt2'), { tasks: 'backbone' } as never)).rejects.toThrow(/task/);
    await expect(fromPretrained({ 'config.json': files['config.json'] as File })).rejects.toThrow(
      FormatError,
    );
    const { 'model.safetensors': _, ...withoutWeights } = filesOf('gpt2');
    await expect(fromPretrained(withoutWeights)).rejects.toThrow(/model\.safetensors/);
  });

  test('a larger network than the file has values for is refused before it is allocated', async () => {
    const before = memory().bytes;
    for (const config of [{ n_embd: 3 * 2 ** 14 }, { n_layer: 2 ** 40 }, { vocab_size: 2 ** 31 }])
      await expect(fromPretrained(await changed('gpt2', config))).rejects.toThrow(FormatError);
    for (const config of [{ image_size: 2 ** 24 }, { num_channels: 2 ** 30 }, { patch_size: 2 ** 20 }])
      await expect(fromPretrained(await changed('vit', config))).rejects.toThrow(RetrogradError);
    for (const config of [
      { max_source_positions: 2 ** 28 },
      { decoder_layers: 2 ** 40 },
      { decoder_attention_heads: 5 },
    ])
      await expect(fromPretrained(await changed('whisper', config))).rejects.toThrow(RetrogradError);
    for (const text of [{ vocab_size: 2 ** 31 }, { num_hidden_layers: 2 ** 40 }, { num_attention_heads: 7 }])
      await expect(fromPretrained(await changed('clip', { text_config: text }))).rejects.toThrow(
        RetrogradError,
      );
    expect(memory().bytes).toBe(before);
  });
});

test('a head for another task has initial values, which is reported', async () => {
  let report: PretrainedReport | null = null;
  const onReport = (given: PretrainedReport) => {
    report = given;
  };
  const task = 'sequenceClassifier';
  const model = await fromPretrained(folderOf('bert-words'), { task, labels: ['no', 'yes'], onReport });
  expect(model).toBeInstanceOf(SequenceClassifier);
  expect(model.labels).toEqual(['no', 'yes']);
  const { initialized, unused } = report as unknown as PretrainedReport;
  expect(initialized).toContain('classifier.weight');
  expect(unused).toContain('cls.predictions.transform.dense.weight');
  const values = await (model.outputDense.kernel as Tensor).data();
  expect(values.some((value) => value !== 0)).toBe(true);
  model.dispose();
});

test.each([
  ['bert', { classifier_dropout: 0.3 }, 'sequenceClassifier', 0.3],
  ['bert', { hidden_dropout_prob: 0.4 }, 'tokenClassifier', 0.4],
  ['distilbert', { dropout: 0.3, seq_classif_dropout: 0.4 }, 'tokenClassifier', 0.3],
  ['distilbert-sequences', { seq_classif_dropout: 0.4 }, 'sequenceClassifier', 0.4],
  ['gpt2', { classifier_dropout: 0 }, 'tokenClassifier', 0],
  ['qwen3', {}, 'tokenClassifier', 0.1],
] as const)(
  '%s with %o: the %s clears %f of its features in training',
  async (name, config, task, dropout) => {
    const onReport = () => {};
    const model = await fromPretrained(await changed(name, config), { task, onReport });
    expect(model.dropout).toBe(dropout);
    model.dispose();
  },
);

describe('saved again', () => {
  test.each(networks.filter((name) => !name.includes('shards') && name !== 'llama3'))(
    '%s has the same weights and the same configuration',
    async (name) => {
      const files = filesOf(name);
      const model = await fromPretrained(files);
      const target = new FilesTarget();
      await savePretrained(model, target);
      const written = Object.fromEntries(target.files.map((file) => [file.name, file]));
      const before = await tensorsIn(files['model.safetensors'] as File);
      const after = await tensorsIn(written['model.safetensors'] as File);
      // A backbone has no pooler: only a classifier reads it.
      const isKept = (key: string) => !['minilm', 'vit-wide'].includes(name) || !key.startsWith('pooler.');
      expect([...after.keys()].sort()).toEqual([...before.keys()].filter(isKept).sort());
      for (const [key, { data, shape }] of after) {
        expect(shape).toEqual(before.get(key)?.shape);
        expect(data).toEqual(before.get(key)?.data);
      }
      const config = async (from: Record<string, File>) =>
        JSON.parse(await (from['config.json'] as File).text());
      const [given, found] = [await config(files), await config(written)];
      const { dtype: _, ...wanted } = given;
      expect(found).toMatchObject(wanted);
      model.dispose();
    },
  );

  test('a configuration in the words of transformers 4 stays in them, and is read again', async () => {
    const scaling = { type: 'linear', factor: 2 };
    const older = { rope_parameters: undefined, rope_theta: 500, rope_scaling: scaling };
    const model = await fromPretrained(await changed('llama', older));
    const target = new FilesTarget();
    await savePretrained(model, target);
    const text = await (target.files.find(({ name }) => name === 'config.json') as File).text();
    expect(JSON.parse(text)).toMatchObject({ rope_theta: 500, rope_scaling: scaling });
    const again = await fromPretrained(target.files);
    const expected = new Expected('llama');
    expect(await logitsOf(again, expected).data()).toEqual(await logitsOf(model, expected).data());
    model.dispose();
    again.dispose();
  });

  test('limits of logits and small numbers of norms are floats', async () => {
    const fields = { final_logit_softcapping: 30, rms_norm_eps: 1, query_pre_attn_scalar: 6 };
    const model = await fromPretrained(await changed('gemma3', fields));
    const target = new FilesTarget();
    await savePretrained(model, target);
    const text = await (target.files.find(({ name }) => name === 'config.json') as File).text();
    expect(text).toMatch('"final_logit_softcapping": 30.0,');
    expect(text).toMatch('"rms_norm_eps": 1.0,');
    expect(text).toMatch('"query_pre_attn_scalar": 6,');
    model.dispose();
  });

  test('what is suppressed is written if there is any', async () => {
    const { 'generation_config.json': _, ...files } = await changed('whisper', { suppress_tokens: null });
    const model = await fromPretrained(files);
    const target = new FilesTarget();
    await savePretrained(model, target);
    const text = await (target.files.find(({ name }) => name === 'config.json') as File).text();
    expect(JSON.parse(text)).toMatchObject({ suppress_tokens: null, begin_suppress_tokens: [48, 2] });
    model.dispose();
  });

  test('numbers that transformers takes as floats only are written as such', async () => {
    const model = await fromPretrained(folderOf('clip'));
    const target = new FilesTarget();
    await savePretrained(model, target);
    const text = await (target.files.find(({ name }) => name === 'config.json') as File).text();
    expect(text.match(/"initializer_factor": 1\.0/g)).toHaveLength(3);
    model.dispose();
  });

  test('several files are those of transformers, and replace an older model', async () => {
    const model = await fromPretrained(folderOf('gpt2-shards'));
    const target = new FilesTarget();
    const textOf = (name: string) => (target.files.find((file) => file.name === name) as File).text();
    const names = () => target.files.map(({ name }) => name).sort();
    await savePretrained(model, target);
    expect(names()).toEqual(['config.json', 'model.safetensors']);
    const saved: number[] = [];
    const onProgress = (progress: { saved: number; total: number }) =>
      saved.push(progress.saved / progress.total);
    await savePretrained(model, target, { maxShardSize: 20_000, onProgress });
    expect(saved.at(-1)).toBe(1);
    const index = 'model.safetensors.index.json';
    const given = JSON.parse(fs.readFileSync(path.join(folderOf('gpt2-shards'), index), 'utf8'));
    const written = JSON.parse(await textOf(index));
    expect(written.metadata).toEqual(given.metadata);
    expect(Object.keys(written.weight_map)).toEqual(Object.keys(given.weight_map));
    expect(new Set(Object.values(written.weight_map))).toEqual(new Set(Object.values(given.weight_map)));
    expect(names()).toEqual(['config.json', ...new Set(Object.values(given.weight_map)), index].sort());
    const again = await fromPretrained(target.files);
    const expected = new Expected('gpt2-shards');
    expect(await logitsOf(again, expected).data()).toEqual(await logitsOf(model, expected).data());
    await savePretrained(again, target, { maxShardSize: 1e9 });
    expect(names()).toEqual(['config.json', 'model.safetensors']);
    await expect(savePretrained(again, target, { maxShardSize: 0.5 })).rejects.toThrow(/maxShardSize/);
    model.dispose();
    again.dispose();
  });

  test('rounds to narrow floats, reports progress, and can be aborted', async () => {
    const model = await fromPretrained(folderOf('qwen2'));
    const target = new FilesTarget();
    const saved: number[] = [];
    await savePretrained(model, target, {
      dtype: 'bfloat16',
      onProgress: (progress) => saved.push(progress.saved / progress.total),
    });
    expect(saved.at(-1)).toBe(1);
    const original = fs.readFileSync(path.join(folderOf('qwen2'), 'model.safetensors'));
    const [file] = target.files as [File];
    const { tensors } = readSafetensors(original);
    const rounded = await tensorsIn(file);
    for (const [key, value] of tensors) expect(rounded.get(key)).toEqual(value);
    expect(file.size).toBeLessThan(original.length + 1000);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(savePretrained(model, target, { signal })).rejects.toThrow('enough');
    await expect(savePretrained({} as never, target)).rejects.toThrow(ValueError);
    model.dispose();
  });

  test.each(['gpt2', 'qwen2', 'gemma3', 'bert', 'distilbert-words', 'vit', 'clip', 'whisper'])(
    '%s comes back from a .keras file',
    async (name) => {
      const expected = new Expected(name);
      const model = await fromPretrained(folderOf(name));
      const target = new BytesTarget();
      await model.save(target);
      const loaded = (await loadModel(target.bytes)) as unknown as PretrainedModel;
      expect(loaded.constructor).toBe(model.constructor);
      expect(loaded.getConfig()).toEqual(model.getConfig());
      expect(await logitsOf(loaded, expected).data()).toEqual(await logitsOf(model, expected).data());
      if (loaded instanceof CausalLM) expect(loaded.stopTokens).toEqual([2]);
      model.dispose();
      loaded.dispose();
    },
  );
});
