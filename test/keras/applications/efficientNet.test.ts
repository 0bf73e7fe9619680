/** @file EfficientNetB0 against Keras: structure, counts, summary, preprocessing, activations. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, memory, ShapeError, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { applications, clearSession, input, type KerasTensor, model } from '../../../src/keras/index.ts';
import {
  assignFormula,
  expectStatistics,
  expectStructure,
  formulaTensor,
  pixelValue,
  readFixture,
  readSummary,
} from './formula.ts';

const { efficientNetB0 } = applications;
const fixture = readFixture('efficientnet_b0');

/** A network of full size on a software adapter, while other tests run. */
const timeout = 180_000;

beforeAll(async () => {
  await init();
});

describe('efficientNetB0', { timeout }, () => {
  test("has Keras's layers, shapes, weights and nodes, and its summary", () => {
    clearSession();
    using net = efficientNetB0({ kernelInitializer: 'zeros' });
    const { withTop } = fixture;
    expect(net.name).toBe('efficientnetb0');
    expectStructure(net, withTop);
    const count = (weights: readonly { size: number }[]) => weights.reduce((n, { size }) => n + size, 0);
    expect(count(net.trainableWeights)).toBe(withTop.trainableParams);
    expect(count(net.nonTrainableWeights)).toBe(withTop.nonTrainableParams);
    const lines: string[] = [];
    net.summary({ lineLength: 80, print: (text) => lines.push(text) });
    expect(`${lines.join('\n').trimEnd()}\n`).toBe(`${readSummary('efficientnet_b0').trimEnd()}\n`);
  });

  test("has Keras's shapes and count of parameters without its top", () => {
    clearSession();
    const { withoutTop } = fixture;
    using net = efficientNetB0({
      includeTop: false,
      inputShape: withoutTop.inputShape,
      kernelInitializer: 'zeros',
    });
    const rows = net.layers.map((layer) => [layer.name, [...(layer.output as KerasTensor).shape]]);
    expect(rows).toEqual(withoutTop.layers);
    expect(net.countParams()).toBe(withoutTop.totalParams);
  });

  test('leaves pictures unchanged, like Keras', async () => {
    for (const { input: pictures, output } of fixture.preprocessInput) {
      expect(await efficientNetB0.preprocessInput(tensor(pictures)).array()).toEqual(output);
    }
  });

  test("gives Keras's activations", async () => {
    clearSession();
    const { formula } = fixture;
    const { image, salt, inputShape, activations, tolerance } = formula;
    using net = efficientNetB0({ inputShape: inputShape.slice(1), kernelInitializer: 'zeros' });
    assignFormula(net.weights, formula);
    const picture = formulaTensor(inputShape, (e) => pixelValue(e, image.index, salt));
    expect([...(await picture.data()).slice(0, 8)]).toEqual(image.first8);
    const outputs = activations.map(({ layer }) => net.getLayer(layer).output as KerasTensor);
    const features = model({ inputs: net.input, outputs }).apply(picture);
    for (const [i, expected] of activations.entries()) {
      const output = features[i] as Tensor;
      expect(output.shape).toEqual(expected.shape);
      expectStatistics((await output.data()) as Float32Array, expected, tolerance.ofStd);
    }
  });

  test('takes pictures of any size without its top, and pools according to the option', () => {
    using open = efficientNetB0({ includeTop: false, kernelInitializer: 'zeros' });
    expect(open.output.shape).toEqual([null, null, null, 1280]);
    const image = input({ shape: [64, 96, 3] });
    using mean = efficientNetB0({
      includeTop: false,
      inputTensor: image,
      pooling: 'avg',
      kernelInitializer: 'zeros',
    });
    expect(mean.input).toBe(image);
    expect(mean.output.shape).toEqual([null, 1280]);
    expect(mean.layers.at(-1)?.name).toBe('avg_pool');
    using max = efficientNetB0({
      includeTop: false,
      inputShape: [64, 64, 3],
      pooling: 'max',
      kernelInitializer: 'zeros',
      name: 'features',
    });
    expect(max.layers.at(-1)?.name).toBe('max_pool');
    expect(max.name).toBe('features');
  });

  test('leaves nothing behind', () => {
    const before = memory().tensors;
    efficientNetB0({ includeTop: false, inputShape: [32, 32, 3], kernelInitializer: 'zeros' }).dispose();
    expect(memory().tensors).toBe(before);
  });

  test('draws the same weights from one seed', async () => {
    const draw = async (seed: number) => {
      clearSession();
      using net = efficientNetB0({ includeTop: false, inputShape: [32, 32, 3], seed });
      const [first, second] = net.weights.filter(({ path }) => path.endsWith('_conv/kernel'));
      return [await first?.data(), await second?.data()].map((values) => [
        ...(values as Float32Array).slice(0, 4),
      ]);
    };
    const once = await draw(1);
    expect(await draw(1)).toEqual(once);
    expect(await draw(2)).not.toEqual(once);
    expect(once[0]).not.toEqual(once[1]);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['trained weights', () => efficientNetB0({ weights: 'imagenet' as never }), ValueError],
    ['another pooling', () => efficientNetB0({ pooling: 'sum' as never }), ValueError],
    ['an open size below the top', () => efficientNetB0({ inputShape: [null, null, 3] }), ShapeError],
    ['pictures that are too small', () => efficientNetB0({ inputShape: [16, 32, 3] }), ShapeError],
    ['no classes', () => efficientNetB0({ classes: 0 }), ValueError],
    ['a top that is no boolean', () => efficientNetB0({ includeTop: 1 as never }), ValueError],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});
