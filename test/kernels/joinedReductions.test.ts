/** @file Reductions that share a launch in compiled functions: fewer launches, the bits of separate ones. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  compile,
  getDevice,
  GradientTape,
  init,
  layerNorm,
  matMul,
  max,
  mean,
  mul,
  reshape,
  sum,
  type Tensor,
  variable,
  zeros,
} from '../../src/index.ts';
import { asAdapter } from '../support/adapterClass.ts';
import { launchesOf, uniform } from '../support/launchesOf.ts';

beforeAll(async () => {
  await init();
});

type Program = (...inputs: Tensor[]) => Tensor[];

/** As on a device whose programs bind at most `count` buffers. */
async function withStorageBuffers(count: number, body: () => Promise<void>): Promise<void> {
  const device = getDevice();
  const limits = new Proxy(device.limits, {
    get: (given, name) =>
      name === 'maxStorageBuffersPerShaderStage' ? count : given[name as keyof GPUSupportedLimits],
  });
  Object.defineProperty(device, 'limits', { value: limits, configurable: true });
  try {
    await body();
  } finally {
    Reflect.deleteProperty(device, 'limits');
  }
}

const columns = (x: Tensor) => sum(x, { axis: 0 });

describe('on a GPU', () => {
  const onGpu = (name: string, body: () => Promise<void>) => it(name, () => asAdapter('gpu', body));

  onGpu('sums of columns of several tensors share a launch', async () => {
    const inputs = [uniform([40, 64], 1), uniform([7, 12], 2), uniform([300, 33], 3)];
    expect(await launchesOf((x, y, z) => [x, y, z].map((each) => columns(each as Tensor)), inputs)).toBe(1);
  });

  onGpu('so do other reductions of columns, with several results', async () => {
    const inputs = [uniform([40, 64], 1), uniform([70, 12], 2), uniform([33, 5], 3), uniform([50, 8], 4)];
    const program: Program = (w, x, y, z) => [
      columns(w as Tensor),
      max(x as Tensor, { axis: 0 }),
      mean(y as Tensor, { axis: 0 }),
      mean(z as Tensor, { axis: 0 }),
    ];
    expect(await launchesOf(program, inputs)).toBe(1);
  });

  onGpu('gradients of biases and norms of layers one after the other', async () => {
    const [x, w, v] = [uniform([48, 64], 1), uniform([64, 64], 2), uniform([64, 32], 3)];
    const [gamma, beta, a, b] = [uniform([64], 4), uniform([64], 5), uniform([64], 6), uniform([32], 7)];
    const program: Program = (x, w, v, ...parameters) => {
      const [gamma, beta, a, b] = parameters as [Tensor, Tensor, Tensor, Tensor];
      using tape = new GradientTape();
      tape.watch(parameters as Tensor[]);
      const h = layerNorm(add(matMul(x as Tensor, w as Tensor), a), gamma, beta);
      const y = add(matMul(h, v as Tensor), b);
      return tape.gradient(y, parameters as Tensor[], { outputGradients: y }) as Tensor[];
    };
    const inputs = [x, w, v, gamma, beta, a, b];
    const launches = (await launchesOf(program, inputs)) as number;
    await withStorageBuffers(4, async () => {
      // Nothing fits: the sums of both biases and of the norm are three launches. With 10 buffers, they are one.
      expect(await launchesOf(program, inputs)).toBeGreaterThanOrEqual(launches + 2);
    });
  });

  onGpu('as many as a program can bind', async () => {
    const inputs = [1, 2, 3, 4, 5, 6].map((seed) => uniform([20, 16], seed));
    const program: Program = (...all) => all.map(columns);
    for (const [buffers, launches] of [
      [8, 2],
      [6, 2],
      [4, 3],
      [3, 6],
    ] as const)
      await withStorageBuffers(buffers, async () => {
        expect(await launchesOf(program, inputs)).toBe(launches);
      });
  });

  onGpu('second passes of long columns, with first passes of others', async () => {
    const inputs = [uniform([20_000, 8], 1), uniform([20_000, 8], 2)];
    const program: Program = (x, y) => [columns(x as Tensor), columns(y as Tensor)];
    expect(await launchesOf(program, inputs)).toBe(3);
  });

  onGpu('one that needs the result of another has its own launch', async () => {
    const program: Program = (x, y) => {
      const first = columns(x as Tensor);
      return [first, columns(matMul(y as Tensor, reshape(mul(first, 2), [8, 1])))];
    };
    expect(await launchesOf(program, [uniform([9, 8], 1), uniform([5, 8], 2)])).toBe(4);
  });

  onGpu('a variable that changes in between is summed before', async () => {
    const x = variable(zeros([6, 8]));
    const y = uniform([6, 8], 1);
    using step = compile((y: Tensor) => {
      const before = columns(x);
      x.assign(add(x, y));
      return [before, columns(y)];
    });
    const added = await columns(y).data();
    for (let call = 0; call < 4; call++) {
      const [before, sums] = step(y) as [Tensor, Tensor];
      const found = await before.data();
      expect(await sums.data()).toEqual(added);
      for (const [i, value] of added.entries()) expect(found[i]).toBeCloseTo(call * value, 5);
    }
  });

  onGpu('reductions that fill the device stay apart', async () => {
    const program: Program = (x, y) => [columns(x as Tensor), columns(y as Tensor)];
    expect(await launchesOf(program, [uniform([64, 2 ** 14], 1), uniform([64, 2 ** 14], 2)])).toBe(2);
  });
});

it('on a software adapter, reductions stay apart', () =>
  asAdapter('cpu', async () => {
    const inputs = [uniform([40, 64], 1), uniform([7, 12], 2)];
    expect(await launchesOf((x, y) => [columns(x as Tensor), columns(y as Tensor)], inputs)).toBe(2);
  }));
