import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import * as tfc from '@tensorflow/tfjs-core';
import * as tf from '@tensorflow/tfjs-layers';
import { describe, beforeAll, expect, test, vi } from 'vitest';
import {
  DTypeError,
  init,
  mul,
  RetrogradError,
  ShapeError,
  type Tensor,
  ValueError,
} from '../../../src/index.ts';
import type { OpenShape } from '../../../src/core/shape.ts';
import { input, Layer, layers, model, optimizers, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
  await tfc.setBackend('cpu');
});

const loose = (make: unknown) => make as (...args: readonly unknown[]) => never;

/** The notes that `run` prints. */
function notesOf(run: () => void): string[] {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  try {
    run();
    return warn.mock.calls.map(([text]) => String(text));
  } finally {
    warn.mockRestore();
  }
}

const quietly = <T>(run: () => T): T => {
  let result: T | undefined;
  notesOf(() => {
    result = run();
  });
  return result as T;
};

describe('the input of a first layer', () => {
  /** Options with TF.js's result: the same call there has the same shapes. */
  test.each<[string, () => Layer, () => tf.layers.Layer | unknown, OpenShape]>([
    [
      'inputShape',
      () => layers.dense({ units: 3, inputShape: [4] }),
      () => tf.layers.dense({ units: 3, inputShape: [4] }),
      [null, 4],
    ],
    [
      'inputShape and batchSize',
      () => layers.dense({ units: 3, inputShape: [4], batchSize: 2 }),
      () => tf.layers.dense({ units: 3, inputShape: [4], batchSize: 2 }),
      [2, 4],
    ],
    [
      'batchInputShape',
      () => layers.conv2d({ filters: 2, kernelSize: 3, batchInputShape: [5, 8, 8, 1] }),
      () => tf.layers.conv2d({ filters: 2, kernelSize: 3, batchInputShape: [5, 8, 8, 1] }),
      [5, 8, 8, 1],
    ],
    [
      'inputDim of a dense layer',
      () => layers.dense({ units: 3, inputDim: 4 }),
      () => tf.layers.dense({ units: 3, inputDim: 4 }),
      [null, 4],
    ],
    [
      'inputShape of a recurrent layer with an open length',
      () => layers.lstm({ units: 3, inputShape: [null, 5] }) as never,
      () => tf.layers.lstm({ units: 3, inputShape: [null as never, 5] }),
      [null, null, 5],
    ],
    [
      'inputLength of an embedding',
      () => layers.embedding({ inputDim: 9, outputDim: 2, inputLength: 7 }),
      () => tf.layers.embedding({ inputDim: 9, outputDim: 2, inputLength: 7 }),
      [null, 7],
    ],
    [
      'inputLength and batchSize of an embedding',
      () => layers.embedding({ inputDim: 9, outputDim: 2, inputLength: [7], batchSize: 3 }),
      () => tf.layers.embedding({ inputDim: 9, outputDim: 2, inputLength: [7], batchSize: 3 }),
      [3, 7],
    ],
    [
      'inputShape of a layer without weights',
      () => layers.flatten({ inputShape: [2, 3] }),
      () => tf.layers.flatten({ inputShape: [2, 3] }),
      [null, 2, 3],
    ],
    [
      'inputShape of a wrapper',
      () => layers.timeDistributed({ layer: layers.dense({ units: 3 }), inputShape: [6, 4] }) as never,
      () => tf.layers.timeDistributed({ layer: tf.layers.dense({ units: 3 }), inputShape: [6, 4] }),
      [null, 6, 4],
    ],
  ])('%s', (_, ours, theirs, shape) => {
    const other = tf.sequential({ layers: [theirs() as tf.layers.Layer] });
    const net = quietly(() => sequential([ours()]));
    expect(net.built).toBe(true);
    expect(net.input.shape).toEqual(shape);
    expect(net.input.shape).toEqual(other.inputs[0]?.shape);
    expect(net.output.shape).toEqual(other.outputs[0]?.shape);
    other.dispose();
  });

  // TF.js 4.22 lists these options of recurrent layers, but doesn't read them; these shapes are Keras 2's.
  test.each<[object, OpenShape]>([
    [{ inputDim: 5 }, [null, null, 5]],
    [{ inputDim: 5, inputLength: 7 }, [null, 7, 5]],
    [{ inputDim: 5, batchSize: 2 }, [2, null, 5]],
  ])('a recurrent layer with %o', (options, shape) => {
    const net = quietly(() => sequential([layers.gru({ units: 3, ...options })]));
    expect(net.input.shape).toEqual(shape);
  });

  test('the dtype is that of the layer, then `inputDType`, then what the layer reads', () => {
    const dtypeOf = (options: object) =>
      quietly(() => sequential([layers.flatten({ inputShape: [2], ...options })])).input.dtype;
    expect(dtypeOf({})).toBe('float32');
    expect(dtypeOf({ inputDType: 'int32' })).toBe('int32');
    expect(dtypeOf({ dtype: 'float32', inputDType: 'int32' })).toBe('float32');
    const ids = quietly(() => sequential([layers.embedding({ inputDim: 9, outputDim: 2, inputLength: 7 })]));
    expect(ids.input.dtype).toBe('int32');
  });

  test('models that are extended later, too', () => {
    const net = sequential();
    quietly(() => net.add(layers.dense({ units: 3, inputShape: [4] })));
    net.add(layers.dense({ units: 2 }));
    expect([net.built, net.layers.length, net.output.shape]).toEqual([true, 2, [null, 2]]);
  });

  test('undefined and null are left out, as in TF.js', () => {
    const made = [0, 1].map((i) =>
      layers.dense({ units: 3, inputShape: i === 0 ? undefined : undefined } as object as never),
    );
    expect(made.map(({ describedInput }) => describedInput)).toEqual([null, null]);
    expect(loose(layers.dense)({ units: 1, inputShape: null, batchInputShape: null })).toMatchObject({
      describedInput: null,
    });
  });

  test('configurations have an input layer instead', () => {
    const net = quietly(() => sequential([layers.dense({ units: 3, inputShape: [4], batchSize: 2 })]));
    const { layers: stored } = net.getConfig() as { layers: { className: string; config: object }[] };
    expect(stored.map(({ className }) => className)).toEqual(['InputLayer', 'Dense']);
    expect(stored[0]?.config).toMatchObject({ batchShape: [2, 4] });
    expect(stored[1]?.config).not.toHaveProperty('inputShape');
  });

  test('above the first layer, and in functional models, it has no effect', () => {
    quietly(() => {
      const net = sequential([
        layers.dense({ units: 3, inputShape: [4] }),
        layers.dense({ units: 2, inputShape: [9] }),
      ]);
      expect(net.output.shape).toEqual([null, 2]);
      const x = input({ shape: [4] });
      const y = layers.dense({ units: 2, inputShape: [9] }).apply(x);
      expect(model({ inputs: x, outputs: y }).output.shape).toEqual([null, 2]);
    });
  });

  test('one note for each option says the present form', () => {
    const notes = notesOf(() => {
      layers.dense({ units: 3, inputShape: [4] });
      layers.conv1d({ filters: 3, kernelSize: 2, inputShape: [4, 1], batchSize: 2 });
    });
    expect(notes).toEqual([
      'retrograd: `inputShape` of a first layer is now an option of input({ shape, batchSize, dtype }); of other layers it has no effect.',
      'retrograd: `batchSize` of a first layer is now an option of input({ shape, batchSize, dtype }); of other layers it has no effect.',
    ]);
    expect(notesOf(() => sequential([layers.inputLayer({ shape: [4], batchSize: 2 })]))).toEqual([]);
  });

  test("an app's layer passes its options on", () => {
    class Double extends Layer {
      readonly inputDim: number;
      constructor(options: { inputDim: number; inputShape?: OpenShape }) {
        super(options);
        this.inputDim = options.inputDim;
      }
      override call(x: Tensor): Tensor {
        return mul(x, 2);
      }
    }
    const net = quietly(() => sequential([new Double({ inputDim: 7, inputShape: [4] })]));
    expect(net.input.shape).toEqual([null, 4]);
    expect(new Double({ inputDim: 7 }).describedInput).toBe(null);
  });

  test.each<[string, object, RegExp, new (...args: never[]) => Error]>([
    ['a number', { inputShape: 4 }, /inputShape: 4/, ShapeError],
    ['a fraction', { inputShape: [1.5] }, /`inputShape` is a list/, ShapeError],
    ['both shapes', { inputShape: [4], batchInputShape: [null, 4] }, /replaces `inputShape`/, ShapeError],
    ['a batch size alone', { batchSize: 4 }, /inputShape: undefined/, ShapeError],
    ['a batch size of half a sample', { inputShape: [4], batchSize: 0.5 }, /batchSize: 0.5/, ShapeError],
    ['a dtype', { inputShape: [4], inputDType: 'float64' }, /inputDType: 'float64'/, DTypeError],
    ['features', { inputDim: 'four' }, /inputDim/, ValueError],
    ['a list that is too long', { inputShape: new Array(2 ** 32 - 1) }, /`inputShape` is a list/, ShapeError],
    ['too many lengths', { inputLength: new Array(2 ** 32 - 1) }, /inputLength/, ValueError],
    ['two numbers of features', { inputDim: 3, inputShape: [4] }, /leave them out/, ShapeError],
  ])('rejects %s', (_, options, message, type) => {
    const make = () => quietly(() => sequential([loose(layers.dense)({ units: 2, ...options })]));
    expect(make).toThrow(message);
    expect(make).toThrow(type);
    expect(make).toThrow(RetrogradError);
  });

  test('rejects it for models, which have inputs', () => {
    expect(() => loose(sequential)({ layers: [], inputShape: [4] })).toThrow(/buildInputShape/);
  });
});

describe('former names', () => {
  test('of an input layer', () => {
    quietly(() => {
      expect(layers.inputLayer({ inputShape: [4], batchSize: 3 }).output.shape).toEqual([3, 4]);
      expect(layers.inputLayer({ batchInputShape: [null, 4] }).output.shape).toEqual([null, 4]);
    });
  });

  test('`alpha` of LeakyReLU is `negativeSlope`', () => {
    const notes = notesOf(() => {
      expect(layers.leakyReLU({ alpha: 0.25 }).getConfig()).toMatchObject({ negativeSlope: 0.25 });
    });
    expect(notes).toEqual(['retrograd: `alpha` of LeakyReLU is now `negativeSlope`.']);
    expect(() => layers.leakyReLU({ alpha: 0.1, negativeSlope: 0.2 })).toThrow(/leave out alpha/);
    expect(() => quietly(() => loose(layers.leakyReLU)({ alpha: 'x' }))).toThrow(ValueError);
  });

  test('`lr` of an optimizer is `learningRate`', () => {
    const notes = notesOf(() => {
      for (const make of [optimizers.adam, optimizers.sgd, optimizers.rmsprop, optimizers.adamW])
        expect((loose(make)({ lr: 0.25 }) as { learningRate: number }).learningRate).toBe(0.25);
    });
    expect(notes[0]).toBe('retrograd: `lr` of Adam is now `learningRate`.');
    expect(notes).toHaveLength(4);
    expect(() => loose(optimizers.adam)({ lr: 0.1, learningRate: 0.2 })).toThrow(/leave out lr/);
    expect(() => quietly(() => loose(optimizers.adam)({ lr: 'x' }))).toThrow(ValueError);
  });
});
