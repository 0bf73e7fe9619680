/** @file A bad label or index is named by its batch and its sample. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, ones, tensor } from '../../../src/index.ts';
import { input, layers, model, type Model, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const rows = 40;
const bad = 33;
const labels = () => Int32Array.from({ length: rows }, (_, i) => (i === bad ? 12 : i % 3));

function classifier(settings: object = {}): Model {
  const net = sequential([
    layers.input({ shape: [2] }),
    layers.dense({ units: 3, activation: 'softmax' }),
  ] as never);
  net.compile({ optimizer: 'sgd', loss: 'sparseCategoricalCrossentropy', ...settings } as never);
  return net as never;
}

const messageOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'nothing was thrown',
    (error: Error) => error.message,
  );

const quiet = { verbose: 0, batchSize: 4 } as const;

describe('fit names the sample of a bad label', () => {
  test.each([
    ['shuffled', { seed: 1 }],
    ['with another seed', { seed: 2 }],
    ['in order', { shuffle: false }],
    ['with shuffled batches', { shuffle: 'batch', seed: 3 }],
    ['with sample weights', { seed: 4, sampleWeight: Float32Array.from({ length: rows }, () => 0.5) }],
    ['with a validation split that holds it', { seed: 5, validationSplit: 0.25 }],
    ['with a validation split of others', { seed: 6, validationSplit: 0.1 }],
  ] as const)('%s', async (_how, options) => {
    const found = await messageOf(
      classifier().fit(ones([rows, 2]), labels(), { ...quiet, ...options } as never),
    );
    expect(found).toContain('index 12');
    expect(found).toMatch(/sample 33 of `y`/);
    expect(found).toMatch(/during: epoch 1 of 1, (validation, )?batch \d+$/);
  });

  test.each([
    ['eagerly', { runEagerly: true }],
    ['with accumulated gradients', { optimizer: 'accumulating' }],
    ['with several steps per execution', { stepsPerExecution: 4 }],
  ])('%s', async (_how, settings) => {
    const { optimizers } = await import('../../../src/keras/index.ts');
    const given =
      'optimizer' in settings
        ? { optimizer: optimizers.sgd({ learningRate: 0.1, gradientAccumulationSteps: 4 }) }
        : settings;
    const run = classifier(given).fit(ones([rows, 2]), labels(), { ...quiet, shuffle: false });
    const found = await messageOf(run);
    expect(found).toMatch(/sample 33 of `y`/);
    expect(found).toMatch(/batch 9$/);
  });

  test('in a batch whose step is replayed', async () => {
    const net = classifier();
    const replayed = messageOf(
      net.fit(
        ones([200, 2]),
        Int32Array.from({ length: 200 }, (_, i) => (i === 150 ? -4 : 0)),
        { ...quiet, shuffle: false },
      ),
    );
    expect(await replayed).toMatch(/sample 150 of `y`[\s\S]*batch 38$/);
  });

  test('labels with an axis of their own, and as floats', async () => {
    const y = tensor(Float32Array.from(labels()), { shape: [rows, 1] });
    expect(await messageOf(classifier().fit(ones([rows, 2]), y, { ...quiet, seed: 8 }))).toMatch(
      /sample 33 of `y`/,
    );
  });

  test('evaluate', async () => {
    expect(await messageOf(classifier().evaluate(ones([rows, 2]), labels(), quiet))).toMatch(
      /sample 33 of `y`[\s\S]*batch 9$/,
    );
  });
});

describe('ids of an embedding', () => {
  const ids = () => {
    const values = Int32Array.from({ length: rows * 5 }, (_, i) => i % 7);
    values[bad * 5 + 3] = 99;
    return tensor(values, { shape: [rows, 5] });
  };

  test('one of several inputs, by fit and predict', async () => {
    const words = input({ shape: [5], name: 'words', dtype: 'int32' });
    const extra = input({ shape: [2], name: 'extra' });
    const pooled = layers
      .globalAveragePooling1d()
      .apply(layers.embedding({ inputDim: 7, outputDim: 2 }).apply(words));
    const out = layers
      .dense({ units: 1 })
      .apply(layers.concatenate().apply([pooled, extra] as never) as never);
    const net = model({ inputs: [words, extra], outputs: out });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const x = [ids(), ones([rows, 2])] as const;
    const found = await messageOf(net.fit(x as never, ones([rows, 1]), { ...quiet, seed: 9 }));
    expect(found).toMatch(/sample 33 of `x\[0\]`/);
    expect(await messageOf(net.predict(x as never, { batchSize: 4 }))).toMatch(/sample 33 of/);
  });

  test('labels of each step, which the loss may flatten', async () => {
    const net = sequential([
      layers.embedding({ inputDim: 100, outputDim: 7 }),
      layers.activation('softmax'),
    ] as never);
    net.compile({ optimizer: 'sgd', loss: 'sparseCategoricalCrossentropy' });
    expect(await messageOf(net.fit(ids(), ids(), { ...quiet, seed: 10 }))).toMatch(/sample 33 of/);
  });
});

test('of a generator, the batch and the position in it', async () => {
  const batches = function* () {
    for (let i = 0; i < 10; i++) yield [ones([4, 2]), labels().slice(4 * i, 4 * i + 4)] as never;
  };
  const found = await messageOf(classifier().fit(batches as never, { verbose: 0 } as never));
  expect(found).toMatch(/position \[1\][\s\S]*during: epoch 1 of 1, batch 9$/);
  expect(found).not.toContain('sample');
});
