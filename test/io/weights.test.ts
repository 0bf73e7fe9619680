import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  explainHistory,
  FormatError,
  init,
  memory,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';
import {
  loadWeights,
  readSafetensors,
  saveTensors,
  saveWeights,
  writeSafetensors,
} from '../../src/io/index.ts';
import { matchPaths } from '../../src/io/matchPaths.ts';
import { clearSession, input, layers, model } from '../../src/keras/index.ts';

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

test('weights go to another model of the same layers, and say that they were loaded', async () => {
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
  });
  expect(memory().tensors).toBe(before);
  expect(await valuesOf(to)).toEqual(await valuesOf(from));
  const x = tensor([[1, 2, 3, 4]]);
  expect(await (to.apply(x) as Tensor).array()).toEqual(await (from.apply(x) as Tensor).array());
  const { cause, why } = explainHistory(to.weights[0] as Tensor);
  expect(cause).toBe('loaded');
  expect(why).toContain("'net.safetensors': weights have no training history");
});

test('what is missing, too much or of another shape is named, and nothing changes', async () => {
  const target = net();
  const before = await valuesOf(target);
  const { tensors } = readSafetensors(await saveWeights(net()));
  const without = new Map([...tensors].filter(([path]) => path !== 'last/bias'));
  const more = new Map([...tensors, ['other/kernel', tensors.get('last/bias')]] as [string, never][]);
  const load = (values: typeof without) => () => loadWeights(target, writeSafetensors(values), { file: 'f' });
  expect(load(without)).toThrow(FormatError);
  expect(load(without)).toThrow(/none for 'last\/bias'/);
  expect(load(more)).toThrow(/no others[\s\S]*'other\/kernel'/);
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

test('values that are no numbers are loaded, and reported', async () => {
  const file = await saveTensors({
    'one/kernel': tensor([[1, Number.NaN, Number.POSITIVE_INFINITY]]),
    'one/bias': tensor([0, 0, 0]),
  });
  const x = input({ shape: [1] });
  const one = model({ inputs: x, outputs: layers.dense({ units: 3, name: 'one' }).apply(x) });
  expect(loadWeights(one, file).notFinite).toEqual([{ weight: 'one/kernel', notFinite: 2 }]);
});

test('two weights of one path are refused', async () => {
  const layer = net().getLayer('first');
  const twice = { name: 'twice', weights: [...layer.weights, ...net().getLayer('first').weights] };
  await expect(saveWeights(twice)).rejects.toThrow(ValueError);
});

test('layers around a weight may be left out of its path, where only one can be meant', () => {
  const names = ['a/kernel', 'outer/b/kernel', 'x/same/kernel', 'y/same/kernel'];
  const paths = ['a/kernel', 'b/kernel', 'z/same/kernel', 'same/kernel'];
  expect([...matchPaths(paths, names)]).toEqual([
    ['a/kernel', 'a/kernel'],
    ['b/kernel', 'outer/b/kernel'],
  ]);
});
