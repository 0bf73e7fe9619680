/**
 * @file Runs of captured work on a device: which buffers uploads may overwrite, what is created again, and what variables
 * share.
 */
import { beforeAll, expect, test, vi } from 'vitest';
import { compile } from '../../src/autodiff/compile.ts';
import { init } from '../../src/kernels/loading/init.ts';
import { EagerExecutor } from '../../src/webgpu/eagerExecutor.ts';
import { defineKernel } from '../../src/webgpu/customKernel.ts';
import { onReplay } from '../../src/execution/currentExecutor.ts';
import { DynamicScalar } from '../../src/webgpu/params.ts';
import { runKernel } from '../../src/kernels/launch/run.ts';
import { add, mul } from '../../src/ops/elementwise/arithmetic.ts';
import { fill } from '../../src/ops/creation/creation.ts';
import { matMul } from '../../src/ops/products/matMul.ts';
import { sum } from '../../src/ops/reductions/sum.ts';
import { tensor } from '../../src/tensor/create.ts';
import { memory } from '../../src/tensor/memory.ts';
import { tidy } from '../../src/tensor/scope.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { variable } from '../../src/tensor/variable.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { ownDevice } from '../support/ownDevice.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

/** More bytes than a result that is copied out. */
const large = 20_000;
const filled = (value: number, count = large) => tensor(new Float32Array(count).fill(value));

// Uploads are written before what waits to be submitted, so they take no buffer that it uses.
test('an upload leaves alone what the last run reads', async () => {
  await using own = await ownDevice();
  const constant = filled(2);
  const f = compile((x: Tensor) => sum(mul(x, constant)));
  const x = filled(3);
  f(x);
  f(x);
  await own.device.sync();
  const result = f(x);
  f.dispose();
  constant.dispose();
  const uploads = [1, 2, 3, 4].map((value) => filled(value));
  expect(await result.item()).toBe(6 * large);
  for (const [i, upload] of uploads.entries()) expect((await upload.data())[7]).toBe(i + 1);
});

test('an upload leaves alone what the last run writes', async () => {
  await using own = await ownDevice();
  const f = compile((x: Tensor) => add(mul(x, 2), 1));
  const x = filled(3);
  for (let run = 0; run < 2; run++) f(x).dispose();
  await own.device.sync();
  f(x).dispose();
  const uploads = [100, 200, 300].map((value) => filled(value));
  for (const [i, upload] of uploads.entries())
    expect(new Set(await upload.data())).toEqual(new Set([100 * (i + 1)]));
});

/** Makes a device, and counts the bind groups that are made on it. */
async function countingBindGroups() {
  const count = { made: 0 };
  const own = await ownDevice({
    prepare(gpu) {
      const { createBindGroup } = gpu;
      gpu.createBindGroup = (descriptor) => {
        count.made++;
        return createBindGroup.call(gpu, descriptor);
      };
    },
  });
  return { own, count };
}

test('runs whose results are released make no bind groups', async () => {
  const { own, count } = await countingBindGroups();
  await using _own = own;
  const f = compile((x: Tensor) => [mul(x, 2), sum(x)]);
  const x = fill([large], 3);
  const run = () => tidy(() => void f(x));
  for (let i = 0; i < 5; i++) run();
  await own.device.sync();
  count.made = 0;
  for (let i = 0; i < 10; i++) run();
  expect(count.made).toBe(0);
});

test('nor do runs whose small results are held', async () => {
  const { own, count } = await countingBindGroups();
  await using _own = own;
  const f = compile((x: Tensor) => mul(x, 2));
  const inputs = Array.from({ length: 10 }, (_, i) => tensor([i, 1]));
  const before = [f(inputs[0] as Tensor), f(inputs[1] as Tensor)];
  count.made = 0;
  const results = inputs.map((x) => f(x));
  expect(count.made).toBe(0);
  for (const [i, result] of results.entries()) expect(await result.array()).toEqual([2 * i, 2]);
  expect(await before[1]?.array()).toEqual([2, 2]);
});

test('a recording watches its bind groups together, and makes one for all launches that bind the same ranges', async () => {
  const recorded = async (launches: number) => {
    const { own, count } = await countingBindGroups();
    await using _own = own;
    const scopes = vi.spyOn(own.device.gpu, 'pushErrorScope');
    const f = compile((x: Tensor) => {
      let y = x;
      for (let i = 0; i < launches; i++) y = matMul(y, y);
      return y;
    });
    const x = tensor([1, 0, 0, 1], [2, 2]);
    f(x);
    const validations = scopes.mock.calls.filter(([filter]) => filter === 'validation').length;
    return { validations, groups: count.made };
  };
  const [few, many] = [await recorded(20), await recorded(24)];
  expect(many.validations).toBe(few.validations);
  // The recorded run has a buffer for each value.
  expect(many.groups).toBe(few.groups + 4);
});

test.each(['recorded', 'replayed'])('an invalid bind group of a %s run is reported once', async (kind) => {
  let made = 0;
  await using _own = await ownDevice({
    prepare(gpu) {
      const { createBindGroup } = gpu;
      gpu.createBindGroup = (descriptor) => {
        const isInvalid = made++ === (kind === 'recorded' ? 0 : 3);
        return createBindGroup.call(gpu, isInvalid ? { ...descriptor, entries: [] } : descriptor);
      };
    },
  });
  const f = compile((x: Tensor) => matMul(matMul(matMul(x, x), x), x));
  const [x, other] = [tensor([1, 0, 0, 1], [2, 2]), tensor([5])];
  const result = f(x);
  await expect(result.data()).rejects.toThrow(/a launch binds valid buffers/);
  expect(await other.array()).toEqual([5]);
});

test('each of many results that are held is right', async () => {
  await using _own = await ownDevice();
  const f = compile((x: Tensor) => mul(x, 2));
  const results = Array.from({ length: 80 }, (_, i) => f(tidy(() => fill([large], i))));
  for (const [i, result] of results.entries()) expect((await result.data())[large - 1]).toBe(2 * i);
});

/** Makes a device, and notes the labels of the buffers that are made and destroyed on it. */
async function labelledDevice() {
  const [made, destroyed]: [string[], string[]] = [[], []];
  const own = await ownDevice({
    prepare(gpu) {
      const { createBuffer } = gpu;
      gpu.createBuffer = (descriptor) => {
        const { label = '' } = descriptor;
        made.push(label);
        const buffer = createBuffer.call(gpu, descriptor);
        const destroy = buffer.destroy.bind(buffer);
        buffer.destroy = () => {
          destroyed.push(label);
          destroy();
          return undefined;
        };
        return buffer;
      };
    },
  });
  const count = (list: readonly string[], label: string) =>
    list.filter((one) => one === `retrograd ${label}`).length;
  return {
    own,
    made: (label: string) => count(made, label),
    destroyed: (label: string) => count(destroyed, label),
  };
}

test('the parameters of a recording are in one labelled buffer, which is destroyed with it', async () => {
  const { own, made, destroyed } = await labelledDevice();
  await using _own = own;
  const f = compile((x: Tensor) => sum(mul(sum(mul(x, x), { axis: 1 }), 3)));
  const x = fill([30, 40], 2);
  for (let run = 0; run < 3; run++) expect(await f(x).item()).toBe(3 * 4 * 1200);
  expect(made('captured parameters')).toBe(1);
  expect(destroyed('captured parameters')).toBe(0);
  f.dispose();
  await own.device.sync();
  expect(destroyed('captured parameters')).toBe(1);
});

test('launches without parameters need no buffer for them', async () => {
  const { own, made } = await labelledDevice();
  await using _own = own;
  const half = defineKernel({
    name: 'half',
    bindings: { x: 'read f32', y: 'write f32' },
    params: {},
    source: () => '@compute @workgroup_size(1) fn main() { y[0] = x[0] / 2.0; }',
  });
  const halved = (x: Tensor): Tensor =>
    runKernel(half, { inputs: { x }, outputs: { y: x }, params: {}, workgroups: 1 }).y;
  const f = compile(halved);
  for (const value of [2, 4, 6]) expect(await f(tensor([value])).item()).toBe(value / 2);
  expect(made('captured parameters')).toBe(0);
  // The two kinds of launches in one recording.
  const g = compile((x: Tensor) => mul(halved(mul(x, 3)), 2));
  for (const value of [2, 4, 6]) expect(await g(tensor([value])).item()).toBe(3 * value);
});

test('large results get buffers that errors name', async () => {
  const { own, made } = await labelledDevice();
  await using _own = own;
  const f = compile((x: Tensor) => mul(x, 2));
  const x = fill([large], 3);
  const results = [f(x), f(x), f(x)];
  expect(made('result')).toBeGreaterThan(0);
  expect((await (results[2] as Tensor).data())[7]).toBe(6);
});

test('a variable is copied back where it was assigned in between, and not otherwise', async () => {
  await using own = await ownDevice();
  const w = variable(tensor([1]));
  const f = compile(() => void w.assign(add(w, 1)));
  const copy = vi.spyOn(own.device, 'copy');
  const copies = () => {
    copy.mockClear();
    f();
    return copy.mock.calls.length;
  };
  f();
  expect([copies(), copies()]).toEqual([0, 0]);
  w.assign(tensor([10]));
  expect([copies(), copies()]).toEqual([1, 0]);
  // Nor is an input that is given again.
  const g = compile((x: Tensor) => void w.assign(mul(w, x)));
  const [one, two] = [tensor([1]), tensor([2])];
  g(one);
  const copiesOf = (x: Tensor) => {
    copy.mockClear();
    g(x);
    return copy.mock.calls.length;
  };
  copiesOf(one);
  expect([copiesOf(one), copiesOf(two), copiesOf(two)]).toEqual([0, 1, 0]);
  copy.mockRestore();
  expect(await w.item()).toBe(12 * 4);
});

test('copies don’t count as launches', () => {
  const f = compile((x: Tensor) => [x, mul(x, 2)]);
  for (let run = 0; run < 2; run++) tidy(() => void f(tensor([1, 2])));
  expect(f.explain()[0]).toMatchObject({ captured: true, launches: 1 });
  f.dispose();
});

test('a call that fails midway keeps no memory', async () => {
  await using own = await ownDevice();
  // Three allocations: buffers that the two large results are written to, and one that the small result is copied to.
  const f = compile((x: Tensor) => [mul(x, 2), add(x, 1), sum(x)]);
  const x = filled(3);
  for (let run = 0; run < 3; run++) tidy(() => void f(x));
  await own.device.sync();
  const before = memory();
  const allocate = vi.spyOn(own.device.eager, 'allocate');
  for (const successes of [0, 1, 2]) {
    for (let i = 0; i < successes; i++) {
      const original = EagerExecutor.prototype.allocate.bind(own.device.eager);
      allocate.mockImplementationOnce(original);
    }
    allocate.mockImplementationOnce(() => {
      throw new Error('no memory');
    });
    expect(() => f(x)).toThrow('no memory');
    expect(memory()).toEqual(before);
  }
  allocate.mockRestore();
  const [doubled, , total] = f(x) as [Tensor, Tensor, Tensor];
  expect((await doubled.data())[7]).toBe(6);
  expect(await total.item()).toBe(3 * large);
});

// Replays run all effects before the launches.
test('each launch has the value that a scalar had where it was recorded', async () => {
  const kernel = defineKernel({
    name: 'addScalar',
    bindings: { x: 'read f32', y: 'write f32' },
    params: { shift: 'f32' },
    source: () => `
      @compute @workgroup_size(1)
      fn main() { y[0] = x[0] + params.shift; }
    `,
  });
  const scalar = new DynamicScalar(0);
  const shifted = (x: Tensor) =>
    runKernel(kernel, {
      inputs: { x },
      outputs: { y: { shape: [1], dtype: 'float32' } },
      params: { shift: scalar },
      workgroups: [1, 1, 1],
    }).y;
  const raise = () => onReplay(() => scalar.value++);
  const f = compile((x: Tensor) => {
    raise();
    const y = shifted(shifted(x));
    raise();
    return [y, shifted(x)];
  });
  const x = tensor([0]);
  for (const base of [0, 2, 4, 6]) {
    expect(await Promise.all(f(x).map((y) => y.item()))).toEqual([2 * (base + 1), base + 2]);
  }
  expect(f.explain()[0]?.captured).toBe(true);
});
