/** @file Layers of an app that assign their own variables in `call`, in functional models: symbolic calls have nothing to assign. */
import { beforeAll, expect, test } from 'vitest';
import { add, init, mul, ones, sub, sum, type Tensor, type Variable } from '../../../src/index.ts';
import { input, type KerasTensor, Layer, layers, model } from '../../../src/keras/index.ts';
import { mean } from '../../../src/keras/ops/index.ts';

beforeAll(async () => {
  await init();
});

/** The guide of Keras: the sum of all inputs so far. */
class ComputeSum extends Layer {
  total!: Variable;

  override build(shape: readonly (number | null)[]) {
    this.total = this.addWeight('total', {
      shape: [shape[1] as number],
      initializer: 'zeros',
      trainable: false,
    });
  }

  override call(x: Tensor): Tensor {
    this.total.assign(add(this.total, sum(x, { axis: 0 })));
    return mul(x, this.total);
  }
}

/** A norm by a moving average, as apps write it. */
class MovingNorm extends Layer {
  center!: Variable;

  override build() {
    this.center = this.addWeight('center', { shape: [], initializer: 'zeros', trainable: false });
  }

  override call(x: Tensor, { training }: { training?: boolean } = {}): Tensor {
    if (training) this.center.assign(add(mul(this.center, 0.5), mul(mean(x) as Tensor, 0.5)));
    return sub(x, this.center);
  }
}

test('a sum of all inputs', async () => {
  const x = input({ shape: [2] });
  const layer = new ComputeSum();
  const net = model({ inputs: x, outputs: layer.apply(x) as KerasTensor });
  expect(await layer.total.data()).toEqual(Float32Array.of(0, 0));
  for (const total of [3, 6]) {
    using found = net.apply(ones([3, 2])) as Tensor;
    expect(await layer.total.data()).toEqual(Float32Array.of(total, total));
    expect((await found.data())[0]).toBe(total);
  }
  net.dispose();
});

test('a moving average, trained by captured and by eager steps', async () => {
  for (const runEagerly of [false, true]) {
    const x = input({ shape: [1] });
    const layer = new MovingNorm();
    const centered = layer.apply(x) as KerasTensor;
    const net = model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(centered) });
    net.compile({ optimizer: 'sgd', loss: 'mse', runEagerly });
    await net.fit(ones([8, 1]), ones([8, 1]), { batchSize: 2, verbose: 0 });
    expect(await layer.center.item()).toBe(1 - 0.5 ** 4);
    net.dispose();
  }
});
