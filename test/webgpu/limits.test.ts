/** @file Devices whose limits aren't multiples of a word or of a binding's alignment. */
import { atOnce } from '../../src/core/pieces.ts';
import { describe, expect, test } from 'vitest';
import {
  add,
  compile,
  conv2d,
  gather,
  grad,
  matMul,
  mul,
  ones,
  OutOfMemoryError,
  range,
  relu,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { layers, sequential } from '../../src/keras/index.ts';
import { planMemory } from '../../src/execution/memoryPlan.ts';
import { ownDevice } from '../support/ownDevice.ts';
import { reuseGpu } from '../support/reusedGpu.ts';

const openGpu = reuseGpu();

/** Returns a device that says that its largest buffer and its largest binding are these. */
function limitedTo(maxBufferSize: number, maxStorageBufferBindingSize: number) {
  return ownDevice({
    open: openGpu,
    prepare: (gpu) => {
      const { limits } = gpu;
      const limited = new Proxy(limits, {
        get: (target, name) => {
          if (name === 'maxBufferSize') return maxBufferSize;
          if (name === 'maxStorageBufferBindingSize') return maxStorageBufferBindingSize;
          return Reflect.get(target, name, target);
        },
      });
      Object.defineProperty(gpu, 'limits', { value: limited, configurable: true });
    },
  });
}

const largest = 25_000;

describe.each([
  [4 * largest, 4 * largest],
  [4 * largest + 1, 4 * largest + 1],
  [4 * largest + 2, 4 * largest + 200],
  [4 * largest + 300, 4 * largest + 3],
  [4 * largest + 1001, 4 * largest + 2],
])('buffers of %d bytes, bindings of %d', (buffers, bindings) => {
  test('hold a tensor that is as large as words allow, and no larger one', async () => {
    await using own = await limitedTo(buffers, bindings);
    expect(own.device.limits.maxBufferSize).toBe(buffers);
    const x = range(0, largest);
    expect((await x.data()).at(-1)).toBe(largest - 1);
    expect(await sum(mul(ones([largest]), 2)).item()).toBe(2 * largest);
    const gathered = gather(x, tensor([0, largest - 1], { dtype: 'int32' }));
    expect(await gathered.array()).toEqual([0, largest - 1]);
    expect(() => ones([largest + 1])).toThrow(OutOfMemoryError);
    const values = tensor(new Float32Array(2 * largest - 1).fill(0.5), { dtype: 'float16' });
    expect((await values.data()).at(-1)).toBe(0.5);
    expect(() => tensor(new Float32Array(2 * largest + 1), { dtype: 'float16' })).toThrow(OutOfMemoryError);
  });

  test('read faults next to the largest tensor', async () => {
    await using _own = await limitedTo(buffers, bindings);
    const bad = gather(
      range(0, largest),
      add(tensor(new Int32Array(largest)), tensor(largest, { dtype: 'int32' })),
    );
    await expect(bad.data()).rejects.toThrow(/index 25000/);
  });

  test('captured work is planned into them', async () => {
    await using _own = await limitedTo(buffers, bindings);
    const step = compile((x: Tensor) => {
      const parts = [1, 2, 3].map((k) => relu(matMul(mul(x, k), x)));
      return sum(add(add(parts[0] as Tensor, parts[1] as Tensor), parts[2] as Tensor));
    });
    const x = tensor(new Float32Array(150 * 150).fill(0.1), { shape: [150, 150] });
    // Each element is the sum of 1.5, 3 and 4.5.
    for (let call = 0; call < 3; call++) expect(await step(x).item()).toBeCloseTo(9 * 150 * 150, -1);
    step.dispose();
  });

  test('convolutions, their gradients, and training fit', async () => {
    await using _own = await limitedTo(buffers, bindings);
    const [x, k] = [ones([1, 30, 30, 8]), ones([3, 3, 8, 8])];
    expect(await grad((v: Tensor) => sum(conv2d(v, k, { padding: 'same' })))(x).data()).toHaveLength(7200);
    using net = sequential([
      layers.input({ shape: [4] }),
      layers.dense({ units: 33 }),
      layers.dense({ units: 1 }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const rows = Array.from({ length: 10 }, (_, i) => [i, 1, 2, 3]);
    const { history } = await net.fit(
      rows,
      rows.map(([i]) => [i as number]),
      { epochs: 2, verbose: 0 },
    );
    expect(Number.isFinite(history.loss?.at(-1))).toBe(true);
  });
});

test('a plan of memory keeps to a limit of any size', () => {
  for (let limit = 997; limit < 1010; limit++) {
    const lifetimes = Array.from({ length: 30 }, (_, key) => ({
      key,
      bytes: 4 * (1 + ((key * 37) % 200)),
      first: key % 7,
      last: (key % 7) + 1 + (key % 3),
      conflicts: new Set<number>(),
    }));
    const { sizes, assignments } = atOnce(planMemory(lifetimes, limit));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
    for (const { offset } of assignments.values()) expect(offset % 256).toBe(0);
  }
});
