import { beforeAll, describe, expect, test } from 'vitest';
import {
  DTypeError,
  getDevice,
  GradientTape,
  init,
  ShapeError,
  square,
  sum,
  tensor,
  ValueError,
  variable,
} from '../../../src/index.ts';
import { optimizers } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** Algorithm 1 of Kingma and Ba in float64, with epsilon as in Keras, on the values of one variable. */
function reference(start: number[], gradientsByStep: number[][], rate: number): number[] {
  const [beta1, beta2, epsilon] = [0.9, 0.999, 1e-7];
  const theta = [...start];
  const m = start.map(() => 0);
  const v = start.map(() => 0);
  gradientsByStep.forEach((gradients, index) => {
    const t = index + 1;
    gradients.forEach((g, i) => {
      m[i] = beta1 * (m[i] as number) + (1 - beta1) * g;
      v[i] = beta2 * (v[i] as number) + (1 - beta2) * g * g;
      const alpha = (rate * Math.sqrt(1 - beta2 ** t)) / (1 - beta1 ** t);
      theta[i] = (theta[i] as number) - (alpha * (m[i] as number)) / (Math.sqrt(v[i] as number) + epsilon);
    });
  });
  return theta;
}

describe('adam', () => {
  test.each([1, 3, 4, 5, 1027])('follows its formula over steps: %i values', async (size) => {
    const wave = (k: number) => Array.from({ length: size }, (_, i) => Math.fround(Math.sin(k + i * 0.7)));
    const w = variable(tensor(wave(0)));
    const optimizer = optimizers.adam({ learningRate: 0.05 });
    const steps = [1, 2, 3, 4].map(wave);
    for (const gradient of steps) optimizer.apply([tensor(gradient)], [w]);
    const expected = reference(wave(0), steps, 0.05);
    const actual = await w.data();
    expected.forEach((value, i) => {
      expect(actual[i]).toBeCloseTo(value, 5);
    });
    expect(optimizer.iterations).toBe(4);
    const names = optimizer.variables.map(({ name }) => name?.split('/').at(-1));
    expect(names).toEqual(['iteration', 'learning_rate', `${w.name}_momentum`, `${w.name}_velocity`]);
  });

  test('is one launch for small variables', () => {
    const [a, b] = [variable(tensor([1, 2])), variable(tensor([[3]]))];
    const optimizer = optimizers.adam();
    const step = () => optimizer.apply([tensor([1, 1]), tensor([[1]])], [a, b]);
    step();
    const before = getDevice().stream.statistics.launches;
    step();
    expect(getDevice().stream.statistics.launches - before).toBe(1);
  });

  test('writes in place, and leaves shared values alone', async () => {
    const start = tensor([1, 2]);
    const w = variable(start);
    const optimizer = optimizers.adam({ learningRate: 0.5 });
    optimizer.apply([tensor([1, 1])], [w]);
    expect(await start.array()).toEqual([1, 2]);
    const { buffer } = w.storage;
    optimizer.apply([tensor([1, 1])], [w]);
    expect(w.storage.buffer).toBe(buffer);
  });

  test('a null gradient leaves its variable unchanged', async () => {
    const [a, b] = [variable(tensor([1])), variable(tensor([1]))];
    optimizers.adam().apply([null, tensor([1])], [a, b]);
    expect(await a.item()).toBe(1);
    expect(await b.item()).toBeLessThan(1);
  });

  test('finds a minimum, at a rate that may change', async () => {
    const w = variable(tensor([3, -2]));
    const optimizer = optimizers.adam({ learningRate: 0.3 });
    for (let i = 0; i < 150; i++) {
      const tape = new GradientTape();
      const loss = sum(square(w));
      optimizer.apply([tape.gradient(loss, w)], [w]);
      optimizer.learningRate *= 0.97;
    }
    for (const value of await w.data()) expect(Math.abs(value)).toBeLessThan(0.02);
  });

  const w = () => variable(tensor([1, 2]));
  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['a negative rate', () => optimizers.adam({ learningRate: -1 }), ValueError],
    ['a rate that is no number', () => optimizers.adam({ learningRate: '1' as never }), ValueError],
    ['beta1 of 1', () => optimizers.adam({ beta1: 1 }), ValueError],
    ['a negative beta2', () => optimizers.adam({ beta2: -0.1 }), ValueError],
    ['a negative epsilon', () => optimizers.adam({ epsilon: -1 }), ValueError],
    ['too few gradients', () => optimizers.adam().apply([], [w()]), ValueError],
    ['null gradients alone', () => optimizers.adam().apply([null], [w()]), ValueError],
    ['another shape', () => optimizers.adam().apply([tensor([1])], [w()]), ShapeError],
    ['another dtype', () => optimizers.adam().apply([tensor([1, 2], { dtype: 'int32' })], [w()]), DTypeError],
  ])('rejects %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});
