/** @file Weights of PyTorch, and of torchvision's networks. test/fixtures/pytorch/make.py made the files. */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FormatError, init, memory, tensor, UnsafeModelError } from '../../../src/index.ts';
import { type HostTensor, readSafetensors, writeSafetensors } from '../../../src/io/index.ts';
import { applications, clearSession, input, layers, model, sequential } from '../../../src/keras/index.ts';
import { formula, formulaWeights } from './torchFormula.ts';

const folder = new URL('../../fixtures/pytorch/', import.meta.url);
const read = (file: string) => fs.readFileSync(new URL(file, folder));

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Returns the network of make.py. */
function network() {
  const image = input({ shape: [8, 6, 3] });
  let x = layers.conv2d({ filters: 8, kernelSize: 3, padding: 'same', name: 'conv' }).apply(image);
  x = layers.batchNormalization({ name: 'norm' }).apply(x);
  x = layers.activation({ activation: 'relu' }).apply(x);
  x = layers
    .depthwiseConv2d({ kernelSize: [3, 2], depthMultiplier: 2, useBias: false, name: 'depth' })
    .apply(x);
  x = layers.conv2d({ filters: 8, kernelSize: 3, groups: 4, activation: 'relu', name: 'grouped' }).apply(x);
  x = layers.conv2dTranspose({ filters: 5, kernelSize: 2, strides: 2, name: 'up' }).apply(x);
  x = layers.flatten().apply(x);
  x = layers.batchNormalization({ name: 'flat_norm' }).apply(x);
  x = layers.dropout({ rate: 0.5 }).apply(x);
  x = layers.dense({ units: 4, activation: 'relu', name: 'fc' }).apply(x);
  return model({ inputs: image, outputs: layers.dense({ units: 2, name: 'head' }).apply(x) });
}

async function furthest(values: ArrayLike<number>, expected: ArrayLike<number>) {
  return Math.max(...Array.from(expected, (value, i) => Math.abs(value - (values[i] as number))));
}

describe('every layout', () => {
  const io = readSafetensors(read('network_io.safetensors')).tensors;

  test.each(['network.pth', 'network_legacy.pth', 'checkpoint.pth', 'network.safetensors'])(
    '%s',
    async (file) => {
      const before = memory().tensors;
      const net = network();
      const progress: number[] = [];
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
        progress.push(loaded / total);
      const { loaded, naming } = await net.loadWeights(read(file), { file, onProgress });
      expect(naming).toBe('pytorch');
      expect(loaded).toContain('fc/kernel');
      expect(progress.at(-1)).toBe(1);
      const { data, shape } = io.get('x') as HostTensor;
      const x = tensor(data, { shape });
      const y = net.apply(x);
      expect(await furthest(await y.data(), (io.get('y') as HostTensor).data)).toBeLessThan(1e-5);
      for (const t of [x, y, net]) t.dispose();
      expect(memory().tensors).toBe(before);
    },
  );

  test('layers by other names, by a record or a function', async () => {
    const renamed = () => {
      const net = sequential([
        layers.dense({ units: 4, name: 'a' }),
        layers.dense({ units: 2, name: 'head' }),
      ]);
      net.build([null, 240]);
      return net;
    };
    const net = renamed();
    const options = { file: 'network.pth', extra: 'ignore' } as const;
    await net.loadWeights(read('network.pth'), { ...options, modules: { a: 'fc' } });
    const again = renamed();
    await again.loadWeights(read('network.pth'), {
      ...options,
      modules: (layer) => (layer === 'a' ? 'fc' : undefined),
    });
    expect(await again.weights[0]?.data()).toEqual(await net.weights[0]?.data());
    net.dispose();
    again.dispose();
  });

  test('two stacks in the same order', async () => {
    const file = writeSafetensors(
      new Map([
        ['0.weight', { shape: [3, 2], dtype: 'float32', data: Float32Array.of(1, 2, 3, 4, 5, 6) }],
        ['0.bias', { shape: [3], dtype: 'float32', data: Float32Array.of(7, 8, 9) }],
        ['2.weight', { shape: [1, 3], dtype: 'float32', data: Float32Array.of(1, 1, 1) }],
        ['2.bias', { shape: [1], dtype: 'float32', data: Float32Array.of(5) }],
      ]),
    );
    const net = sequential([layers.dense({ units: 3 }), layers.dense({ units: 1 })]);
    net.build([null, 2]);
    await net.loadWeights(file);
    expect(await net.weights[0]?.data()).toEqual(Float32Array.of(1, 3, 5, 2, 4, 6));
    net.dispose();
  });
});

describe('files that do not fit, or are not to be trusted', () => {
  const state = () => new Map(readSafetensors(read('network.safetensors')).tensors);

  test.each([
    ['missing', (all: ReturnType<typeof state>) => all.delete('fc.bias'), /none for 'fc\/bias'/],
    [
      'left over',
      (all: ReturnType<typeof state>) =>
        all.set('more.weight', { shape: [1], dtype: 'float32', data: Float32Array.of(1) }),
      /no other weights.*\n.*'more\.weight'/,
    ],
    [
      'another shape',
      (all: ReturnType<typeof state>) =>
        all.set('head.weight', { shape: [4, 2], dtype: 'float32', data: new Float32Array(8) }),
      /'head\.weight' is float32\[2, 4\], for weight 'head\/kernel'.*\n.*float32\[4, 2\]/,
    ],
  ])('%s', async (_, change, message) => {
    const net = network();
    const before = await net.weights[0]?.data();
    const all = state();
    change(all);
    const error = await net
      .loadWeights(writeSafetensors(all), { file: 'net.safetensors' })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FormatError);
    expect(String(error)).toMatch(message);
    expect(await net.weights[0]?.data()).toEqual(before);
    net.dispose();
  });

  test.each([
    ['unsafe_call.pth', /'(posix|nt)\.system'/],
    ['unsafe_module.pth', /'torch\.nn\.modules\.linear\.Linear'/],
    ['unsafe_legacy.pth', /'(posix|nt)\.system'/],
  ])('%s', async (file, message) => {
    const net = network();
    const error = await net.loadWeights(read(file), { file }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UnsafeModelError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain(file);
    net.dispose();
  });
});

interface NetworkCase {
  input: number[];
  weights: [name: string, shape: number[]][];
  shape: number[];
  std: number;
  values: number[];
}

describe("torchvision's networks", () => {
  const cases = JSON.parse(read('networks.json').toString()) as Record<string, NetworkCase>;
  const { vgg16, mobileNetV2, resNet18, resNet50 } = applications;
  const toyPictures = {
    classes: 10,
    classifierActivation: null,
    inputShape: [32, 32, 3],
    kernelInitializer: 'zeros',
  } as const;
  const made = {
    vgg16: () => vgg16({ includeTop: false }),
    resnet18: () => resNet18(toyPictures),
    resnet50: (convention: 'keras' | 'torchvision' = 'torchvision') => {
      const net = resNet50({ includeTop: false, kernelInitializer: 'zeros', convention });
      return model({ inputs: net.input, outputs: net.getLayer('conv3_block4_out').output });
    },
    mobilenet_v2: (convention: 'keras' | 'torchvision' = 'torchvision') =>
      mobileNetV2({
        alpha: 0.35,
        classes: 10,
        classifierActivation: null,
        inputShape: [64, 64, 3],
        convention,
      }),
  };

  test.each(['vgg16', 'mobilenet_v2', 'resnet18', 'resnet50'] as const)('%s', async (name) => {
    const { input: shape, weights, std, values } = cases[name] as NetworkCase;
    const file = writeSafetensors(formulaWeights(weights));
    const net = made[name]();
    await net.loadWeights(file, { file: `${name}.safetensors` });
    const x = tensor(
      formula(
        shape.reduce((a, b) => a * b, 1),
        4096,
      ),
      { shape },
    );
    const y = net.apply(x);
    expect(y.shape).toEqual(cases[name]?.shape);
    expect((await furthest(await y.data(), values)) / std).toBeLessThan(1e-4);
    for (const t of [x, y, net]) t.dispose();
  });

  test.each(['mobilenet_v2', 'resnet50'] as const)("a %s in Keras's form is rejected", async (name) => {
    const net = made[name]('keras');
    const { weights } = cases[name] as NetworkCase;
    const error = await net.loadWeights(writeSafetensors(formulaWeights(weights))).catch((e: unknown) => e);
    expect(String(error)).toMatch(/convention: 'torchvision'/);
    net.dispose();
  });
});
