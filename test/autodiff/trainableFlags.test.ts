/** @file Compiled functions and `trainable`: calls replay a recording only while what it has read of it stays as it was. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  compile,
  GradientTape,
  init,
  mean,
  mul,
  ones,
  square,
  sum,
  type Tensor,
  tensor,
  variable,
} from '../../src/index.ts';
import { Layer, layers, sequential } from '../../src/keras/index.ts';

const { batchNormalization, dense, dropout } = layers;

beforeAll(async () => {
  await init();
});

test('variables that a tape watches at their first use', async () => {
  const [v, w] = [variable(tensor(2)), variable(tensor(3))];
  const step = compile((x: Tensor) => {
    using tape = new GradientTape();
    const y = mul(mul(x, v), w);
    return tape.gradient(y, [v, w], { unconnectedGradients: 'zero' });
  });
  const found = async () => Promise.all(step(tensor(1)).map((g) => g.item()));
  for (let i = 0; i < 2; i++) {
    expect(await found()).toEqual([3, 2]);
    v.trainable = false;
    expect(await found()).toEqual([0, 2]);
    w.trainable = false;
    expect(await found()).toEqual([0, 0]);
    v.trainable = true;
    expect(await found()).toEqual([3, 0]);
    w.trainable = true;
  }
  // Each state was recorded once.
  expect(step.explain().map(({ captured }) => captured)).toEqual([true, true, true, true]);
  step.dispose();
});

test('null gradients and results that come and go with the flag', async () => {
  const v = variable(tensor(2), { trainable: false });
  const step = compile((x: Tensor) => {
    using tape = new GradientTape();
    return { g: tape.gradient(mul(x, v), v), n: v.trainable ? x : null };
  });
  for (let i = 0; i < 3; i++) {
    expect(step(tensor(1))).toEqual({ g: null, n: null });
    v.trainable = true;
    const { g, n } = step(tensor(4));
    expect([await g?.item(), await n?.item()]).toEqual([4, 4]);
    v.trainable = false;
  }
});

test('nothing is recorded again for flags that the function doesn’t read, or that change back', () => {
  const [v, other] = [variable(tensor(2)), variable(tensor(2))];
  let runs = 0;
  const step = compile((x: Tensor) => {
    runs++;
    using tape = new GradientTape({ watchAccessedVariables: false });
    tape.watch(x);
    return tape.gradient(mul(x, v), x);
  });
  step(tensor(1));
  step(tensor(1));
  const before = runs;
  v.trainable = false;
  other.trainable = false;
  step(tensor(1));
  v.trainable = true;
  step(tensor(1));
  expect(runs).toBe(before);
});

test('flags that the function sets itself', async () => {
  const [g, d] = [variable(tensor(2)), variable(tensor(3))];
  const step = compile((x: Tensor) => {
    const gradients = [];
    for (const trained of [g, d]) {
      g.trainable = trained === g;
      d.trainable = trained === d;
      using tape = new GradientTape();
      gradients.push(...tape.gradient(mul(mul(x, g), d), [g, d], { unconnectedGradients: 'zero' }));
    }
    g.trainable = true;
    return gradients;
  });
  for (let i = 1; i < 5; i++) {
    const found = await Promise.all(step(tensor(i)).map((y) => y.item()));
    expect(found).toEqual([3 * i, 0, 0, 2 * i]);
  }
  expect(step.explain()).toHaveLength(1);
});

describe('layers', () => {
  test('a frozen layer, and what it is made of', async () => {
    const net = sequential([dense({ units: 2 }), batchNormalization(), dense({ units: 1 })]);
    net.apply(ones([1, 2]));
    const step = compile((x: Tensor) => {
      using tape = new GradientTape();
      const y = mean(square(net.apply(x, { training: true }) as Tensor));
      return tape.gradient(y, net.weights, { unconnectedGradients: 'zero' });
    });
    const x = tensor([
      [1, 2],
      [3, 5],
    ]);
    const isZero = async () =>
      (await Promise.all(step(x).map((t) => sum(square(t)).item()))).map((s) => s === 0);
    const eager = (frozen: readonly number[]) => {
      net.layers.forEach((layer, i) => {
        layer.trainable = !frozen.includes(i);
      });
      return net.weights.map((w) => !w.trainable);
    };
    for (const frozen of [[], [0], [0, 1], [], [2], [0]]) {
      const wanted = eager(frozen);
      const found = await isZero();
      for (const [i, isFrozen] of wanted.entries()) if (isFrozen) expect(found[i]).toBe(true);
      expect(found.filter((zero) => !zero).length).toBeGreaterThan(0);
    }
  });

  test('a frozen BatchNormalization normalizes by its moving averages, also without weights to train', async () => {
    const layer = batchNormalization({ scale: false, center: false });
    const x = tensor([[1], [3]]);
    layer.apply(x);
    const step = compile((y: Tensor) => layer.apply(y, { training: true }) as Tensor);
    const first = await step(x).array();
    layer.trainable = false;
    const frozen = await step(x).array();
    expect(frozen).not.toEqual(first);
    expect(frozen).toEqual(await (layer.apply(x, { training: true }) as Tensor).array());
    layer.trainable = true;
    expect(await step(x).array()).toEqual(first);
  });

  test('the training flag of a layer call around it', async () => {
    class Compiled extends Layer {
      readonly inner = dropout({ rate: 0.999 });
      readonly step = compile((x: Tensor) => add(this.inner.apply(x) as Tensor, 0));
      override call(x: Tensor): Tensor {
        return this.step(x);
      }
    }
    const layer = new Compiled();
    const x = ones([256]);
    for (let i = 0; i < 3; i++) {
      expect(await sum(layer.apply(x) as Tensor).item()).toBe(256);
      expect(await sum(layer.apply(x, { training: true }) as Tensor).item()).not.toBe(256);
      expect(await sum(layer.apply(x, { training: false }) as Tensor).item()).toBe(256);
    }
  });
});
