/** @file KerasHub's presets against KerasHub: outputs, files in one piece and in shards, weights in 16 bits, and what doesn't fit. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, ValueError } from '../../src/index.ts';
import { FilesTarget } from '../../src/io/index.ts';
import {
  BertBackbone,
  CausalLM,
  fromPretrained,
  type PretrainedModel,
  type PretrainedReport,
  savePretrained,
  SequenceClassifier,
  TokenClassifier,
} from '../../src/hub/index.ts';
import { Expected, expectClose, logitsOf } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const root = fileURLToPath(new URL('../fixtures/presets/', import.meta.url));
const folderOf = (name: string) => path.join(root, name);
const expectedOf = (name: string) => new Expected(path.join(folderOf(name), 'expected.safetensors'));

const presets = fs
  .readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The files of a preset, as they are dropped on a page. */
function filesOf(name: string): Record<string, File> {
  const names = fs.readdirSync(folderOf(name)).filter((file) => file !== 'expected.safetensors');
  return Object.fromEntries(
    names.map((file) => [file, new File([fs.readFileSync(path.join(folderOf(name), file))], file)]),
  );
}

/** The files with other fields in the configuration of the backbone. */
async function changed(name: string, fields: Record<string, unknown>): Promise<Record<string, File>> {
  const files = filesOf(name);
  const json = JSON.parse(await (files['config.json'] as File).text());
  const config = { ...json, config: { ...json.config, ...fields } };
  return { ...files, 'config.json': new File([JSON.stringify(config)], 'config.json') };
}

/** Checks a model against KerasHub, where tokens aren't padding. */
async function expectSame(model: PretrainedModel, name: string) {
  const expected = expectedOf(name);
  const wanted = expected.values('logits');
  const isPerToken = expected.has('mask') && wanted.length % expected.values('mask').length === 0;
  const shown = isPerToken ? expected.values('mask').map(Boolean) : null;
  await expectClose(logitsOf(model, expected), wanted, 1e-4, { shown });
}

async function rejection(loading: Promise<unknown>): Promise<Error> {
  return loading.then(
    () => {
      throw new Error('it was loaded');
    },
    (error: Error) => error,
  );
}

test.each(presets)('%s computes what KerasHub does', async (name) => {
  const model = await fromPretrained(folderOf(name), { dtype: 'float32' });
  await expectSame(model, name);
  expect(model.task.includes('ackbone')).toBe(!fs.existsSync(path.join(folderOf(name), 'task.json')));
  model.dispose();
});

test.each(['gpt2-shards', 'llama3', 'gemma3'])('%s keeps its matrices in 16 bits', async (name) => {
  const before = memory().bytes;
  const wide = await fromPretrained(folderOf(name), { dtype: 'float32' });
  const bytes = memory().bytes - before;
  wide.dispose();
  const narrow = await fromPretrained(folderOf(name));
  expect(memory().bytes - before).toBeLessThan(0.8 * bytes);
  await expectSame(narrow, name);
  narrow.dispose();
});

test('matrices in 32 bits are rounded to 16', async () => {
  const model = await fromPretrained(folderOf('gpt2'), { dtype: 'bfloat16' });
  expect(model.trainable).toBe(false);
  const expected = expectedOf('gpt2');
  await expectClose(logitsOf(model, expected), expected.values('logits'), 0.05, {
    shown: expected.values('mask').map(Boolean),
  });
  model.dispose();
});

describe('tasks', () => {
  const noReport = () => {};

  test('a backbone continues texts without a file for it', async () => {
    const reports: PretrainedReport[] = [];
    const model = await fromPretrained(folderOf('gpt2-shards'), {
      task: 'causalLM',
      onReport: (report) => reports.push(report),
    });
    expect(model).toBeInstanceOf(CausalLM);
    expect(reports[0]?.initialized).toEqual([]);
    expect((await model.generate([[1, 2, 3]], { maxNewTokens: 2 }))[0]).toHaveLength(2);
    model.dispose();
  });

  test('a preset of another task leaves its head behind', async () => {
    const reports: PretrainedReport[] = [];
    const onReport = (report: PretrainedReport) => reports.push(report);
    const backbone = await fromPretrained(folderOf('bert'), { task: 'backbone', onReport });
    expect(backbone).toBeInstanceOf(BertBackbone);
    expect(reports[0]).toEqual({
      initialized: [],
      unused: ['layers/dense/0', 'layers/dense/1'],
      notFinite: [],
    });
    const tagger = await fromPretrained(folderOf('bert'), {
      task: 'tokenClassifier',
      labels: ['O', 'NAME'],
      onReport,
    });
    expect(tagger).toBeInstanceOf(TokenClassifier);
    expect(tagger.labels).toEqual(['O', 'NAME']);
    expect(reports[1]?.initialized).toEqual(['classifier.weight', 'classifier.bias']);
    const classifier = await fromPretrained(folderOf('bert-words'), {
      task: 'sequenceClassifier',
      numClasses: 4,
      onReport,
    });
    expect(classifier).toBeInstanceOf(SequenceClassifier);
    expect(reports[2]?.initialized).toEqual(['layers/dense/0', 'layers/dense/1']);
    expect(reports[2]?.unused).toEqual([]);
    for (const model of [backbone, tagger, classifier]) model.dispose();
  });

  test('Llama without logits leaves the matrix of logits behind', async () => {
    const before = memory().bytes;
    const reports: PretrainedReport[] = [];
    const model = await fromPretrained(folderOf('llama'), {
      task: 'backbone',
      onReport: (report) => reports.push(report),
    });
    expect(reports[0]?.unused).toEqual(['layers/reversible_embedding/1']);
    model.dispose();
    expect(memory().bytes).toBe(before);
  });

  test('one that the architecture has no head for is refused', async () => {
    const error = await rejection(fromPretrained(folderOf('gpt2'), { task: 'maskedLM', onReport: noReport }));
    expect(error).toBeInstanceOf(ValueError);
    expect(error.message).toContain('GPT2Backbone');
  });
});

test('a preset becomes a checkpoint of Hugging Face', async () => {
  const model = await fromPretrained(folderOf('bert'));
  const target = new FilesTarget();
  await savePretrained(model, target);
  const files = Object.fromEntries((target.files ?? []).map((file) => [file.name, file]));
  const again = await fromPretrained(files);
  await expectSame(again, 'bert');
  for (const net of [model, again]) net.dispose();
});

describe('what does not fit', () => {
  test.each([
    ['gpt2', { hidden_dim: 21 }, /'layers\/reversible_embedding\/0' is \[53, 24\] instead of \[53, 21\]/],
    ['gpt2', { num_layers: 1 }, /'layers\/transformer_decoder_1\/.* is left over/],
    ['gpt2', { num_layers: 3 }, /'layers\/transformer_decoder_2\/.* is missing|has \d+ values/],
    ['gpt2', { num_layers: 1e9 }, /values/],
    ['gpt2', { vocabulary_size: 0 }, /`vocabulary_size` is a positive integer/],
    ['gpt2', { more: true }, /`more` is unknown/],
    ['llama', { rope_frequency_adjustment_factor: 8 }, /rope_frequency_adjustment_factor/],
    ['gemma3', { vision_encoder: { class_name: 'Gemma3VisionEncoder' } }, /vision_encoder/],
    ['vit', { image_shape: [12, -8, 3] }, /image_shape/],
    [
      'vit',
      { dtype: { class_name: 'DTypePolicyMap', config: {} } },
      /`dtype` is one policy without quantization/,
    ],
  ])('%s with %j', async (name, fields, message) => {
    const before = memory().bytes;
    const error = await rejection(fromPretrained(await changed(name, fields)));
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toMatch(message);
    expect(memory().bytes).toBe(before);
  });

  test('names what is missing', async () => {
    const { 'model.weights.h5': _, ...files } = filesOf('gpt2');
    expect((await rejection(fromPretrained(files))).message).toContain('model.weights.h5');
    const { 'model_00001.weights.h5': __, ...shards } = filesOf('gpt2-shards');
    expect((await rejection(fromPretrained(shards))).message).toContain('model_00001.weights.h5');
    const { 'task.weights.h5': ___, ...tasks } = filesOf('bert');
    expect((await rejection(fromPretrained(tasks))).message).toContain('task.weights.h5');
  });

  test('a class that is not known is named, with those that are', async () => {
    const files = filesOf('gpt2');
    const config = new File([JSON.stringify({ class_name: 'OPTBackbone', config: {} })], 'config.json');
    const error = await rejection(fromPretrained({ ...files, 'config.json': config }));
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain('OPTBackbone');
    expect(error.message).toContain('GPT2Backbone');
  });
});
