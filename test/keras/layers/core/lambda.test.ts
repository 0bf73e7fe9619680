import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  add,
  GradientTape,
  init,
  mul,
  reshape,
  square,
  stack,
  sum,
  type Tensor,
  tensor,
  ValueError,
  variable,
} from '../../../../src/index.ts';
import { input, layers, model } from '../../../../src/keras/index.ts';
import { Lambda } from '../../../../src/keras/layers/core/lambda.ts';
import { registerClass } from '../../../../src/keras/serialization/registered.ts';

beforeAll(async () => {
  await init();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a Lambda', () => {
  test('computes what its function does, symbolic and eager', async () => {
    const layer = layers.lambda((x) => square(x), { name: 'squares' });
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: layer.apply(x) });
    expect(net.output.shape).toEqual([null, 2]);
    expect(net.getLayer('squares')).toBe(layer);
    const given = tensor([[1, 2]]);
    expect(await net.apply(given).array()).toEqual([[1, 4]]);
    const tape = new GradientTape();
    tape.watch(given);
    expect(await tape.gradient(sum(net.apply(given)), given)?.array()).toEqual([[2, 4]]);
  });

  test('takes arguments, and the options of the call', async () => {
    const layer = layers.lambda({
      function: (x: Tensor, { factor, training }) => mul(x, training ? 0 : (factor as number)),
      arguments: { factor: 3 },
    });
    expect(await layer.apply(tensor([1, 2])).array()).toEqual([3, 6]);
    expect(await layer.apply(tensor([1, 2]), { training: true }).array()).toEqual([0, 0]);
  });

  test('takes and returns nests', async () => {
    const layer = layers.lambda<Tensor[], { both: Tensor }>(([a, b]) => ({
      both: stack([a as Tensor, b as Tensor]),
    }));
    const { both } = layer.apply([tensor([1]), tensor([2])]);
    expect(await both.array()).toEqual([[1], [2]]);
    expect(layer.apply([input({ shape: [3] }), input({ shape: [3] })]).both.shape).toEqual([2, null, 3]);
  });

  test('has the given shape if it can’t be inferred from its function', () => {
    // The rank depends on the batch.
    const concrete = (x: Tensor) =>
      (x.shape[0] as number) > 8
        ? reshape(x, { shape: [-1] })
        : reshape(x, { shape: [x.shape[0] as number, 4] });
    const x = input({ shape: [2, 2] });
    expect(() => layers.lambda(concrete).apply(x)).toThrow(/computeOutputShape/);
    expect(layers.lambda(concrete, { outputShape: [4] }).apply(x).shape).toEqual([null, 4]);
    const flat = ([batch]: readonly (number | null)[]) => [batch as number | null, 4];
    expect(layers.lambda({ function: concrete, outputShape: flat as never }).apply(x).shape).toEqual([
      null,
      4,
    ]);
    expect(layers.lambda(concrete, { outputShape: [4] }).computeOutputShape([7, 2, 2])).toEqual([7, 4]);
  });

  test('reports variables that it uses but doesn’t have', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const w = variable(tensor([2]), { name: 'outside' });
    const inner = layers.dense({ units: 1, name: 'outside' });
    inner.build([null, 1]);
    const x = input({ shape: [1] });
    layers.lambda((value) => mul(value, w), { name: 'closes_over' }).apply(x);
    layers.lambda((value) => inner.apply(value), { name: 'calls', outputShape: [1] }).apply(x);
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/Lambda 'closes_over' uses variables.*'outside'/),
      expect.stringMatching(/Lambda 'calls' uses.*'outside\/kernel', 'outside\/bias'/),
    ]);
    // Frozen variables count as constants.
    inner.trainable = false;
    layers.lambda((value) => inner.apply(value), { name: 'frozen' }).apply(x);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  test('trains a variable outside with a tape, which sees it', async () => {
    const w = variable(tensor([2]), { name: 'seen by the tape' });
    const layer = layers.lambda((x) => mul(x, w));
    const tape = new GradientTape();
    const loss = sum(layer.apply(tensor([3])));
    expect(await tape.gradient(loss, w)?.array()).toEqual([3]);
    expect(layer.weights).toEqual([]);
  });

  test('is saved by the registered name of its function', async () => {
    const plusOne = registerClass((x: Tensor) => add(x, 1), { package: 'lambda_test', name: 'plus_one' });
    const layer = layers.lambda(plusOne, { name: 'named', outputShape: [2] });
    const config = layer.getConfig();
    expect(config).toMatchObject({ name: 'named', function: 'lambda_test>plus_one', outputShape: [2] });
    const again = Lambda.fromConfig(config as never) as Lambda;
    expect(await again.apply(tensor([[1, 2]])).array()).toEqual([[2, 3]]);
    expect(again.getConfig()).toEqual(config);
    expect(() => layers.lambda((x) => x).getConfig()).toThrow(/registerClass/);
    expect(() => layers.lambda(plusOne, { outputShape: (() => [1]) as never }).getConfig()).toThrow(
      ValueError,
    );
  });

  test('masks according to its option', async () => {
    const mask = tensor([true, false]);
    const x = tensor([1, 2]);
    const of = (layer: Lambda) => layer.apply(x).attachment;
    expect(of(layers.lambda((v) => square(v)))).toBeNull();
    expect(await of(layers.lambda((v) => square(v), { mask }))?.array()).toEqual([1, 0]);
    const counted = layers.lambda((v) => square(v), { mask: () => mask });
    expect(await of(counted)?.array()).toEqual([1, 0]);
  });

  test.each<[string, unknown]>([
    ['no function', {}],
    ['an unknown name', { function: 'nobody>knows' }],
    ['a shape that is none', { function: (x: Tensor) => x, outputShape: 'same' }],
    ['negative sizes', { function: (x: Tensor) => x, outputShape: [-1] }],
  ])('rejects %s', (_, options) => {
    expect(() => layers.lambda(options as never)).toThrow(ValueError);
  });
});
