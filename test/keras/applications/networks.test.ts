/**
 * @file All networks against Keras: layers, shapes, parameters and connections, and activations of some under formula
 * weights (test/fixtures/applications/keras_networks.py).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  FormatError,
  getDevice,
  init,
  memory,
  ShapeError,
  type Tensor,
  tensor,
  type Variable,
  ValueError,
} from '../../../src/index.ts';
import { applications, clearSession, type KerasTensor, Layer, model } from '../../../src/keras/index.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';
import { BytesTarget } from '../../../src/io/index.ts';
import { expectStatistics, formulaTensor, pixelValue, type Statistics, weightValue } from './formula.ts';

type Maker = (options: object) => applications.Network;

interface Case {
  network: string;
  options: object;
  name: string;
  params: number;
  nonTrainable: number;
  layers: number;
  sha256: string;
  lines?: string[];
}

interface Run {
  network: string;
  options: object;
  salt: number;
  image: { index: number; first8: number[] };
  activations: (Statistics & { layer: string; shape: number[] })[];
}

function readCases<T>(name: string): T[] {
  const url = new URL(`../../fixtures/applications/${name}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).cases;
}

const makerOf = (name: string) => (applications as unknown as Record<string, Maker>)[name] as Maker;

/** 'name Class [shape] parameters inputs…' */
function lineOf(layer: AnyLayer): string {
  const node = layer.inboundNodes.at(-1);
  const shape = outputOf(layer)[0]
    .shape.slice(1)
    .map((n) => n ?? '?');
  const inputs = node?.inputTensors.map(({ kerasHistory }) => operationName(kerasHistory?.operation)) ?? [];
  return [layer.name, layer.className, `[${shape}]`, layer.countParams(), ...inputs].join(' ');
}

/** The op that Keras calls multiply is `mul` here, as in TF.js. */
const operationName = (operation: { name: string } | undefined) =>
  operation instanceof Layer ? operation.name : operation?.name.replace(/^mul\b|^mul(?=_)/, 'multiply');

const outputOf = (layer: AnyLayer) => layer.inboundNodes.at(-1)?.outputTensors as readonly [KerasTensor];

/** Networks of full size on a software adapter, while other tests run. */
const timeout = 180_000;

beforeAll(async () => {
  await init();
});

/**
 * Large variants differ from the smaller ones only in their tables, and building all of them takes half a minute, so they are
 * built only with RETROGRAD_ALL_NETWORKS=1.
 */
const isChecked = ({ lines, options, params }: Case) =>
  process.env.RETROGRAD_ALL_NETWORKS !== undefined ||
  (params < 25e6 && (lines !== undefined || Object.keys(options).length > 0 || params < 9e6));

describe("Keras's structures", { timeout }, () => {
  test.each(
    readCases<Case>('networks.json')
      .filter(isChecked)
      .map((each) => [`${each.network} ${JSON.stringify(each.options)}`, each] as const),
  )('%s', (_, { network, options, name, params, nonTrainable, layers, sha256, lines: expected }) => {
    clearSession();
    const net = makerOf(network)({ ...options, kernelInitializer: 'zeros' });
    const lines = net.layers.map(lineOf);
    const fixed = net.nonTrainableWeights.reduce((total, { size }) => total + size, 0);
    const counts = { name: net.name, params: net.countParams(), nonTrainable: fixed, layers: lines.length };
    net.dispose();
    getDevice().pool.trim();
    if (expected) expect(lines).toEqual(expected);
    expect(counts).toEqual({ name, params, nonTrainable, layers });
    expect(createHash('sha256').update(lines.join('\n')).digest('hex')).toBe(sha256);
  });
});

/** As in keras_networks.py: kernels keep the variance of their inputs, other weights stay near their defaults. */
function recipe({ path, shape }: Variable): { offset: number; scale: number } {
  const last = path.split('/').at(-1) as string;
  if (last.endsWith('kernel')) {
    const read = last === 'depthwise_kernel' ? shape.slice(0, 2) : shape.slice(0, -1);
    return { offset: 0, scale: Math.fround(Math.sqrt(Math.fround(6 / read.reduce((a, b) => a * b, 1)))) };
  }
  // Keras gives the weight of a LayerScale no name.
  const isScale = /gamma|variance$/.test(last) && !path.includes('layer_scale');
  return { offset: isScale ? 1 : 0, scale: 0.1 };
}

describe("Keras's activations", { timeout }, () => {
  test.each(readCases<Run>('activations.json').map((run) => [run.network, run] as const))(
    '%s',
    async (_, { network, options, salt, image, activations }) => {
      clearSession();
      using net = makerOf(network)({ ...options, kernelInitializer: 'zeros' });
      const outputs = activations.map(({ layer }) => outputOf(net.getLayer(layer) as unknown as AnyLayer)[0]);
      const features = model({ inputs: net.input, outputs });
      const used = new Set(features.weights);
      net.weights.forEach((weight, index) => {
        if (!used.has(weight) || weight.dtype !== 'float32') return;
        const { offset, scale } = recipe(weight);
        const values = formulaTensor(weight.shape, (e) => weightValue(e, index, salt, offset, scale));
        weight.assign(values);
        values.dispose();
      });
      const picture = formulaTensor([1, 32, 32, 3], (e) => pixelValue(e, image.index, salt));
      expect([...(await picture.data()).slice(0, 8)]).toEqual(image.first8);
      const found = features.apply(picture) as Tensor[];
      for (const [i, expected] of activations.entries()) {
        const output = found[i] as Tensor;
        expect(output.shape).toEqual(expected.shape);
        expectStatistics((await output.data()) as Float32Array, expected, 1e-4);
      }
    },
  );
});

const one = [[0.4, 0.6]];

describe('weights, predictions and pictures', { timeout }, () => {
  const bad: [string, (options: object) => unknown, object, new (...args: never[]) => Error][] = [
    ['an unknown option', applications.resNet50, { alpha: 1 }, ValueError],
    ['trained weights by name', applications.denseNet121, { weights: 'imagenet' }, ValueError],
    ['an alpha of 0', applications.mobileNet, { alpha: 0 }, ValueError],
    ['half a depth multiplier', applications.mobileNet, { depthMultiplier: 0.5 }, ValueError],
    ['a rate above 1', applications.mobileNet, { dropout: 2, inputShape: [32, 32, 3] }, ValueError],
    ['pictures below 71 pixels', applications.xception, { inputShape: [70, 299, 3] }, ShapeError],
    ['pictures below 75 pixels', applications.inceptionV3, { inputShape: [299, 74, 3] }, ShapeError],
    ['a fractional minimalistic', applications.mobileNetV3Small, { minimalistic: 0.5 }, ValueError],
    ['preprocessing by name', applications.convNeXtTiny, { includePreprocessing: 'yes' }, ValueError],
    [
      'a network of cells for open sizes',
      applications.nasNetMobile,
      { includeTop: false, inputShape: [null, null, 3] },
      ShapeError,
    ],
    ['an open size below the top', applications.efficientNetV2B0, { inputShape: [null, 64, 3] }, ShapeError],
  ];
  test.each(bad)('%s is rejected', (_, make, options, error) => {
    expect(() => make(options)).toThrow(error);
  });

  test('weights of a file are loaded, and a damaged file leaves nothing', async () => {
    const options = { inputShape: [32, 32, 3], classes: 3, alpha: 0.25 } as const;
    using first = applications.mobileNet({ ...options, seed: 4 });
    const file = new BytesTarget();
    await first.saveWeights(file);
    using second = await applications.mobileNet({ ...options, weights: file.bytes });
    const [kernel] = first.weights;
    expect(await second.weights[0]?.data()).toEqual(await kernel?.data());
    const before = memory().tensors;
    const damaged = applications.mobileNet({ ...options, weights: file.bytes.slice(0, 900) });
    await expect(damaged).rejects.toThrow(FormatError);
    expect(memory().tensors).toBe(before);
  });

  test('pictures are scaled as in Keras', async () => {
    const picture = tensor([[[[0, 127.5, 255]]]]);
    const near = async (prepared: Tensor, expected: number[]) => {
      const found = await prepared.data();
      for (const [i, value] of expected.entries()) expect(found[i]).toBeCloseTo(value, 4);
    };
    // keras.applications.imagenet_utils.preprocess_input, modes caffe, tf and torch.
    await near(applications.resNet50.preprocessInput(picture), [151.061, 10.721, -123.68]);
    await near(applications.resNet50V2.preprocessInput(picture), [-1, 0, 1]);
    await near(applications.denseNet121.preprocessInput(picture), [-2.117904, 0.196429, 2.64]);
    expect(applications.mobileNetV3Large.preprocessInput(picture)).toBe(picture);
    expect(() => applications.denseNet201.preprocessInput(tensor([[1, 2]]))).toThrow(ShapeError);
  });

  test('predictions get names', async () => {
    const predictions = tensor([
      [0.1, 0.7, 0.2],
      [0.5, 0.2, 0.3],
    ]);
    const classNames = ['cat', 'dog', 'fox'];
    expect(await applications.decodePredictions(predictions, { classNames, top: 1 })).toEqual([
      [{ index: 1, name: 'dog', score: Math.fround(0.7) }],
      [{ index: 0, name: 'cat', score: 0.5 }],
    ]);
    const keras = { 0: ['n1', 'cat'], 1: ['n2', 'dog'], 2: ['n3', 'fox'] } as const;
    const [first] = await applications.resNet50.decodePredictions(predictions, { classNames: keras });
    expect(first?.map(({ id, name }) => [id, name])).toEqual([
      ['n2', 'dog'],
      ['n3', 'fox'],
      ['n1', 'cat'],
    ]);
    const url = `data:application/json,${encodeURIComponent(JSON.stringify(classNames))}`;
    const byUrl = await applications.decodePredictions(predictions, { classNames: url, top: 2 });
    expect(byUrl[1]?.map(({ name }) => name)).toEqual(['cat', 'fox']);
  });

  test.each<[string, object, object, new (...args: never[]) => Error]>([
    ['too few names', one, { classNames: ['cat'] }, ShapeError],
    ['no names', one, {}, ValueError],
    ['names that are numbers', one, { classNames: [1, 2] }, ValueError],
    ['a file that is no JSON', one, { classNames: 'data:,cat' }, FormatError],
    ['a top of 0', one, { classNames: ['cat', 'dog'], top: 0 }, ValueError],
    ['features', [[[1, 2]]], { classNames: ['cat', 'dog'] }, ShapeError],
  ])('%s are rejected', async (_, values, options, error) => {
    const decoded = applications.decodePredictions(tensor(values as number[][]), options as never);
    await expect(decoded).rejects.toThrow(error);
  });
});
