/**
 * @file Applications against Keras: structure, parameter counts, preprocessing, and activations under weights that
 * anyone can compute (test/fixtures/README.md, 'Formula weights').
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  GradientTape,
  getDevice,
  init,
  mean,
  ShapeError,
  square,
  sub,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';
import { applications, clearSession, input, type KerasTensor, model } from '../../src/keras/index.ts';

interface Statistics {
  mean: number;
  std: number;
  min: number;
  max: number;
  first8: number[];
}

interface Fixture {
  withTop: {
    totalParams: number;
    layers: { name: string; class: string; outputShape: (number | null)[]; params: number }[];
    weights: { path: string; shape: number[] }[];
    nodes: Record<string, [string, number, number][][]>;
  };
  withoutTop: { totalParams: number; inputShape: number[]; layers: [string, (number | null)[]][] };
  preprocessInput: { input: number[][][][]; output: number[][][][] }[];
  formula: {
    salt: number;
    inputShape: number[];
    image: { index: number; first8: number[] };
    weights: { index: number; path: string; scale: number; offset: number; first4: number[] }[];
    activations: (Statistics & { layer: string; shape: number[] })[];
    tolerance: { ofStd: number };
    perceptual?: {
      layers: string[];
      images: [number, number];
      value: number;
      parts: number[];
      gradient: Statistics;
      tolerance: { rtol: number; ofStd: number };
    };
  };
}

const fixtures = new URL('../fixtures/applications/', import.meta.url);
const read = (name: string): Fixture => JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), 'utf8'));

function mix(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** In [-1, 1), exact in float32. */
function unit(element: number, weight: number, salt: number): number {
  const key = (Math.imul(element, 0x9e3779b1) + Math.imul(weight, 0x85ebca77) + salt) | 0;
  return (mix(key) >>> 8) * 2 ** -23 - 1;
}

const f = Math.fround;
const weightValue = (e: number, g: number, salt: number, offset: number, scale: number) =>
  f(f(offset) + f(unit(e, g, salt) * f(scale)));
const imageValue = (e: number, g: number, salt: number) =>
  (Math.floor((unit(e, g, salt) + 1) * 128) - 127.5) / 64;

function formulaTensor(shape: readonly number[], valueAt: (element: number) => number): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, e) => valueAt(e)),
    { shape },
  );
}

function statisticsOf(values: Float32Array): Statistics {
  const average = values.reduce((total, x) => total + x, 0) / values.length;
  const variance = values.reduce((total, x) => total + (x - average) ** 2, 0) / values.length;
  return {
    mean: average,
    std: Math.sqrt(variance),
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    first8: [...values.slice(0, 8)],
  };
}

function expectStatistics(values: Float32Array, expected: Statistics, tolerance: number): void {
  const actual = statisticsOf(values);
  const close = (a: number, b: number) =>
    expect(Math.abs(a - b)).toBeLessThanOrEqual(tolerance * expected.std);
  for (const key of ['mean', 'std', 'min', 'max'] as const) close(actual[key], expected[key]);
  expected.first8.forEach((value, i) => {
    close(actual.first8[i] as number, value);
  });
}

/** Networks of full size on a software adapter, beside other tests. */
const timeout = 180_000;

beforeAll(async () => {
  await init();
});

describe.each(['vgg16', 'vgg19'] as const)('%s', { timeout }, (name) => {
  const fixture = read(name);
  const build = applications[name];

  test("has Keras's layers, shapes, weights and nodes", () => {
    clearSession();
    using net = build({ kernelInitializer: 'zeros' });
    const { withTop } = fixture;
    expect(net.name).toBe(name);
    const rows = net.layers.map((layer) => ({
      name: layer.name,
      class: layer.className,
      outputShape: [...(layer.output as KerasTensor).shape],
      params: layer.countParams(),
    }));
    expect(rows).toEqual(withTop.layers);
    expect(net.countParams()).toBe(withTop.totalParams);
    expect(net.weights.map((weight) => ({ path: weight.name, shape: weight.shape }))).toEqual(
      withTop.weights.map(({ path, shape }) => ({ path, shape })),
    );
    const nodes = net.layers.map((layer) => [
      layer.name,
      layer.inboundNodes.map((node) =>
        node.inputTensors.map(({ kerasHistory }) => [
          kerasHistory?.operation.name,
          kerasHistory?.nodeIndex,
          kerasHistory?.tensorIndex,
        ]),
      ),
    ]);
    expect(Object.fromEntries(nodes)).toEqual(withTop.nodes);
    net.dispose();
    getDevice().pool.trim();
  });

  test('preprocesses pictures as Keras does', async () => {
    for (const { input: pictures, output } of fixture.preprocessInput) {
      expect(await build.preprocessInput(tensor(pictures)).array()).toEqual(output);
    }
    expect(() => build.preprocessInput(tensor([[1, 2]]))).toThrow(ShapeError);
    expect(build.preprocessInput(input({ shape: [4, 4, 3] })).shape).toEqual([null, 4, 4, 3]);
  });

  describe('without its top', () => {
    const { formula, withoutTop } = fixture;
    let net: ReturnType<typeof build>;
    beforeAll(() => {
      clearSession();
      net = build({ includeTop: false, inputShape: withoutTop.inputShape, kernelInitializer: 'zeros' });
      formula.weights.forEach(({ index, path, offset, scale, first4 }, i) => {
        const weight = net.weights[i] as Tensor & { assign(value: Tensor): void };
        expect(weight.name).toBe(path);
        const valueAt = (e: number) => weightValue(e, index, formula.salt, offset, scale);
        expect([0, 1, 2, 3].map(valueAt)).toEqual(first4.map(f));
        const values = formulaTensor(weight.shape, valueAt);
        weight.assign(values);
        values.dispose();
      });
    });

    test("has Keras's shapes and count of parameters", () => {
      const rows = net.layers.map((layer) => [layer.name, [...(layer.output as KerasTensor).shape]]);
      expect(rows).toEqual(withoutTop.layers);
      expect(net.countParams()).toBe(withoutTop.totalParams);
    });

    test("gives Keras's activations", async () => {
      const { image, salt, inputShape } = formula;
      const picture = formulaTensor(inputShape, (e) => imageValue(e, image.index, salt));
      expect([...(await picture.data()).slice(0, 8)]).toEqual(image.first8);
      const features = featuresOf(
        net,
        formula.activations.map(({ layer }) => layer),
        inputShape,
      );
      const outputs = features.apply(picture);
      for (const [i, expected] of formula.activations.entries()) {
        const output = outputs[i] as Tensor;
        expect(output.shape).toEqual(expected.shape);
        expectStatistics((await output.data()) as Float32Array, expected, formula.tolerance.ofStd);
      }
    });

    const { perceptual } = formula;
    if (!perceptual) return;
    test("gives Keras's perceptual loss and its gradient", async () => {
      const { layers, images, value, parts, gradient, tolerance } = perceptual;
      const features = featuresOf(net, layers, formula.inputShape);
      net.trainable = false;
      const [a, b] = images.map((g) =>
        formulaTensor(formula.inputShape, (e) => imageValue(e, g, formula.salt)),
      );
      const target = features.apply(b as Tensor);
      const tape = new GradientTape();
      tape.watch(a as Tensor);
      const losses = features
        .apply(a as Tensor)
        .map((feature, i) => mean(square(sub(feature, target[i] as Tensor))));
      const loss = losses.reduce((x, y) => add(x, y));
      const dx = tape.gradient(loss, a as Tensor) as Tensor;
      const close = (x: number, y: number) => expect(Math.abs(x - y)).toBeLessThanOrEqual(tolerance.rtol * y);
      close(await loss.item(), value);
      for (const [i, part] of parts.entries()) close(await (losses[i] as Tensor).item(), part);
      expectStatistics((await dx.data()) as Float32Array, gradient, tolerance.ofStd);
    });
  });
});

/** The convolutions take any size: the extractor is called on other pictures than the network was built for. */
function featuresOf(net: ReturnType<typeof applications.vgg16>, names: string[], shape: number[]) {
  const image = input({ shape: shape.slice(1) });
  let x: KerasTensor = image;
  const outputs = new Map<string, KerasTensor>();
  for (const layer of net.layers.slice(1)) {
    x = layer.apply(x) as KerasTensor;
    outputs.set(layer.name, x);
  }
  return model({ inputs: image, outputs: names.map((name) => outputs.get(name) as KerasTensor) });
}

describe('vgg', { timeout }, () => {
  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    [
      'weights that are read by a later version',
      () => applications.vgg19({ weights: 'imagenet' as never }),
      ValueError,
    ],
    ['a shape without channels', () => applications.vgg19({ inputShape: [224, 224] }), ShapeError],
    [
      'pictures that are too small',
      () => applications.vgg19({ includeTop: false, inputShape: [16, 64, 3] }),
      ShapeError,
    ],
    ['an open size below the top', () => applications.vgg16({ inputShape: [null, null, 3] }), ShapeError],
    ['a fractional seed', () => applications.vgg16({ seed: 0.5 }), ValueError],
    ['no classes', () => applications.vgg16({ classes: 0 }), ValueError],
  ])('refuses %s', (_, call, error) => {
    expect(call).toThrow(error);
  });

  test('draws the same weights from one seed, others for every layer', async () => {
    const draw = async (seed: number) => {
      clearSession();
      using net = applications.vgg16({ includeTop: false, seed });
      const [first, , second, , third, , fourth] = net.weights;
      void second;
      void third;
      return [await first?.data(), await fourth?.data()].map((values) => [
        ...(values as Float32Array).slice(0, 4),
      ]);
    };
    const once = await draw(1);
    expect(await draw(1)).toEqual(once);
    expect(await draw(2)).not.toEqual(once);
    expect(once[0]).not.toEqual(once[1]);
  });
});
