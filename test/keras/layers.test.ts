import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  GradientTape,
  init,
  matMul,
  memory,
  mul,
  relu,
  ShapeError,
  stopGradient,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  type Variable,
} from '../../src/index.ts';
import { initializers, input, KerasTensor, Layer, layers, model } from '../../src/keras/index.ts';
import { activationOf } from '../../src/keras/activations.ts';
import type { OpenShape } from '../../src/core/shape.ts';

beforeAll(async () => {
  await init();
});

/** x · w, doubled in training: a layer of an app. */
class Scale extends Layer {
  static override readonly className: string = 'Scale';
  w: Variable | null = null;

  override build(inputShape: OpenShape): void {
    this.w = this.addWeight('w', { shape: [inputShape.at(-1) as number], initializer: 'ones' });
    this.addWeight('count', { shape: [], initializer: 'zeros', trainable: false });
  }

  override call(x: Tensor, { training = false }: { training?: boolean }): Tensor {
    return mul(mul(x, this.w as Variable), training ? 2 : 1);
  }
}

describe('a layer of the app', () => {
  test('runs on tensors and on symbolic ones, with the shape that its ops infer', async () => {
    const layer = new Scale();
    const y = layer.apply(input({ shape: [null, 3] }));
    expect(y).toBeInstanceOf(KerasTensor);
    expect(y.shape).toEqual([null, null, 3]);
    expect(await layer.apply(tensor([[[1, 2, 3]]])).array()).toEqual([[[1, 2, 3]]]);
    expect(await layer.apply(tensor([[[1, 2, 3]]]), { training: true }).array()).toEqual([[[2, 4, 6]]]);
    expect(layer.computeOutputShape([null, 7, 3])).toEqual([null, 7, 3]);
  });

  test('names its weights, and distinguishes trainable ones', () => {
    const layer = new Scale({ name: 'scale_here' });
    layer.apply(tensor([[1, 2]]));
    expect(layer.weights.map(({ name }) => name)).toEqual(['scale_here/w', 'scale_here/count']);
    expect(layer.trainableWeights.map(({ name }) => name)).toEqual(['scale_here/w']);
    layer.trainable = false;
    expect(layer.trainableWeights).toEqual([]);
    layer.trainable = true;
    expect(layer.trainableWeights).toHaveLength(1);
    expect(layer.countParams()).toBe(3);
    expect(new Scale({ trainable: false, name: 'frozen' }).trainable).toBe(false);
  });

  test('finds the layers inside it', () => {
    class Twice extends Layer {
      static override readonly className: string = 'Twice';
      readonly stages = [layers.dense({ units: 2 }), layers.dense({ units: 3 })];
      override call(x: Tensor): Tensor {
        return this.stages.reduce((value, stage) => stage.apply(value), x);
      }
    }
    const layer = new Twice();
    const y = layer.apply(input({ shape: [4] }));
    expect(y.shape).toEqual([null, 3]);
    expect(layer.weights).toHaveLength(4);
    layer.trainable = false;
    expect(layer.stages[1]?.trainableWeights).toEqual([]);
    // Inferring the shape doesn't count as a call: the layers inside have no nodes from it.
    expect(layer.stages[0]?.inboundNodes).toEqual([]);
    expect(layer.inboundNodes).toHaveLength(1);
    expect(layer.apply(tensor([[1, 2, 3, 4]])).kerasHistory?.node.inside[0]?.operation.className).toBe(
      'Dense',
    );
  });

  test('keeps nothing but its outputs', () => {
    const layer = new Scale();
    const x = tensor([[1, 2]]);
    layer.apply(x).dispose();
    const before = memory().tensors;
    const y = layer.apply(x, { training: true });
    expect(memory().tensors).toBe(before + 1);
    y.dispose();
  });

  test('makes weights that outlive the scope of its first call', async () => {
    const layer = new Scale();
    tidy(() => void layer.apply(tensor([[1, 2]])));
    expect(await layer.w?.array()).toEqual([1, 1]);
    layer.dispose();
    expect(() => layer.apply(tensor([[1, 2]]))).toThrow('disposed');
  });

  test('gives an input that it returns a history of its own, and keeps that of the input', async () => {
    const layer = layers.activation({ activation: 'linear' });
    const x = tensor([1, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = layer.apply(x);
    expect(y).not.toBe(x);
    expect(x.kerasHistory).toBeNull();
    expect(y.kerasHistory?.operation.name).toBe(layer.name);
    expect(await tape.gradient(sum(y), x)?.array()).toEqual([1, 1]);
  });

  test('leaves detached tensors detached', () => {
    class Cut extends Layer {
      override call(x: Tensor): Tensor {
        return stopGradient(add(x, 1));
      }
    }
    expect(new Cut().apply(tensor([1])).origin.kind).toBe('detached');
  });

  test('counts its eager calls separately from symbolic ones', () => {
    const layer = new Scale();
    const x = tensor([[1, 2]]);
    expect([layer.apply(x), layer.apply(x)].map((y) => y.kerasHistory?.nodeIndex)).toEqual([0, 1]);
    expect(layer.apply(input({ shape: [2] })).kerasHistory?.nodeIndex).toBe(0);
  });

  test('takes weights in order', async () => {
    const layer = new Scale();
    layer.apply(tensor([[1, 2]]));
    layer.setWeights([tensor([5, 6]), tensor(1)]);
    expect(await layer.apply(tensor([[1, 1]])).array()).toEqual([[5, 6]]);
    expect(() => layer.setWeights([tensor([5, 6])])).toThrow(ShapeError);
    expect(() => layer.setWeights([tensor([5]), tensor(1)])).toThrow(ShapeError);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['input of a layer that was never called', () => new Scale().input, ValueError],
    ['output of a layer that was called eagerly alone', () => layers.flatten().output, ValueError],
    ['a call that was not', () => layers.flatten().getOutputAt(1), ValueError],
    ['host values', () => new Scale().apply([1, 2] as never), ValueError],
    ['a slash in its name', () => new Scale({ name: 'a/b' }), ValueError],
    [
      'constants with symbolic inputs',
      () => new Scale().apply([input({ shape: [1] }), tensor([1])] as never),
      ValueError,
    ],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});

describe('dense', () => {
  test('is activation(x · kernel + bias)', async () => {
    const layer = layers.dense({ units: 2, activation: 'relu' });
    const x = tensor([
      [1, -1, 2],
      [0, 1, 0],
    ]);
    const y = layer.apply(x);
    const [kernel, bias] = layer.weights as [Variable, Variable];
    expect([kernel.shape, bias.shape]).toEqual([[3, 2], [2]]);
    layer.setWeights([kernel, tensor([0.5, -0.5])]);
    const expected = await relu(add(matMul(x, kernel), tensor([0.5, -0.5]))).array();
    expect(await layer.apply(x).array()).toEqual(expected);
    expect(y.shape).toEqual([2, 2]);
  });

  test('takes activations that its op does not fuse', async () => {
    const layer = layers.dense({
      units: 2,
      useBias: false,
      activation: 'softmax',
      kernelInitializer: 'zeros',
    });
    expect(await layer.apply(tensor([[1, 2]])).array()).toEqual([[0.5, 0.5]]);
    expect(layer.weights).toHaveLength(1);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['units of 0', () => layers.dense({ units: 0 }), ValueError],
    ['fractional units', () => layers.dense({ units: 1.5 }), ValueError],
    ['an unknown activation', () => layers.dense({ units: 1, activation: 'sharp' as never }), ValueError],
    [
      'an unknown initializer',
      () => layers.dense({ units: 1, kernelInitializer: 'odd' as never }).apply(tensor([[1]])),
      ValueError,
    ],
    ['a vector', () => layers.dense({ units: 1 }).apply(tensor([1])), ShapeError],
    ['an open last size', () => layers.dense({ units: 1 }).apply(input({ shape: [null] })), ShapeError],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });

  test('rejects other features than it was built for', () => {
    const layer = layers.dense({ units: 1 });
    layer.apply(tensor([[1, 2]]));
    expect(() => layer.apply(tensor([[1, 2, 3]]))).toThrow(/axis -1 of its input must have size 2/);
  });
});

describe('conv2d', () => {
  test('has Keras’s weights and shapes', () => {
    const x = input({ shape: [9, 9, 4] });
    const layer = layers.conv2d({ filters: 6, kernelSize: [3, 5], strides: 2, padding: 'same', groups: 2 });
    expect(layer.apply(x).shape).toEqual([null, 5, 5, 6]);
    expect(layer.weights.map(({ shape }) => shape)).toEqual([[3, 5, 2, 6], [6]]);
    expect(layers.conv2d({ filters: 1, kernelSize: 3, dilationRate: 2 }).apply(x).shape).toEqual([
      null,
      5,
      5,
      1,
    ]);
  });

  test('adds its bias and applies its activation', async () => {
    const layer = layers.conv2d({
      filters: 1,
      kernelSize: 1,
      activation: 'relu',
      kernelInitializer: 'ones',
      biasInitializer: initializers.constant({ value: -3 }),
    });
    expect(
      await layer
        .apply(
          tensor([
            [
              [
                [1, 1],
                [2, 3],
              ],
            ],
          ]),
        )
        .array(),
    ).toEqual([[[[0], [2]]]]);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['no filters', () => layers.conv2d({ filters: 0, kernelSize: 3 }), ValueError],
    [
      'a kernel of three sizes',
      () => layers.conv2d({ filters: 1, kernelSize: [1, 2, 3] as never }),
      ValueError,
    ],
    ['a negative stride', () => layers.conv2d({ filters: 1, kernelSize: 1, strides: -1 }), ValueError],
    [
      'another padding',
      () => layers.conv2d({ filters: 1, kernelSize: 1, padding: 'full' as never }),
      ValueError,
    ],
    ['groups that do not divide', () => layers.conv2d({ filters: 3, kernelSize: 1, groups: 2 }), ValueError],
    [
      'channels that groups do not divide',
      () => layers.conv2d({ filters: 2, kernelSize: 1, groups: 2 }).apply(input({ shape: [4, 4, 3] })),
      ShapeError,
    ],
    [
      'a flat input',
      () => layers.conv2d({ filters: 1, kernelSize: 1 }).apply(input({ shape: [4] })),
      ShapeError,
    ],
    [
      'open channels',
      () => layers.conv2d({ filters: 1, kernelSize: 1 }).apply(input({ shape: [4, 4, null] })),
      ShapeError,
    ],
    [
      'a kernel larger than the image',
      () => layers.conv2d({ filters: 1, kernelSize: 5 }).apply(input({ shape: [4, 4, 1] })),
      ShapeError,
    ],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});

describe('the other layers', () => {
  test('maxPooling2d takes the largest of each window', async () => {
    const x = tensor([
      [
        [[1], [2]],
        [[4], [3]],
      ],
    ]);
    expect(await layers.maxPooling2d().apply(x).array()).toEqual([[[[4]]]]);
    expect(layers.maxPooling2d({ padding: 'same' }).apply(input({ shape: [5, 5, 2] })).shape).toEqual([
      null,
      3,
      3,
      2,
    ]);
    expect(() => layers.maxPooling2d({ poolSize: 0 })).toThrow(ValueError);
    expect(() => layers.maxPooling2d().apply(tensor([1]))).toThrow(ShapeError);
  });

  test('flatten merges all axes but the batch, open ones too', async () => {
    expect(layers.flatten().apply(input({ shape: [2, 3] })).shape).toEqual([null, 6]);
    expect(layers.flatten().apply(input({ shape: [null, 3] })).shape).toEqual([null, null]);
    expect(layers.flatten().apply(input({ shape: [2], dtype: 'int32' })).dtype).toBe('int32');
    expect(layers.flatten().apply(tensor([], { shape: [0, 2, 2] })).shape).toEqual([0, 4]);
  });

  test.each([
    ['a shape that is no list', { shape: 3 }],
    ['a negative size', { shape: [-1] }],
    ['too many axes', { shape: [1, 1, 1, 1, 1, 1] }],
    ['a fractional batch', { shape: [1], batchSize: 1.5 }],
    ['an unknown dtype', { shape: [1], dtype: 'float64' }],
  ])('input rejects %s', (_, options) => {
    expect(() => input(options as never)).toThrow(/input: /);
  });

  test('input takes a batch of a given size', () => {
    const x = input({ shape: [2], batchSize: 4 });
    const net = model({ inputs: x, outputs: layers.flatten().apply(x) });
    expect(x.shape).toEqual([4, 2]);
    expect(() => net.apply(tensor([[1, 2]]))).toThrow(ShapeError);
  });
});

describe('activations and initializers by name', () => {
  test('are found under both spellings', () => {
    expect(activationOf('hardSigmoid')).toBe(activationOf('hard_sigmoid' as never));
    expect(
      layers.dense({ units: 1, kernelInitializer: 'he_normal' as never }).apply(tensor([[1]])).shape,
    ).toEqual([1, 1]);
  });

  test.each([
    ['glorotUniform', 2 / (90 + 180)],
    ['glorotNormal', 2 / (90 + 180)],
    ['heUniform', 2 / 90],
    ['heNormal', 2 / 90],
  ] as const)('%s has its variance', async (name, variance) => {
    const draw = () => initializers[name]({ seed: 3 }).call([3, 3, 10, 20], 'float32').data();
    const values = (await draw()) as Float32Array;
    const mean = values.reduce((total, x) => total + x, 0) / values.length;
    const actual = values.reduce((total, x) => total + (x - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(4 * Math.sqrt(variance / values.length));
    expect(actual / variance).toBeGreaterThan(0.9);
    expect(actual / variance).toBeLessThan(1.1);
    expect(await draw()).toEqual(values);
  });

  test('a scale that is not positive is rejected', () => {
    expect(() => initializers.varianceScaling({ scale: 0 })).toThrow(ValueError);
  });
});
