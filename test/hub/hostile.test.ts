/** @file Files of pretrained networks that were made to do harm: each is refused with a typed error, and nothing of it is kept. */
import fs from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory } from '../../src/index.ts';
import {
  checkpointModules,
  fromPretrained,
  loadAudioConverter,
  loadImageConverter,
  loadTokenizer,
  type Task,
} from '../../src/hub/index.ts';
import { type HostTensor, loadAdapter, readSafetensors, writeSafetensors } from '../../src/io/index.ts';
import { filesOf, folderOf } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const onReport = () => {};
/** The file of a text, of bytes, or of an object as JSON. */
const fileOf = (content: string | object) => {
  const isWritten = typeof content === 'string' || content instanceof Uint8Array;
  return new File([(isWritten ? content : JSON.stringify(content)) as BlobPart], 'f');
};

/** Loads a network with other files in place of its own. */
function load(name: string, files: Record<string, string | Uint8Array<ArrayBuffer> | object>, task?: Task) {
  const others = Object.entries(files).map(([file, content]) => [file, fileOf(content)]);
  const source = { ...filesOf(name), ...Object.fromEntries(others) };
  return fromPretrained(source, { onReport, ...(task && { task }) });
}

const jsonOf = async (name: string, file: string) => JSON.parse(await (filesOf(name)[file] as File).text());

/** Loads a network with other fields in its configuration. */
async function configured(name: string, fields: object, task?: Task) {
  return load(name, { 'config.json': { ...(await jsonOf(name, 'config.json')), ...fields } }, task);
}

/** Expects a refusal that says why, in a message of reasonable length, and leaves nothing on the device. */
async function expectRefused(loading: () => Promise<unknown>, why: RegExp) {
  const before = memory().bytes;
  const error: unknown = await loading().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(FormatError);
  expect((error as Error).message).toMatch(why);
  expect((error as Error).message.length).toBeLessThan(4000);
  expect(memory().bytes).toBe(before);
}

describe('config.json', () => {
  const rope = (fields: object) => ({ rope_parameters: { rope_type: 'default', ...fields } });
  test.each<[name: string, fields: object, why: RegExp, task?: Task]>([
    ['gpt2', { n_head: 2 ** 52 }, /keyDim/],
    ['gpt2', { n_layer: '2' }, /n_layer/],
    ['gpt2', { layer_norm_epsilon: -1 }, /layerNormEpsilon/],
    ['gpt2', { attn_pdrop: 2 }, /attentionDropout/],
    ['gpt2', { architectures: ['__proto__'] }, /architectures/],
    ['gpt2', { model_type: 'constructor' }, /model_type/],
    ['gpt2', { model_type: 'x'.repeat(1e5) }, /model_type/],
    ['gpt2', { ['x'.repeat(1e5)]: 1 }, /unknown/],
    ['gpt2', Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`more_${i}`, 1])), /more_0/],
    ['mistral', { eos_token_id: 'end' }, /eos_token_id/],
    ['llama', { num_key_value_heads: 3 }, /numKeyValueHeads/],
    ['llama', { num_key_value_heads: 2 ** 40 }, /numKeyValueHeads/],
    ['llama', { rms_norm_eps: -5 }, /layerNormEpsilon/],
    ['llama', rope({ rope_theta: -3 }), /rope_theta/],
    ['llama', rope({ rope_theta: '10000' }), /rope_theta/],
    ['llama', { rope_parameters: [1] }, /rope_parameters/],
    ['llama', { rope_parameters: null, rope_theta: 0 }, /maxWavelength/],
    ['gemma3', { query_pre_attn_scalar: 0 }, /queryScalar/],
    ['bert', { num_labels: 2 ** 26, id2label: null }, /classes/, 'tokenClassifier'],
    ['bert', { num_labels: -1, id2label: null }, /num_labels/, 'tokenClassifier'],
    ['bert', { id2label: { 0: {}, 1: [] } }, /id2label/, 'tokenClassifier'],
    ['bert', { id2label: { 5: 'a', 900: 'b' } }, /id2label/, 'tokenClassifier'],
    ['bert', { id2label: ['a', 'b'] }, /id2label/, 'tokenClassifier'],
    ['bert', { classifier_dropout: 5 }, /classifier_dropout/, 'tokenClassifier'],
    ['clip', { text_config: [] }, /text_config/],
    // Rows and columns of matrices in 16 bits are counted before there is memory for them.
    ['qwen2', { hidden_size: 2 ** 31 }, /rows and columns/],
    ['qwen2', { intermediate_size: 2 ** 53 - 1 }, /rows and columns/],
    ['gemma3', { vocab_size: 2 ** 53 - 1 }, /rows and columns/],
    ['qwen2', { num_hidden_layers: 2 ** 31, layer_types: null }, /num_hidden_layers/],
    ['clip', { projection_dim: 2 ** 40 }, /values/],
    ['whisper', { decoder_attention_heads: 7 }, /decoder/],
  ])('of %s is refused with %o', (name, fields, why, task) =>
    expectRefused(() => configured(name, fields, task), why),
  );

  test.each([
    '',
    'null',
    '[]',
    '{',
    `{"a":${'['.repeat(1e4)}${']'.repeat(1e4)}}`,
    '{"__proto__":{"n_layer":1}}',
  ])('is refused as %j', (text) =>
    expectRefused(() => load('gpt2', { 'config.json': text }), /config\.json/),
  );
});

test.each<[name: string, file: string, content: string | object]>([
  ['gpt2', 'generation_config.json', '{'],
  ['gpt2', 'generation_config.json', { eos_token_id: [2, 1.5] }],
  ['whisper', 'generation_config.json', { suppress_tokens: [1e8] }],
  ['whisper', 'generation_config.json', { decoder_start_token_id: 'start' }],
])('%s: what should be a part of it, %s, is %o', (name, file, content) =>
  expectRefused(() => load(name, { [file]: content }), /generation_config/),
);

test('a page in place of a file that needn’t be there is none, as servers of apps answer', async () => {
  const net = await load('gpt2', { 'generation_config.json': '<!doctype html><title>App</title>' });
  net.dispose();
});

describe('model.safetensors', () => {
  interface Entry {
    dtype: string;
    shape: number[];
    data_offsets: number[];
  }
  type Header = Record<string, Entry>;
  const empty: Entry = { dtype: 'F32', shape: [0], data_offsets: [0, 0] };
  let header: Header;
  let data: Uint8Array;
  let [first, second] = ['', ''];

  beforeAll(async () => {
    const bytes = new Uint8Array(await (filesOf('gpt2')['model.safetensors'] as File).arrayBuffer());
    const end = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true));
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, end)));
    data = bytes.subarray(end);
    [first, second] = Object.keys(header).filter((name) => name !== '__metadata__') as [string, string];
  });

  function written(text: string, length = BigInt(new TextEncoder().encode(text).length)) {
    const start = new TextEncoder().encode(text);
    const bytes = new Uint8Array(8 + start.length + data.length);
    new DataView(bytes.buffer).setBigUint64(0, length, true);
    bytes.set(start, 8);
    bytes.set(data, 8 + start.length);
    return bytes;
  }

  const entry = (h: Header, name = first) => h[name] as Entry;

  test.each<[what: string, change: (h: Header) => void, why: RegExp]>([
    ['tensors overlap', (h) => Object.assign(entry(h), entry(h, second)), /overlap/],
    ['bytes are of no tensor', (h) => delete h[first], /contiguous|every byte/],
    ['a size is negative', (h) => (entry(h).shape[0] = -1), /sizes/],
    ['a shape is larger than any memory', (h) => (entry(h).shape = [2 ** 53 - 1, 2 ** 53 - 1]), /takes/],
    ['a shape has lists inside', (h) => (entry(h).shape = [[1]] as never), /sizes/],
    ['a tensor has many axes', (h) => (entry(h).shape = [...Array(90).fill(1), 288]), /axes/],
    ['a dtype is a property of all objects', (h) => (entry(h).dtype = 'constructor'), /dtype/],
    ['a weight has integers', (h) => (entry(h).dtype = 'I32'), /int32 instead of floats/],
    ['offsets aren’t integers', (h) => (entry(h).data_offsets = [0.5, 1]), /offsets/],
    ['offsets run backwards', (h) => entry(h).data_offsets.reverse(), /offsets/],
    ['a matrix is on its side', (h) => h['transformer.wte.weight']?.shape.reverse(), /wte/],
    [
      'more tensors than messages hold',
      (h) => {
        for (let i = 0; i < 2000; i++) h[`more.${'x'.repeat(20)}.${i}`] = empty;
      },
      /left over/,
    ],
    ['a name is longer than messages', (h) => (h['x'.repeat(1e5)] = empty), /left over/],
  ])('is refused where %s', (_, change, why) => {
    const changed = structuredClone(header);
    change(changed);
    return expectRefused(() => load('gpt2', { 'model.safetensors': written(JSON.stringify(changed)) }), why);
  });

  test.each<[what: string, text: () => string, why: RegExp]>([
    ['a name is twice', () => JSON.stringify(header).replace('{', `{"${first}":{},`), /unique/],
    [
      'a tensor is called __proto__',
      () => JSON.stringify(header).replace('{', `{"__proto__":${JSON.stringify(empty)},`),
      /__proto__/,
    ],
    ['a header nests', () => `{"a":${'['.repeat(1e4)}${']'.repeat(1e4)}}`, /a tensor is/],
    ['a header is a list', () => '[]', /object/],
  ])('is refused where %s', (_, text, why) =>
    expectRefused(() => load('gpt2', { 'model.safetensors': written(text()) }), why),
  );

  test.each([2n ** 63n, 2n ** 64n - 1n, 100_000_001n])('is refused with a header of %d bytes', (length) =>
    expectRefused(() => load('gpt2', { 'model.safetensors': written('{}', length) }), /header/),
  );
});

describe('a copy of the vectors of tokens for logits', () => {
  const withCopy = async (change: (data: Float32Array) => Float32Array, task: Task) => {
    const { 'model.safetensors': file, ...others } = filesOf('gpt2') as { 'model.safetensors': File };
    const tensors = new Map(readSafetensors(new Uint8Array(await file.arrayBuffer())).tensors);
    const { shape, data } = tensors.get('transformer.wte.weight') as HostTensor;
    tensors.set('lm_head.weight', { shape, dtype: 'float32', data: change(data as Float32Array) });
    const weights = new File([writeSafetensors(tensors)], 'model.safetensors');
    return fromPretrained({ ...others, 'model.safetensors': weights }, { task, onReport: () => {} });
  };

  test('is one', async () => {
    (await withCopy((data) => data, 'causalLM')).dispose();
    // Without logits it doesn't matter.
    (await withCopy((data) => data.map((value) => 2 * value), 'sequenceClassifier')).dispose();
  });

  test('that differs is refused, as transformers doesn’t tie it', async () => {
    const loading = () => withCopy((data) => data.map((value) => 2 * value), 'causalLM');
    await expectRefused(loading, /'lm_head.weight' with others than tensor 'transformer.wte.weight'/);
  });
});

describe('the index of shards', () => {
  const index = 'model.safetensors.index.json';
  const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
  const expectIndexRefused = async (change: (map: Record<string, unknown>) => unknown, why: RegExp) => {
    const given = await jsonOf('gpt2-shards', index);
    const map = change(given.weight_map) ?? given.weight_map;
    await expectRefused(() => load('gpt2-shards', { [index]: { ...given, weight_map: map } }), why);
  };
  const firstOf = (map: object) => Object.keys(map)[0] as string;

  test.each([
    '../x',
    '/etc/passwd',
    'a\\b',
    'C:x',
    '..',
    '',
    '%2e%2e',
    'x?y',
    'x#y',
    'https://x.test/x',
    'a\nb',
    'x'.repeat(1e5),
    5,
    null,
    {},
    [[]],
  ])('names only files next to it: not %j', (path) =>
    expectIndexRefused((map) => ({ ...map, [firstOf(map)]: path }), /in the folder/),
  );

  test.each<[what: string, change: (map: Record<string, unknown>) => unknown, why: RegExp]>([
    ['is no object', () => [], /object/],
    ['is empty', () => ({}), /weights/],
    ['names itself', (map) => ({ ...map, [firstOf(map)]: index }), /a shard is/],
    [
      'names another shard',
      (map) => ({ ...map, [firstOf(map)]: shards.find((shard) => shard !== map[firstOf(map)]) }),
      /what the index says/,
    ],
    [
      'names too many',
      () => Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`w${i}`, `s${i}`])),
      /at most/,
    ],
    ['names shards that aren’t there', () => ({ a: 'a.safetensors' }), /among the files/],
  ])('%s', (_, change, why) => expectIndexRefused(change, why));

  test('has two shards with the same tensors', async () => {
    const [one, two] = shards;
    const bytes = new Uint8Array(await (filesOf('gpt2-shards')[one] as File).arrayBuffer());
    await expectRefused(() => load('gpt2-shards', { [two]: bytes }), /in one shard/);
  });
});

describe('tokenizer.json', () => {
  const bpe = {
    model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: [['a', 'b']] },
    ...{ added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null },
  };
  const model = (fields: object) => ({ ...bpe, model: { ...bpe.model, ...fields } });
  const opened = (json: object, config: string | object = {}) =>
    loadTokenizer({ 'tokenizer.json': fileOf(json), 'tokenizer_config.json': fileOf(config) }, Tokenizer);

  test('of a small vocabulary is opened', async () => {
    const tokenizer = await opened({
      ...bpe,
      pre_tokenizer: { type: 'Split', pattern: { Regex: 'a+' }, behavior: 'Isolated' },
    });
    expect(tokenizer.encode('ab').ids).toEqual([0, 1]);
  });

  test.each<[what: string, json: object, why: RegExp]>([
    ['no model', {}, /model/],
    ['a model that is none', { model: [] }, /model/],
    ['no vocabulary', { model: { type: 'BPE' } }, /vocab/],
    ['a vocabulary that is none', model({ vocab: 7 }), /vocab/],
    ['tokens without numbers', model({ vocab: { a: 'x' } }), /vocab/],
    ['tokens of negative numbers', model({ vocab: { a: -1 } }), /vocab/],
    ['frequencies without tokens', model({ vocab: [[7, -1]] }), /vocab/],
    ['merges of numbers', model({ merges: [7, null] }), /merges/],
    ['merges of three', model({ merges: [['a', 'b', 'c']] }), /merges/],
    ['merges of three in a text', model({ merges: ['a b c'] }), /merges/],
    ['merges of tokens that there aren’t', model({ merges: [['a', 'x']] }), /merges/],
    ['merges into a token that there isn’t', model({ merges: [['b', 'a']] }), /merges/],
    ['tokens beyond integers of the device', model({ vocab: { a: 0, b: 2 ** 32 } }), /vocab/],
    ['added tokens beyond them', { ...bpe, added_tokens: [{ id: 2 ** 31, content: 'z' }] }, /added_tokens/],
    ['a kind of model that there isn’t', model({ type: '__proto__' }), /model\.type/],
    ['a token for unknown ones that is unknown', model({ unk_token: '[UNK]' }), /unk_token/],
    ['a token for unknown ones that is none', model({ unk_token: 7 }), /unk_token/],
    ['pieces of words without a token for unknown ones', model({ type: 'WordPiece' }), /unk_token/],
    [
      'words that are compared for ever',
      model({ type: 'WordPiece', unk_token: 'a', max_input_chars_per_word: 1e9 }),
      /max_input_chars_per_word/,
    ],
    [
      'replacements that make texts very long',
      {
        ...bpe,
        normalizer: {
          type: 'Sequence',
          normalizers: Array(12).fill({ type: 'Replace', pattern: { String: 'a' }, content: 'aaaa' }),
        },
      },
      /times as long/,
    ],
    ['added tokens without a text', { ...bpe, added_tokens: [{ id: 3 }] }, /added_tokens/],
    ['added tokens that are none', { ...bpe, added_tokens: 5 }, /added_tokens/],
    ['parts that nobody knows', { ...bpe, pre_tokenizer: { type: 'Other' } }, /Other/],
    [
      'a pattern that is none',
      { ...bpe, normalizer: { type: 'Replace', pattern: { Regex: '(a' }, content: '' } },
      /brackets/,
    ],
    [
      'a pattern of exponential time',
      {
        ...bpe,
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [{ type: 'Split', pattern: { Regex: '(?:a+)+$' } }],
        },
      },
      /time/,
    ],
  ])('is refused with %s', (_, json, why) => expectRefused(() => opened(json), why));

  test('comes with a configuration that isn’t damaged', async () => {
    await expectRefused(() => opened(bpe, '{'), /tokenizer_config/);
  });
});

test.each([
  { size: 2 ** 40 },
  { crop_size: { height: 2 ** 20, width: 2 } },
  { image_std: [1e-60, 1, 1] },
  { image_mean: [1e300, 0, 0] },
])('pictures aren’t converted as %o says', (config) =>
  expectRefused(() => loadImageConverter({ 'preprocessor_config.json': fileOf(config) }), /size|image_/),
);

test.each([
  { n_fft: 2 ** 24, sampling_rate: 2 ** 17 },
  { sampling_rate: 2 ** 50 },
  { hop_length: 2 ** 50 },
  { feature_size: 2 ** 30 },
])('sounds aren’t converted as %o says', (config) =>
  expectRefused(() => loadAudioConverter({ 'preprocessor_config.json': fileOf(config) }), /is at most/),
);

describe('an adapter', () => {
  const folder = folderOf('adapters/gpt2');
  const weights = fs.readFileSync(path.join(folder, 'adapter_model.safetensors'));
  const config = JSON.parse(fs.readFileSync(path.join(folder, 'adapter_config.json'), 'utf8'));

  test.each<[fields: object, why: RegExp]>([
    [{ r: 1e9 }, /rank/],
    [{ rank_pattern: { c_attn: 2 } }, /rank/],
    [{ lora_alpha: 1e308 }, /lora_alpha/],
    [{ alpha_pattern: { c_attn: 1e300 } }, /alpha_pattern/],
    [{ modules_to_save: 7 }, /modules_to_save/],
    [{ modules_to_save: [7] }, /modules_to_save/],
    [{ target_modules: {} }, /target_modules/],
    [{ lora_dropout: 'x' }, /lora_dropout/],
  ])('with %o is refused, and the network stays as it was', async (fields, why) => {
    const net = await fromPretrained(filesOf('gpt2'), { onReport });
    const before = net.trainableWeights;
    const modules = await checkpointModules(net);
    await expectRefused(() => loadAdapter(net, weights, { modules, config: { ...config, ...fields } }), why);
    expect(net.trainableWeights).toEqual(before);
    net.dispose();
  });
});
