/** @file Adapters in PEFT's files: read, computed, trained, and written again with the same bits. test/fixtures/peft/make.py made them. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FormatError, init, memory, type Tensor, tidy, ValueError } from '../../../src/index.ts';
import {
  FilesTarget,
  loadAdapter,
  readSafetensors,
  saveAdapter,
  writeSafetensors,
} from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';
import { patternValue } from '../../../src/keras/saving/peft/config.ts';
import { peftFolder, peftIds, peftModules as modules, peftNet, peftValues } from '../../support/peftNet.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const pathOf = (name: string) => fileURLToPath(new URL(name, peftFolder));
const logits = JSON.parse(fs.readFileSync(pathOf('logits.json'), 'utf8')) as Record<string, number[]>;
const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());
const bytesOf = async (target: FilesTarget, name: string) =>
  new Uint8Array(await (target.files.find((file) => file.name === name) as File).arrayBuffer());
const configIn = async (target: FilesTarget) =>
  JSON.parse(new TextDecoder().decode(await bytesOf(target, 'adapter_config.json')));

function expectClose(values: readonly number[], expected: readonly number[]) {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] as number, 4);
}

describe.each(['fused', 'stabilized', 'decomposed', 'biased'])('%s', (folder) => {
  test('computes what PEFT computes, and is written with the same bits', async () => {
    const net = peftNet();
    expectClose(await dataOf(net.apply(peftIds())), logits.base as number[]);
    await loadAdapter(net, pathOf(folder), { modules });
    expectClose(await dataOf(net.apply(peftIds())), logits[folder] as number[]);
    const target = new FilesTarget();
    await saveAdapter(net, target, { modules });
    const before = fs.readFileSync(pathOf(`${folder}/adapter_model.safetensors`));
    expect(await bytesOf(target, 'adapter_model.safetensors')).toEqual(new Uint8Array(before));
    expect(await configIn(target)).toEqual(
      JSON.parse(fs.readFileSync(pathOf(`${folder}/adapter_config.json`), 'utf8')),
    );
    // From dropped files, as another adapter of the same model, under the paths of the layers.
    net.useAdapter(null);
    const plain = new FilesTarget();
    await saveAdapter(net, plain);
    await loadAdapter(net, plain.files, { name: 'other' });
    expectClose(await dataOf(net.apply(peftIds())), logits[folder] as number[]);
  });
});

test('only its matrices and the modules to save are trained', async () => {
  const net = peftNet();
  await loadAdapter(net, pathOf('fused'), { modules });
  const paths = net.trainableWeights.map(({ path }) => path);
  expect(paths.filter((path) => !/^attention_[01]\/\w+\/lora_kernel_[ab]$/.test(path))).toEqual([
    'head/kernel',
    'head/bias',
  ]);
  expect(paths).toHaveLength(2 * 4 * 2 + 2);
});

test('an adapter that was made here: Keras’s layout, some of the layers of a module, and fields of the configuration', async () => {
  const net = peftNet();
  net.enableLora({ rank: 3, alpha: 2, targets: ['query', 'value', 'up_0'], alsoTrain: 'ln_f' });
  for (const [i, weight] of net.trainableWeights.entries())
    weight.assign(tidy(() => peftValues(weight.shape, i)));
  const y = await dataOf(net.apply(peftIds()));
  const target = new FilesTarget();
  await saveAdapter(net, target, { modules, config: { task_type: 'CAUSAL_LM', fan_in_fan_out: true } });
  expect(await configIn(target)).toMatchObject({
    r: 12,
    lora_alpha: 8,
    rank_pattern: { 'h.0.up': 3 },
    alpha_pattern: { 'h.0.up': 2 },
    target_modules: ['h.0.c_attn', 'h.0.up', 'h.1.c_attn'],
    modules_to_save: ['ln_f'],
    task_type: 'CAUSAL_LM',
    fan_in_fan_out: true,
  });
  const other = peftNet();
  await loadAdapter(other, target.files, { modules });
  expectClose(await dataOf(other.apply(peftIds())), y);
});

describe('biases that are trained', () => {
  const made = async (options: object) => {
    const net = peftNet();
    await net.enableLora({ rank: 2, targets: ['query', 'key', 'value', 'up_*'], layout: 'peft', ...options });
    for (const [i, weight] of net.trainableWeights.entries())
      weight.assign(tidy(() => peftValues(weight.shape, i)));
    const y = await dataOf(net.apply(peftIds()));
    const target = new FilesTarget();
    await saveAdapter(net, target, { modules });
    const { tensors } = readSafetensors(await bytesOf(target, 'adapter_model.safetensors'));
    const other = peftNet();
    await loadAdapter(other, target.files, { modules });
    expectClose(await dataOf(other.apply(peftIds())), y);
    expect(other.trainableWeights.map(({ path }) => path)).toEqual(
      net.trainableWeights.map(({ path }) => path),
    );
    return { net, names: [...tensors.keys()], config: await configIn(target) };
  };
  // Its file has the same biases.
  const decomposed = readSafetensors(fs.readFileSync(pathOf('decomposed/adapter_model.safetensors'))).tensors;
  const biases = (names: Iterable<string>) => [...names].filter((name) => name.endsWith('.bias')).sort();

  test('are all, as PEFT has them', async () => {
    const { net, names, config } = await made({ bias: 'all' });
    expect(config.bias).toBe('all');
    const isAdapted = /c_attn|up/;
    const wanted = biases(decomposed.keys()).map((name) =>
      isAdapted.test(name) ? name : name.replace('.base_layer', ''),
    );
    expect(biases(names)).toEqual(wanted);
    expect(net.trainableWeights.map(({ path }) => path)).toContain('ln_f/beta');
    net.removeLora();
    expect(net.trainableWeights).toHaveLength(net.weights.length);
  });

  test('are those of layers with an adapter', async () => {
    const { names, config } = await made({ bias: 'loraOnly' });
    expect(config.bias).toBe('lora_only');
    const adapted = [0, 1].flatMap((i) => [`h.${i}.c_attn`, `h.${i}.up`]);
    expect(biases(names)).toEqual(adapted.map((name) => `base_model.model.${name}.base_layer.bias`));
  });

  test('are not left out, nor are other weights, where no module is named for them', async () => {
    const { ln_f: _, conv: __, ...others } = modules;
    for (const options of [{ bias: 'all' }, { alsoTrain: 'ln_f' }] as const) {
      const net = peftNet();
      net.enableLora({ rank: 1, targets: 'query', ...options });
      const saving = saveAdapter(net, new FilesTarget(), { modules: others });
      await expect(saving).rejects.toThrow(/no module for '(conv|ln_f)'/);
    }
  });

  test('are none by default, and one of these', async () => {
    const { names, config } = await made({});
    expect([config.bias, biases(names)]).toEqual(['none', []]);
    await expect(async () => peftNet().enableLora({ rank: 1, bias: 'lora_only' as never })).rejects.toThrow(
      /'none' or 'all' or 'loraOnly'/,
    );
  });
});

// What Python says of re.match(rf'(.*\.)?({pattern})$', module).
test.each([
  ['q_proj', 'layers.0.attn.q_proj', true],
  ['proj', 'layers.0.attn.q_proj', false],
  ['attn.q_proj', 'layers.0.attn.q_proj', true],
  [String.raw`.*\.0\..*q_proj`, 'model.layers.0.attn.q_proj', true],
  [String.raw`.*\.0\..*q_proj`, 'model.layers.10.attn.q_proj', false],
  [String.raw`layers\.[01]\.attn\.(q|k)_proj`, 'model.layers.1.attn.k_proj', true],
  [String.raw`layers\.[01]\.attn\.(q|k)_proj`, 'model.layers.2.attn.k_proj', false],
  [String.raw`^layers\.0\.attn\.q_proj`, 'model.layers.0.attn.q_proj', false],
  ['q_proj|k_proj', 'attn.k_proj', true],
])('the pattern %s and the module %s: %s', (pattern, module, fits) => {
  expect(patternValue({ [pattern]: 2 }, module, 1)).toBe(fits ? 2 : 1);
});

describe('errors', () => {
  const read = (folder: string) => ({
    config: JSON.parse(fs.readFileSync(pathOf(`${folder}/adapter_config.json`), 'utf8')),
    tensors: new Map(readSafetensors(fs.readFileSync(pathOf(`${folder}/adapter_model.safetensors`))).tensors),
  });
  type Files = ReturnType<typeof read>;
  const first = 'base_model.model.h.0.c_proj.lora_A.weight';
  const changes: [string, (files: Files) => void, RegExp][] = [
    ['another kind of adapter', ({ config }) => (config.peft_type = 'IA3'), /peft_type: 'IA3'/],
    [
      'DoRA without magnitudes',
      ({ config }) => (config.use_dora = true),
      /use_dora: true, and 'h.0.c_attn' without/,
    ],
    [
      'biases that aren’t there',
      ({ config }) => (config.lora_bias = true),
      /lora_bias: true, and 'h.0.c_attn' without/,
    ],
    [
      'biases that nothing says',
      ({ tensors }) =>
        tensors.set(first.replace('A.weight', 'B.bias'), {
          shape: [8],
          dtype: 'float32',
          data: new Float32Array(8),
        }),
      /lora_bias: false, and 'h.0.c_proj' with/,
    ],
    [
      'weights that PEFT changes at first',
      ({ config }) => (config.init_lora_weights = 'pissa_niter_4'),
      /pissa_niter_4/,
    ],
    ['the same by olora', ({ config }) => (config.init_lora_weights = 'olora'), /init_lora_weights: 'olora'/],
    ['a pattern without an end', ({ config }) => (config.alpha_pattern = { '(a+)+b': 1 }), /alpha_pattern/],
    ['a pattern of Python', ({ config }) => (config.rank_pattern = { '(?P<n>a)': 1 }), /rank_pattern/],
    ['unknown biases', ({ config }) => (config.bias = 'some'), /`bias` is 'none'/],
    ['a rank that is none', ({ config }) => (config.r = '8'), /r: '8'/],
    ['a missing matrix', ({ tensors }) => tensors.delete(first), /'h.0.c_proj' without lora_A/],
    [
      'another shape',
      ({ tensors }) => tensors.set(first, { shape: [2, 9], dtype: 'float32', data: new Float32Array(18) }),
      /lora_A of 'h.0.c_proj' is float32\[2, 8\]/,
    ],
    [
      'no rank',
      ({ tensors }) => tensors.set(first, { shape: [0, 8], dtype: 'float32', data: new Float32Array() }),
      /lora_A of/,
    ],
    [
      'integers',
      ({ tensors }) => tensors.set(first, { shape: [2, 8], dtype: 'int32', data: new Int32Array(16) }),
      /int32\[2, 8\]/,
    ],
    [
      'an unknown module',
      ({ tensors }) => {
        const a = tensors.get(first);
        for (const which of 'AB') tensors.set(`h.0.c_prox.lora_${which}.weight`, a as never);
      },
      /did you mean 'h.0.c_proj'/,
    ],
    [
      'an unknown parameter',
      ({ tensors }) =>
        tensors.set('base_model.model.head.scale', {
          shape: [1],
          dtype: 'float32',
          data: new Float32Array(1),
        }),
      /'head.scale' is a weight/,
    ],
    [
      'a head of another size',
      ({ tensors }) =>
        tensors.set('base_model.model.head.bias', {
          shape: [9],
          dtype: 'float32',
          data: new Float32Array(9),
        }),
      /'head.bias' is float32\[10\]/,
    ],
    [
      'no adapter',
      ({ tensors }) => {
        for (const name of tensors.keys()) if (/lora/.test(name)) tensors.delete(name);
      },
      /lora_A and lora_B of at least one/,
    ],
  ];
  let net: ReturnType<typeof peftNet>;
  beforeAll(() => {
    net = peftNet();
  });
  test.each(changes)('%s: nothing changes', async (_, change, message) => {
    const files = read('fused');
    change(files);
    const before = net.trainableWeights.length;
    const { tensors } = memory();
    const bytes = writeSafetensors(files.tensors);
    const loading = loadAdapter(net, bytes, { modules, config: files.config });
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow(message);
    expect(net.trainableWeights).toHaveLength(before);
    expect(memory().tensors).toBe(tensors);
  });

  test('calls that can’t be', async () => {
    const { tensors, config } = read('fused');
    const bytes = writeSafetensors(tensors);
    await expect(loadAdapter(net, bytes, { modules })).rejects.toThrow(/adapter_config.json next to/);
    await expect(
      loadAdapter(net, new File(['{'], 'adapter_config.json') as never, { modules }),
    ).rejects.toThrow(FormatError);
    await expect(loadAdapter({} as never, bytes, { config })).rejects.toThrow(/it takes a model/);
    await expect(loadAdapter(net, bytes, { config, moduls: modules } as never)).rejects.toThrow(
      /did you mean 'modules'/,
    );
    await expect(loadAdapter(net, bytes, { config, modules: { head: 'a', conv: 'a' } })).rejects.toThrow(
      /parts 0, 1, 2/,
    );
    await expect(saveAdapter(net, new FilesTarget(), { modules })).rejects.toThrow(/call enableLora first/);
    await loadAdapter(net, bytes, { modules, config });
    await expect(loadAdapter(net, bytes, { modules, config })).rejects.toThrow(ValueError);
    await expect(saveAdapter(net, new FilesTarget(), { modules: { head: 'head' } })).rejects.toThrow(
      /no module for 'attention_0\/query'/,
    );
    await expect(saveAdapter(net, new FilesTarget(), { name: 'x' })).rejects.toThrow(/'net' has 'default'/);
    net.removeLora();
  });
});
