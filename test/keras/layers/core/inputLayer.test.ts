import { describe, expect, test } from 'vitest';
import { DTypeError, ShapeError } from '../../../../src/index.ts';
import { input, layers } from '../../../../src/keras/index.ts';

describe('an input', () => {
  test('has the given shape, with or without the batch', () => {
    expect(input({ shape: [2, 3] }).shape).toEqual([null, 2, 3]);
    expect(input({ shape: [], batchSize: 4 }).shape).toEqual([4]);
    expect(input({ batchShape: [4, null] }).shape).toEqual([4, null]);
  });

  test('is the input and the output of its layer, whose only node has no inputs', () => {
    const x = input({ shape: [2], name: 'words', dtype: 'int32' });
    const layer = layers.inputLayer({ shape: [2] });
    expect([layer.input, layer.output].map(({ id }) => id)).toEqual([layer.tensor.id, layer.tensor.id]);
    expect(layer.inboundNodes.map(({ isInput }) => isInput)).toEqual([true]);
    expect(x.toString()).toBe("KerasTensor int32[null, 2] 'words', made by words");
  });

  test('can be created again from its configuration', () => {
    const layer = layers.inputLayer({ shape: [null, 3], batchSize: 2, dtype: 'bool', name: 'flags' });
    const config = layer.getConfig();
    expect(config).toEqual({ name: 'flags', dtype: 'bool', batchShape: [2, null, 3] });
    expect(layers.InputLayer.fromConfig(config as never).getConfig()).toEqual(config);
  });

  test.each<[string, object, new (...args: never[]) => Error]>([
    ['no shape', {}, ShapeError],
    ['a shape that is none', { shape: 3 }, ShapeError],
    ['negative sizes', { shape: [-1] }, ShapeError],
    ['fractions', { shape: [1.5] }, ShapeError],
    ['too many axes', { shape: [1, 1, 1, 1, 1, 1] }, ShapeError],
    ['a batch that is none', { shape: [1], batchSize: 'any' }, ShapeError],
    ['two shapes', { shape: [1], batchShape: [null, 1] }, ShapeError],
    ['a batch size with batchShape', { batchSize: 1, batchShape: [null, 1] }, ShapeError],
    ['an empty batchShape', { batchShape: [] }, ShapeError],
    ['an unknown dtype', { shape: [1], dtype: 'float64' }, DTypeError],
  ])('rejects %s', (_, options, error) => {
    expect(() => input(options)).toThrow(error);
    expect(() => input(options)).toThrow(/input: /);
  });
});
