import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  explainHistory,
  FormatError,
  init,
  memory,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import {
  loadWeights,
  readSafetensors,
  saveTensors,
  saveWeights,
  writeSafetensors,
} from '../../../src/io/index.ts';
import { matchPaths } from '../../../src/keras/saving/matchPaths.ts';
import { clearSession, input, layers, model, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

function net(units = 3) {
  const x = input({ shape: [4] });
  const h = layers.dense({ units, name: 'first', activation: 'tanh' }).apply(x);
  return model({ inputs: x, outputs: layers.dense({ units: 2, name: 'last' }).apply(h), name: 'net' });
}

const valuesOf = async (made: { weights: readonly Tensor[] }) =>
  Promise.all(made.weights.map(async (weight) => [...(await weight.data())]));

test('weights are loaded into another model of the same layers, and their history says so', async () => {
  const [from, to] = [net(), net()];
  const file = await saveWeights(from);
  expect([...readSafetensors(file).tensors.keys()]).toEqual([
    'first/kernel',
    'first/bias',
    'last/kernel',
    'last/bias',
  ]);
  const before = memory().tensors;
  expect(loadWeights(to, file, { file: 'net.safetensors' })).toEqual({
    loaded: ['first/kernel', 'first/bias', 'last/kernel', 'last/bias'],
    notFinite: [],
    naming: 'keras',
  });
  expect(memory().tensors).toBe(before);
  expect(await valuesOf(to)).toEqual(await valuesOf(from));
  const x = tensor([[1, 2, 3, 4]]);
  expect(await (to.apply(x) as Tensor).array()).toEqual(await (from.apply(x) as Tensor).array());
  const { cause, why } = explainHistory(to.weights[0] as Tensor);
  expect(cause).toBe('loaded');
  expect(why).toContain("'net.safetensors': weights have no training history");
});

test('missing and extra weights and other shapes are reported, and nothing changes', async () => {
  const target = net();
  const before = await valuesOf(target);
  const { tensors } = readSafetensors(await saveWeights(net()));
  const without = new Map([...tensors].filter(([path]) => path !== 'last/bias'));
  const more = new Map([...tensors, ['other/kernel', tensors.get('last/bias')]] as [string, never][]);
  const load = (values: typeof without) => () => loadWeights(target, writeSafetensors(values), { file: 'f' });
  expect(load(without)).toThrow(FormatError);
  expect(load(without)).toThrow(/none for 'last\/bias'/);
  expect(load(more)).toThrow(/no other weights[\s\S]*'other\/kernel'/);
  const wide = await saveWeights(net(5));
  expect(() => loadWeights(target, wide)).toThrow(
    /'first\/kernel' of 'net' is float32\[4, 3\][\s\S]*float32\[4, 5\]/,
  );
  const whole = new Map([
    ...tensors,
    ['first/bias', { shape: [3], dtype: 'int32', data: Int32Array.of(1, 2, 3) }],
  ]);
  expect(load(whole as never)).toThrow(/int32\[3\]/);
  expect(await valuesOf(target)).toEqual(before);
});

test('NaN and infinite values are loaded, and reported', async () => {
  const file = await saveTensors({
    'one/kernel': tensor([[1, Number.NaN, Number.POSITIVE_INFINITY]]),
    'one/bias': tensor([0, 0, 0]),
  });
  const x = input({ shape: [1] });
  const one = model({ inputs: x, outputs: layers.dense({ units: 3, name: 'one' }).apply(x) });
  expect(loadWeights(one, file).notFinite).toEqual([{ weight: 'one/kernel', notFinite: 2 }]);
});

test('two weights of one path are rejected', async () => {
  const layer = net().getLayer('first');
  const twice = { name: 'twice', weights: [...layer.weights, ...net().getLayer('first').weights] };
  await expect(saveWeights(twice)).rejects.toThrow(ValueError);
});

test('outer layers may be left out of the path of a weight if that is unambiguous', () => {
  const names = ['a/kernel', 'outer/b/kernel', 'x/same/kernel', 'y/same/kernel'];
  const paths = ['a/kernel', 'b/kernel', 'z/same/kernel', 'same/kernel'];
  expect([...matchPaths(paths, names)]).toEqual([
    ['a/kernel', 'a/kernel'],
    ['b/kernel', 'outer/b/kernel'],
  ]);
});

describe('numbers of layers without given names', () => {
  const match = (paths: string[], names: string[]) => [...matchPaths(paths, names).values()];
  test('are matched in the order in which the layers were created', () => {
    const made = ['s_1/dense_9/kernel', 's_1/dense_10/kernel', 's_1/conv_2/kernel', 's_1/dense_9/bias'];
    const kept = ['s/conv/kernel', 's/dense/bias', 's/dense/kernel', 's/dense_1/kernel'];
    expect(match(made, kept)).toEqual([
      's/dense/kernel',
      's/dense_1/kernel',
      's/conv/kernel',
      's/dense/bias',
    ]);
    // `dense_1` is the second layer of one model and the first of the other.
    expect(match(['dense_1/kernel', 'dense_2/kernel'], ['dense/kernel', 'dense_1/kernel'])).toEqual([
      'dense/kernel',
      'dense_1/kernel',
    ]);
  });

  test('match nothing if there are other layers, or more of them', () => {
    expect(match(['dense_1/kernel', 'dense_2/kernel'], ['dense/kernel', 'conv_1/kernel'])).toEqual([]);
    expect(match(['dense_5/kernel'], ['dense/kernel', 'dense_1/kernel'])).toEqual([]);
    expect(match(['dense_5/kernel', 'dense_6/kernel'], ['dense/kernel'])).toEqual([]);
  });

  test('are matched quickly in a file of very many', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `n_${i}`);
    expect(match(['dense_1/kernel'], many)).toEqual([]);
    expect(match(many.slice(1), many.slice(0, -1))[7]).toBe('n_7');
  });

  test('don’t prevent a model that is created again from loading its weights', async () => {
    const make = () =>
      sequential([layers.input({ shape: [2] }), layers.dense({ units: 3 }), layers.dense({ units: 1 })]);
    const [first, second] = [make(), make()];
    expect(second.weights[0]?.path).not.toBe(first.weights[0]?.path);
    loadWeights(second, await saveWeights(first));
    const values = (model: typeof first) => Promise.all(model.weights.map((weight) => weight.array()));
    expect(await values(second)).toEqual(await values(first));
  });
});
