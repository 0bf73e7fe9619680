/** @file Adapters of whole models: which layers get them, what is trained, and how they are chosen, merged and removed. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, memory, type Tensor, tensor, tidy, ValueError } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, model, Model, sequential } from '../../../src/keras/index.ts';
import type { AdaptedLayer } from '../../../src/keras/layers/base/adapter.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Values that repeat after 7. */
function formula(shape: readonly number[], step = 0.31): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  const data = Float32Array.from({ length: size }, (_, i) => ((i * step * 7) % 1) - 0.5);
  return tensor(data, { shape });
}

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());
const namesOf = (weights: readonly { path: string }[]) => weights.map(({ path }) => path);

/** Sets both matrices of all adapters in use. */
function setMatrices(
  net: {
    trainableWeights: readonly { path: string; shape: readonly number[]; assign(x: Tensor): unknown }[];
  },
  step = 0.31,
) {
  for (const weight of net.trainableWeights)
    if (/lora/.test(weight.path)) weight.assign(formula(weight.shape, step));
}

function expectClose(values: readonly number[], expected: readonly number[], digits = 5) {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] as number, digits);
}

/** A block of a transformer: an embedding, an attention, a feed-forward network and a head. */
function transformer() {
  const ids = input({ shape: [4], dtype: 'int32' });
  const rows = layers.embedding({ inputDim: 9, outputDim: 6, name: 'tokens' }).apply(ids);
  const attention = layers.multiHeadAttention({ numHeads: 2, keyDim: 3, name: 'attention' });
  const seen = layers.layerNormalization({ name: 'norm' }).apply(attention.apply([rows, rows]));
  const wide = layers.dense({ units: 8, activation: 'gelu', name: 'up' }).apply(seen);
  const narrow = layers.dense({ units: 6, name: 'down' }).apply(wide);
  const outputs = layers.dense({ units: 9, name: 'head' }).apply(narrow);
  return model({ inputs: ids, outputs, name: 'gpt' });
}
const ids = () =>
  tensor(
    [
      [1, 2, 8, 0],
      [3, 3, 5, 7],
    ],
    { dtype: 'int32' },
  );
const labels = () =>
  tensor(
    [
      [2, 8, 0, 1],
      [3, 5, 7, 4],
    ],
    { dtype: 'int32' },
  );

describe('targets', () => {
  test('the default are the projections of queries and values, and only adapters are trained', () => {
    const net = transformer();
    net.enableLora({ rank: 2 });
    expect(namesOf(net.trainableWeights)).toEqual([
      'attention/query/lora_kernel_a',
      'attention/query/lora_kernel_b',
      'attention/value/lora_kernel_a',
      'attention/value/lora_kernel_b',
    ]);
    expect(net.summary({ print: () => {} })).toMatch(/Trainable params: 60 /);
  });

  test.each<[unknown, string[]]>([
    [
      ['query', 'up'],
      ['attention/query', 'up'],
    ],
    ['attention', ['attention/query', 'attention/key', 'attention/value', 'attention/attention_output']],
    ['attention/key', ['attention/key']],
    ['attention/*e*', ['attention/query', 'attention/key', 'attention/value', 'attention/attention_output']],
    [/^(up|down)$/, ['up', 'down']],
    [
      [/tok/g, 'head'],
      ['tokens', 'head'],
    ],
    [
      'all-linear',
      [
        'attention/query',
        'attention/key',
        'attention/value',
        'attention/attention_output',
        'up',
        'down',
        'head',
      ],
    ],
  ])('%s', (targets, expected) => {
    const net = transformer();
    net.enableLora({ rank: 2, targets: targets as never });
    const adapted = namesOf(net.trainableWeights).flatMap(
      (path) => /^(.*)\/lora_\w+_a$/.exec(path)?.[1] ?? [],
    );
    expect(new Set(adapted)).toEqual(new Set(expected));
  });

  test('without attention all dense layers get one, except those smaller than the rank; without those, convolutions', () => {
    const net = sequential([
      input({ shape: [8, 8, 1] }),
      layers.conv2d({ filters: 4, kernelSize: 3, name: 'conv' }),
      layers.flatten(),
      layers.dense({ units: 5, name: 'wide' }),
      layers.dense({ units: 1, name: 'top' }),
    ]);
    net.enableLora({ rank: 3 });
    expect(namesOf(net.trainableWeights)).toEqual(
      ['wide/lora_kernel_a', 'wide/lora_kernel_b'].map((name) => expect.stringContaining(name)),
    );
    const convs = sequential([input({ shape: [8, 8, 1] }), layers.conv2d({ filters: 4, kernelSize: 3 })]);
    convs.enableLora({ rank: 2 });
    expect(convs.trainableWeights.map(({ shape }) => shape)).toEqual([
      [3, 3, 1, 2],
      [2, 4],
    ]);
  });

  test.each<[string, object, RegExp]>([
    ['a name that no layer has', { rank: 2, targets: ['quer'] }, /did you mean 'query'/],
    ['a layer without a kernel', { rank: 2, targets: 'norm' }, /dense, einsumDense, embedding/],
    ['no text', { rank: 2, targets: 3 }, /targets: 3/],
    [
      'a rank above the smaller side',
      { rank: 4, targets: 'query' },
      /rank: 4, for 'attention\/query'[\s\S]*up to 3/,
    ],
    ['a rank of 0', { rank: 0 }, /rank/],
    ['an unknown option', { rank: 2, loraAlpha: 3 }, /loraAlpha/],
    ['an unknown head', { rank: 2, alsoTrain: 'top' }, /alsoTrain/],
    ['a name with a slash', { rank: 2, name: 'a/b' }, /name of an adapter/],
  ])('errors: %s, and nothing changes', (_, options, message) => {
    const net = transformer();
    const before = namesOf(net.trainableWeights);
    expect(() => net.enableLora(options as never)).toThrow(ValueError);
    expect(() => net.enableLora(options as never)).toThrow(message);
    expect(namesOf(net.trainableWeights)).toEqual(before);
  });

  test('errors: twice, or before it is built', () => {
    const net = transformer();
    net.enableLora({ rank: 2, targets: 'query' });
    const before = namesOf(net.weights);
    expect(() => net.enableLora({ rank: 2, targets: ['up', 'query'] })).toThrow(
      /'attention\/query', which has an adapter 'default'/,
    );
    expect(namesOf(net.weights)).toEqual(before);
    class Unbuilt extends Model {
      readonly inner = layers.dense({ units: 2 });
      override call(x: Tensor) {
        return this.inner.apply(x);
      }
    }
    expect(() => new Unbuilt().enableLora({ rank: 1 })).toThrow(/build the model first/);
  });
});

describe('training', () => {
  test('fit changes the adapters and the layers of alsoTrain alone, and files have the sums', async () => {
    const net = transformer();
    net.enableLora({ rank: 2, targets: ['query', 'value', 'up', 'tokens'], alsoTrain: 'head' });
    net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
    const before = new Map(
      await Promise.all(net.weights.map(async (weight) => [weight.path, await dataOf(weight)] as const)),
    );
    await net.fit(ids(), labels(), { epochs: 2, verbose: 0 });
    const changed: string[] = [];
    for (const weight of net.weights)
      if (String(await dataOf(weight)) !== String(before.get(weight.path))) changed.push(weight.path);
    expect(new Set(changed)).toEqual(new Set(namesOf(net.trainableWeights)));
    expect(changed.filter((path) => !/lora/.test(path))).toEqual(['head/kernel', 'head/bias']);
    const file = new BytesTarget();
    await net.save(file);
    const again = await loadModel(file.bytes);
    expectClose(await dataOf(again.apply(ids())), await dataOf(net.apply(ids())));
    // The adapters inside the attention are in its kernels: its configuration doesn't have them.
    expect(namesOf(again.trainableWeights).filter((path) => /lora/.test(path))).toEqual(
      ['tokens', 'up'].flatMap((name) =>
        ['a', 'b'].map((which) => expect.stringMatching(new RegExp(`^${name}/lora_\\w+_${which}$`))),
      ),
    );
    expect(again.getLayer('down').trainable).toBe(false);
  });

  test('a rank-stabilized scale, ranks and alphas by pattern', async () => {
    const net = transformer();
    net.enableLora({
      rank: 2,
      alpha: 6,
      targets: ['query', 'up', 'down'],
      rankPattern: { up: 4 },
      alphaPattern: { 'attention/*': 3 },
      rankStabilized: true,
    });
    const scales = ['up', 'down'].map(
      (name) => (net.getLayer(name) as unknown as AdaptedLayer).adapter?.scale,
    );
    const { queryDense } = net.getLayer<never>('attention') as { queryDense: AdaptedLayer };
    expect([...scales, queryDense.adapter?.scale]).toEqual([6 / 2, 6 / Math.SQRT2, 3 / Math.SQRT2]);
  });

  test('the adapters of PEFT’s layout have as many values as of a matrix of inputs and outputs', async () => {
    const net = transformer();
    net.enableLora({ rank: 2, targets: ['query', 'attention_output'], layout: 'peft' });
    expect(net.trainableWeights.map(({ shape }) => shape)).toEqual([
      [6, 2],
      [2, 2, 3],
      [2, 3, 2],
      [2, 6],
    ]);
    setMatrices(net);
    const y = await dataOf(net.apply(ids()));
    net.mergeLora();
    expectClose(await dataOf(net.apply(ids())), y);
  });
});

describe('several adapters', () => {
  test('the model uses one, by name, and switching makes no tensors', async () => {
    const net = transformer();
    const plain = await dataOf(net.apply(ids()));
    net.enableLora({ rank: 2, targets: ['query', 'up'], name: 'poems' });
    setMatrices(net, 0.31);
    const poems = await dataOf(net.apply(ids()));
    net.enableLora({ rank: 1, targets: ['up', 'down'], name: 'prose' });
    expect(namesOf(net.trainableWeights)).toEqual([
      'up/lora_kernel_a_prose',
      'up/lora_kernel_b_prose',
      'down/lora_kernel_a_prose',
      'down/lora_kernel_b_prose',
    ]);
    setMatrices(net, 0.17);
    const prose = await dataOf(net.apply(ids()));
    expect(new Set([String(plain), String(poems), String(prose)]).size).toBe(3);
    for (const [name, expected] of [
      ['poems', poems],
      [null, plain],
      ['prose', prose],
      ['poems', poems],
    ] as const) {
      const { tensors } = memory();
      net.useAdapter(name);
      expect(memory().tensors).toBe(tensors);
      expect(await dataOf(await net.predict(ids()))).toEqual(await dataOf(tidy(() => net.apply(ids()))));
      expect(await dataOf(net.apply(ids()))).toEqual(expected);
    }
    expect(() => net.useAdapter('verse')).toThrow(/'poems', 'prose'/);
  });

  test('merged adapters cost nothing, aren’t trained, and are subtracted again', async () => {
    const net = transformer();
    const kernel = () => dataOf((net.getLayer('up') as unknown as { kernel: Tensor }).kernel);
    net.enableLora({ rank: 2, targets: ['up', 'tokens'] });
    setMatrices(net);
    const [y, before] = [await dataOf(net.apply(ids())), await kernel()];
    const predicted = await dataOf(await net.predict(ids()));
    net.mergeLora();
    net.mergeLora();
    expect(namesOf(net.trainableWeights)).toEqual([]);
    expect(await kernel()).not.toEqual(before);
    expectClose(await dataOf(net.apply(ids())), y);
    expectClose(await dataOf(await net.predict(ids())), predicted);
    expect(() => net.useAdapter(null)).toThrow(/unmerged first/);
    const file = new BytesTarget();
    await net.save(file);
    expectClose(await dataOf((await loadModel(file.bytes)).apply(ids())), y);
    net.unmergeLora();
    expectClose(await kernel(), before, 6);
    expect(net.trainableWeights).toHaveLength(4);
    net.mergeLora();
    net.removeLora();
    expect(namesOf(net.weights)).toEqual(namesOf(transformer().weights));
    expectClose(await dataOf(net.apply(ids())), y);
  });

  test('without adapters the model trains what it trained before', () => {
    const net = transformer();
    net.getLayer('norm').trainable = false;
    const before = namesOf(net.trainableWeights);
    net.enableLora({ rank: 2, targets: 'up' });
    net.enableLora({ rank: 2, targets: 'down', name: 'other' });
    net.removeLora('default');
    expect(namesOf(net.trainableWeights)).toEqual(['down/lora_kernel_a_other', 'down/lora_kernel_b_other']);
    net.removeLora();
    expect(namesOf(net.trainableWeights)).toEqual(before);
    expect(() => net.removeLora()).toThrow(/enableLora\(\{ rank: 8 \}\)/);
    expect(() => net.mergeLora()).toThrow(ValueError);
  });
});
