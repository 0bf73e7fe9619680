/**
 * @file MobileNetV2 against facts about Keras's: parameters, numbers and names of layers, shapes of features that are
 * commonly used.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  isFinite as finite,
  all,
  mean,
  ShapeError,
  square,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { applications, clearSession, type KerasTensor } from '../../../src/keras/index.ts';

const { mobileNetV2 } = applications;

/** A network of full size on a software adapter, while other tests run. */
const timeout = 180_000;

beforeAll(async () => {
  await init();
});

const count = (weights: readonly { size: number }[]) => weights.reduce((n, { size }) => n + size, 0);
const zeros = { kernelInitializer: 'zeros' } as const;

describe('mobileNetV2', { timeout }, () => {
  test("has Keras's parameters, layers and names", () => {
    clearSession();
    using net = mobileNetV2(zeros);
    expect(net.name).toBe('mobilenetv2_1.00_224');
    expect(net.countParams()).toBe(3_538_984);
    expect(count(net.nonTrainableWeights)).toBe(34_112);
    expect(net.layers).toHaveLength(156);
    const names = net.layers.map(({ name }) => name);
    expect(names.slice(0, 20)).toEqual([
      'input_layer',
      'Conv1',
      'bn_Conv1',
      'Conv1_relu',
      'expanded_conv_depthwise',
      'expanded_conv_depthwise_BN',
      'expanded_conv_depthwise_relu',
      'expanded_conv_project',
      'expanded_conv_project_BN',
      'block_1_expand',
      'block_1_expand_BN',
      'block_1_expand_relu',
      'block_1_pad',
      'block_1_depthwise',
      'block_1_depthwise_BN',
      'block_1_depthwise_relu',
      'block_1_project',
      'block_1_project_BN',
      'block_2_expand',
      'block_2_expand_BN',
    ]);
    expect(names.slice(-6)).toEqual([
      'block_16_project_BN',
      'Conv_1',
      'Conv_1_bn',
      'out_relu',
      'global_average_pooling2d',
      'predictions',
    ]);
    expect(names.filter((name) => name.endsWith('_add'))).toEqual(
      [2, 4, 5, 7, 8, 9, 11, 12, 14, 15].map((block) => `block_${block}_add`),
    );
    expect(names.filter((name) => name.endsWith('_pad'))).toEqual(
      [1, 3, 6, 13].map((block) => `block_${block}_pad`),
    );
    // The features that Keras's and TensorFlow's segmentation examples use.
    const features: [string, number[]][] = [
      ['block_1_expand_relu', [112, 112, 96]],
      ['block_3_expand_relu', [56, 56, 144]],
      ['block_6_expand_relu', [28, 28, 192]],
      ['block_13_expand_relu', [14, 14, 576]],
      ['block_16_project', [7, 7, 320]],
      ['out_relu', [7, 7, 1280]],
    ];
    for (const [name, shape] of features) {
      expect((net.getLayer(name).output as KerasTensor).shape).toEqual([null, ...shape]);
    }
  });

  test("has Keras's parameters without its top", () => {
    clearSession();
    using net = mobileNetV2({ ...zeros, includeTop: false, inputShape: [96, 96, 3] });
    expect(net.name).toBe('mobilenetv2_1.00_96');
    expect(net.countParams()).toBe(2_257_984);
    expect(net.layers).toHaveLength(154);
    expect(net.output.shape).toEqual([null, 3, 3, 1280]);
    using open = mobileNetV2({ ...zeros, includeTop: false, pooling: 'max' });
    expect(open.output.shape).toEqual([null, 1280]);
    expect(open.name).toBe('mobilenetv2_1.00_None');
  });

  // Millions of parameters as in Keras's documentation, without moving averages.
  test.each([
    [1.4, 6.06],
    [1.3, 5.34],
    [0.75, 2.61],
    [0.5, 1.95],
    [0.35, 1.66],
  ])('has the width of alpha %d', (alpha, millions) => {
    using net = mobileNetV2({ ...zeros, alpha, inputShape: [32, 32, 3] });
    expect(net.name).toBe(`mobilenetv2_${alpha.toFixed(2)}_32`);
    expect(Math.abs(count(net.trainableWeights) / 1e6 - millions)).toBeLessThan(0.06);
  });

  test('brings pictures to [-1, 1]', async () => {
    const found = await mobileNetV2.preprocessInput(tensor([[0, 127.5, 255]])).data();
    // x / 127.5 - 1: WGSL allows a division 2.5 ulps, here of 0, 1 and 2. The difference is exact.
    const wanted = [-1, 0, 1];
    expect(found).toHaveLength(3);
    for (const [i, value] of wanted.entries())
      expect(Math.abs((found[i] as number) - value)).toBeLessThanOrEqual(2.5 * 2 ** -23 * (value + 1));
    expect(() => mobileNetV2.preprocessInput(tensor([[1, 2]]))).toThrow(ShapeError);
  });

  test('trains: every weight has a gradient, and moments move', async () => {
    clearSession();
    using net = mobileNetV2({
      includeTop: false,
      inputShape: [32, 32, 3],
      alpha: 0.35,
      pooling: 'avg',
      seed: 3,
    });
    const picture = tensor(
      Float32Array.from({ length: 4 * 32 * 32 * 3 }, (_, i) => Math.sin(i * i)),
      { shape: [4, 32, 32, 3] },
    );
    const tape = new GradientTape();
    const features = net.apply(picture, { training: true });
    const gradients = tape.gradient(mean(square(features)), net.trainableWeights);
    expect(gradients).not.toContain(null);
    for (const gradient of gradients) expect(await all(finite(gradient as Tensor)).item()).toBe(1);
    const moved = net.weights.find(({ path }) => path === 'bn_Conv1/moving_variance');
    expect(new Set(await moved?.data())).not.toEqual(new Set([1]));
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['trained weights', () => mobileNetV2({ weights: 'imagenet' as never }), ValueError],
    ['an alpha of 0', () => mobileNetV2({ alpha: 0 }), ValueError],
    ['an alpha that is no number', () => mobileNetV2({ alpha: 'wide' as never }), ValueError],
    ['pictures that are too small', () => mobileNetV2({ inputShape: [16, 32, 3] }), ShapeError],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});
