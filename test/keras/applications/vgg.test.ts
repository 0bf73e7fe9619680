/** @file VGG16 and VGG19 against Keras: structure, counts, preprocessing, activations, a perceptual loss. */
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
} from '../../../src/index.ts';
import { applications, clearSession, input, type KerasTensor, model } from '../../../src/keras/index.ts';
import {
  assignFormula,
  expectStatistics,
  expectStructure,
  formulaTensor,
  imageValue,
  readFixture,
} from './formula.ts';

/** Networks of full size on a software adapter, while other tests run. */
const timeout = 180_000;

beforeAll(async () => {
  await init();
});

describe.each(['vgg16', 'vgg19'] as const)('%s', { timeout }, (name) => {
  const fixture = readFixture(name);
  const build = applications[name];

  test("has Keras's layers, shapes, weights and nodes", () => {
    clearSession();
    using net = build({ kernelInitializer: 'zeros' });
    expect(net.name).toBe(name);
    expectStructure(net, fixture.withTop);
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
      assignFormula(net.weights, formula);
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

/** The convolutions take any size: the extractor is called on pictures of another size than the network was built for. */
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
    ['weights by a name', () => applications.vgg19({ weights: 'imagenet' as never }), ValueError],
    ['a shape without channels', () => applications.vgg19({ inputShape: [224, 224] }), ShapeError],
    [
      'pictures that are too small',
      () => applications.vgg19({ includeTop: false, inputShape: [16, 64, 3] }),
      ShapeError,
    ],
    ['an open size below the top', () => applications.vgg16({ inputShape: [null, null, 3] }), ShapeError],
    ['a fractional seed', () => applications.vgg16({ seed: 0.5 }), ValueError],
    ['no classes', () => applications.vgg16({ classes: 0 }), ValueError],
  ])('rejects %s', (_, call, error) => {
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
