/** @file Different optimizers for different variables, against Keras's MultiOptimizer in float64 (test/fixtures/optimizers). */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, tensor, type Variable, ValueError, variable } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { callbacks, clearSession, input, layers, optimizers, sequential } from '../../../src/keras/index.ts';
import file from '../../fixtures/optimizers/keras.json' with { type: 'json' };
import { makeVariables, train, valuesOf } from './support.ts';

const { adam, multiOptimizer, optimizerMap, optimizerOf, sgd } = optimizers;

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

function expectValues(actual: ArrayLike<number>, wanted: readonly number[], tolerance: number): void {
  expect(actual.length).toBe(wanted.length);
  wanted.forEach((value, i) => {
    expect(Math.abs((actual[i] as number) - value)).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(value)),
    );
  });
}

const inside = (path: string) => path.slice(path.indexOf('/') + 1);

/** Returns the optimizer of the fixture. */
function several() {
  const map = { 'dense/bias': adam({ learningRate: 0.02, clipnorm: 0.5 }), 'nothing/.*': sgd(1) };
  const defaultOptimizer = sgd({ learningRate: 0.1, momentum: 0.5, globalClipnorm: 1.5 });
  return multiOptimizer({
    optimizerMap: optimizerMap({ defaultOptimizer, optimizerMap: map }),
    lossScaleFactor: 4,
  });
}

test('updates as in Keras', async () => {
  const { shapes, initial, gradients, multi } = file as unknown as {
    shapes: Record<string, number[]>;
    initial: Record<string, number[]>;
    gradients: Record<string, number[] | null>[];
    multi: { steps: { values: Record<string, number[]>; state: { path: string; values: number[] }[] }[] };
  };
  const variables: Variable[] = Object.entries(shapes).map(([path, shape]) => {
    using start = tensor(Float32Array.from(initial[path] as number[]), { shape });
    return variable(start, { name: path });
  });
  const optimizer = several();
  expect(await optimizer.scaleLoss(tensor(3)).item()).toBe(12);
  for (const [i, { values, state }] of multi.steps.entries()) {
    const scaled = variables.map(({ path, shape }) => {
      const gradient = gradients[i]?.[path];
      return gradient
        ? tensor(
            Float32Array.from(gradient, (g) => 4 * g),
            { shape },
          )
        : null;
    });
    optimizer.apply(scaled, variables);
    for (const w of variables) expectValues(await w.data(), values[w.path] as number[], 1e-5);
    expect(optimizer.variables.map(({ path }) => inside(path))).toEqual(
      state.map(({ path }) => inside(path)),
    );
    for (const [k, { values: wanted }] of state.entries())
      expectValues(await (optimizer.variables[k] as Variable).data(), wanted, 1e-5);
  }
  expect(optimizer.iterations).toBe(multi.steps.length);
});

test('is configured as in Keras, and can be created again', () => {
  const config = several().getConfig() as { optimizerMap: { config: Record<string, unknown> } };
  const again = optimizerOf({ className: 'MultiOptimizer', config });
  expect(again.getConfig()).toEqual(config);
  expect((again as optimizers.MultiOptimizer).optimizers.map(({ className }) => className)).toEqual([
    'Adam',
    'SGD',
    'SGD',
  ]);
});

describe('the optimizer of a variable', () => {
  const [byPath, byPattern, other] = [adam(), sgd(), sgd()];
  const map = optimizerMap(other, {
    optimizerMap: { 'encoder/.*': byPattern, 'encoder/dense': byPath, decoder: byPath },
  });

  test.each([
    ['encoder/dense', byPath],
    ['encoder/dense/kernel', byPattern],
    ['encoder', other],
    ['my_encoder/kernel', other],
    ['decoder', byPath],
    ['decoder/kernel', other],
  ])('%s', (path, wanted) => {
    expect(map.get(path)).toBe(wanted);
  });

  test('can be added and removed', () => {
    const own = optimizerMap({ defaultOptimizer: other });
    own.set('head/.*', byPath);
    expect([own.patterns, own.get('head/bias')]).toEqual([['head/.*'], byPath]);
    expect([own.delete('head/.*'), own.delete('head/.*'), own.get('head/bias')]).toEqual([
      true,
      false,
      other,
    ]);
  });

  test('comes from a function, too', async () => {
    const shapes = [[2], [3]];
    const [a, b] = makeVariables(shapes) as [Variable, Variable];
    const [fast, slow] = [sgd(0.5), sgd(0.125)];
    const optimizer = multiOptimizer((v: Variable) => (v === a ? fast : slow));
    const [start] = await valuesOf([a]);
    await train(optimizer, [a, b], [1]);
    const [moved] = await valuesOf([a]);
    const step = [1, 1.7].map(Math.sin);
    expectValues(
      moved as number[],
      (start as number[]).map((x, i) => x - 0.5 * (step[i] as number)),
      1e-6,
    );
    expect(optimizer.optimizers).toEqual([fast, slow]);
    expect([fast.iterations, slow.iterations]).toEqual([1, 1]);
  });
});

test('averages are those of the optimizers that keep them', async () => {
  const [a, b] = makeVariables([[2], [3]]) as [Variable, Variable];
  const averaging = sgd({ learningRate: 0.1, useEma: true, emaMomentum: 0.5 });
  const optimizer = multiOptimizer(optimizerMap(sgd(0.1), { optimizerMap: { 'layer_0/w': averaging } }));
  const before = await train(optimizer, [a, b], [1, 2]);
  optimizer.swapAverages();
  expect(optimizer.holdsAverages).toBe(true);
  const swapped = await valuesOf([a, b]);
  expect(swapped[0]).not.toEqual(before[0]);
  expect(swapped[1]).toEqual(before[1]);
  optimizer.swapAverages();
  expect(await valuesOf([a, b])).toEqual(before);
  optimizer.finalizeVariableValues();
  expect(await valuesOf([a, b])).toEqual(swapped);
});

function network() {
  const net = sequential([
    input({ shape: [3] }),
    layers.dense({ units: 4, activation: 'tanh', name: 'encoder' }),
    layers.dense({ units: 1, name: 'head' }),
  ]);
  // Files hold rates as float32.
  const map = optimizerMap(sgd(0.125), { optimizerMap: { '.*encoder/.*': adam(2 ** -7) } });
  net.compile({ optimizer: multiOptimizer(map), loss: 'mse' });
  return net;
}

const xs = [
  [1, 2, 3],
  [3, -1, 0],
  [0, 1, -2],
  [2, 2, 2],
];
const ys = [[1], [2], [3], [4]];

test('a saved model goes on training as it would have', async () => {
  const net = network();
  await net.fit(tensor(xs), tensor(ys), { epochs: 3, batchSize: 2, shuffle: false, verbose: 0 });
  const target = new BytesTarget();
  await net.save(target);
  const again = await loadModel(target.bytes);
  expect(await again.optimizer?.getWeights()).toEqual(await net.optimizer?.getWeights());
  for (const model of [net, again]) {
    await model.fit(tensor(xs), tensor(ys), { epochs: 2, batchSize: 2, shuffle: false, verbose: 0 });
  }
  expect(await valuesOf(again.weights)).toEqual(await valuesOf(net.weights));
  expect(again.optimizer?.iterations).toBe(10);
});

test('a model whose optimizers are selected by a function is saved without them', async () => {
  const net = network();
  const one = sgd(0.1);
  net.compile({ optimizer: multiOptimizer(() => one), loss: 'mse' });
  await net.fit(tensor(xs), tensor(ys), { verbose: 0 });
  const target = new BytesTarget();
  await net.save(target);
  expect((await loadModel(target.bytes)).compileOptions).toBeNull();
});

test('has no learning rate', async () => {
  const optimizer = several();
  const message = /own learning rate/;
  expect(() => optimizer.learningRate).toThrow(message);
  expect(() => {
    optimizer.learningRate = 1;
  }).toThrow(message);
  const scheduler = callbacks.learningRateScheduler(() => 0.1);
  await expect(network().fit(tensor(xs), tensor(ys), { callbacks: [scheduler], verbose: 0 })).rejects.toThrow(
    message,
  );
});

describe('rejected', () => {
  const w = () => variable(tensor([1]), { name: 'w' });
  const scaled = () => optimizers.lossScaleOptimizer({ innerOptimizer: sgd() });
  const loose = (value: unknown) => value as never;
  const step = (optimizer: unknown) => multiOptimizer(() => loose(optimizer)).build([w()]);

  test.each<[string, () => unknown, RegExp]>([
    ['no map', () => multiOptimizer(loose({})), /`optimizerMap` is an optimizerMap/],
    ['an object as a map', () => multiOptimizer(loose({ optimizerMap: {} })), /`optimizerMap` is/],
    ['no default', () => optimizerMap(loose({})), /`defaultOptimizer` is an optimizer/],
    ['a name', () => optimizerMap(loose('adam')), /`defaultOptimizer` is an optimizer/],
    [
      'no optimizer for a pattern',
      () => optimizerMap(sgd(), { optimizerMap: { w: loose(3) } }),
      /optimizerMap\['w'\]/,
    ],
    [
      'a list of patterns',
      () => optimizerMap(sgd(), { optimizerMap: loose([]) }),
      /is an object of optimizers/,
    ],
    ['a wrong pattern', () => optimizerMap(sgd(), { optimizerMap: { '(': sgd() } }), /regular expression/],
    [
      'a pattern twice',
      () => optimizerMap(sgd(), { optimizerMap: { w: sgd() } }).set('w', sgd()),
      /given once/,
    ],
    ['a number as a pattern', () => optimizerMap(sgd()).set(loose(1), sgd()), /pattern is a string/],
    [
      'two matches',
      () => optimizerMap(sgd(), { optimizerMap: { 'a.*': sgd(), '.*b': sgd() } }).get('ab'),
      /one optimizer/,
    ],
    ['an inner wrapper', () => multiOptimizer(optimizerMap(scaled())), /neither a LossScaleOptimizer/],
    ['a multiOptimizer inside', () => step(multiOptimizer(() => sgd())), /nor a MultiOptimizer/],
    ['nothing for a variable', () => step(null), /each variable has an optimizer/],
    ['a scale twice', () => step(sgd({ lossScaleFactor: 2 })), /scaled once/],
    ['averages of none', () => multiOptimizer(optimizerMap(sgd())).swapAverages(), /useEma/],
    ['other options', () => multiOptimizer(loose({ optimizerMap: () => sgd(), clipnorm: 1 })), /clipnorm/],
  ])('%s', (_, run, message) => {
    expect(run).toThrow(ValueError);
    expect(run).toThrow(message);
  });
});
