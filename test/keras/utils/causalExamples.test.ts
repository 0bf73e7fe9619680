/** @file Token ids as examples for causal language models. */
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, ValueError } from '../../../src/index.ts';
import { input, layers, sequential, utils } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const { causalExamples } = utils;
const rowsOf = async (x: Tensor) => {
  const [data, [, width = 1]] = [Array.from(await x.data()), x.shape];
  return Array.from({ length: data.length / width }, (_, i) => data.slice(i * width, (i + 1) * width));
};
const tableOf = async (...given: Parameters<typeof causalExamples>) => {
  const { x, y, sampleWeight, segments } = causalExamples(...given);
  return { x: await rowsOf(x), y: await rowsOf(y), w: await rowsOf(sampleWeight), s: await rowsOf(segments) };
};

test('each token predicts the next one; prompts and padding don’t count', async () => {
  const examples = [{ prompt: [1, 2, 3], completion: [4, 5] }, [6, 7], Int32Array.of(8)];
  expect(await tableOf(examples, { separator: 9, padding: 0 })).toEqual({
    x: [
      [1, 2, 3, 4, 5],
      [6, 7, 0, 0, 0],
      [8, 0, 0, 0, 0],
    ],
    y: [
      [2, 3, 4, 5, 9],
      [7, 9, 0, 0, 0],
      [9, 0, 0, 0, 0],
    ],
    w: [
      [0, 0, 1, 1, 1],
      [1, 1, 0, 0, 0],
      [1, 0, 0, 0, 0],
    ],
    s: [
      [1, 1, 1, 1, 1],
      [2, 2, 0, 0, 0],
      [3, 0, 0, 0, 0],
    ],
  });
});

test('packed rows have no padding but at the end, and no target crosses from one example into the next', async () => {
  const examples = [[1, 2, 3], { prompt: [4], completion: [5, 6, 7] }];
  expect(await tableOf(examples, { length: 3, pack: true, separator: 9 })).toEqual({
    x: [
      [1, 2, 3],
      [4, 5, 6],
      [7, 0, 0],
    ],
    y: [
      [2, 3, 9],
      [5, 6, 7],
      [9, 0, 0],
    ],
    w: [
      [1, 1, 1],
      [1, 1, 1],
      [1, 0, 0],
    ],
    s: [
      [1, 1, 1],
      [2, 2, 2],
      [2, 0, 0],
    ],
  });
});

test('padding on the left, longer examples, and prompts that count', async () => {
  const examples = [{ prompt: [1, 2, 3], completion: [4, 5] }, [6, 7]];
  const options = { length: 2, paddingSide: 'left', padding: 8, learnPrompts: true } as const;
  expect(await tableOf(examples, options)).toMatchObject({
    x: [
      [1, 2],
      [8, 6],
    ],
    y: [
      [2, 3],
      [8, 7],
    ],
    w: [
      [1, 1],
      [0, 1],
    ],
  });
  expect(await tableOf(examples, { ...options, truncate: 'start' })).toMatchObject({
    x: [
      [3, 4],
      [8, 6],
    ],
  });
});

test('fit ignores what has weight 0', async () => {
  const make = () => {
    const net = sequential([
      input({ shape: [null], dtype: 'int32' }),
      layers.embedding({ inputDim: 10, outputDim: 10, embeddingsInitializer: 'ones' }),
    ]);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    return net;
  };
  const net = make();
  net.compile({
    optimizer: 'sgd',
    loss: { className: 'SparseCategoricalCrossentropy', config: { fromLogits: true } } as never,
  });
  const { x, y, sampleWeight } = causalExamples([{ prompt: [1, 2], completion: [3] }, [4, 5]], { length: 4 });
  await net.fit(x, y, { sampleWeight, epochs: 1, verbose: 0 });
  const rows = await rowsOf(net.weights[0] as Tensor);
  const changed = rows.flatMap((row, i) => (row.some((value) => value !== 1) ? [i] : []));
  // Only token 2 (before 3) and token 4 (before 5) have targets that count.
  expect(changed).toEqual([2, 4]);
});

test.each<[unknown, object, RegExp]>([
  ['text', {}, /lists of token ids/],
  [[[1.5, 2]], {}, /lists of token ids/],
  [[[1]], {}, /two tokens/],
  [[{ prompt: [1] }], {}, /lists of token ids/],
  [[[1, 2]], { length: 0 }, /length/],
  [[[1, 2]], { paddingSide: 'middle' }, /'left' or 'right'/],
  [[[1, 2]], { packed: true }, /pack/],
])('errors: %o, %o', (examples, options, message) => {
  expect(() => causalExamples(examples as never, options)).toThrow(ValueError);
  expect(() => causalExamples(examples as never, options)).toThrow(message);
});
