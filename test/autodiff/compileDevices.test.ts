/** @file Compiled functions and devices: a lost device, a new one, two at a time. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  compile,
  DeviceError,
  DeviceLostError,
  init,
  mul,
  tensor,
  type Tensor,
  variable,
  type Variable,
} from '../../src/index.ts';
import { setDevice, withDevice } from '../../src/webgpu/current.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

async function lose({ gpu }: OwnDevice): Promise<void> {
  gpu.destroy();
  await gpu.lost;
}

describe('after the loss of a device', () => {
  it('a compiled function records again on the new one', async () => {
    let weight: Variable | null = null;
    const step = (x: Tensor) => {
      const v = weight as Variable;
      v.assign(add(v, x));
      return mul(v, 2);
    };
    using compiled = compile(step);
    const first = await ownDevice();
    try {
      weight = variable(tensor([1, 2]));
      for (let i = 1; i <= 3; i++)
        expect(await compiled(tensor([1, 1])).array()).toEqual([2 + 2 * i, 4 + 2 * i]);
      await lose(first);
      expect(() => compiled(tensor([1, 1]))).toThrow(DeviceLostError);
      expect(compiled.explain()).toMatchObject([{ captured: true, frozen: [] }]);
    } finally {
      await first[Symbol.asyncDispose]();
    }
    await using second = await ownDevice();
    expect(second.device.isLost).toBe(false);
    weight = variable(tensor([1, 2]));
    for (let i = 1; i <= 3; i++)
      expect(await compiled(tensor([1, 1])).array()).toEqual([2 + 2 * i, 4 + 2 * i]);
    expect(compiled.explain().map(({ captured }) => captured)).toEqual([true]);
  });

  it('a compiled function without arguments does, too', async () => {
    using compiled = compile(() => add(tensor([1, 2]), 1));
    const first = await ownDevice();
    expect(await compiled().array()).toEqual([2, 3]);
    expect(await compiled().array()).toEqual([2, 3]);
    await lose(first);
    await first[Symbol.asyncDispose]();
    await using second = await ownDevice();
    for (let i = 0; i < 3; i++) expect(await compiled().array()).toEqual([2, 3]);
    expect(second.device.isLost).toBe(false);
  });

  it('variables of the lost device give a typed error', async () => {
    const first = await ownDevice();
    const stale = variable(tensor([1, 2]));
    using compiled = compile((x: Tensor) => add(x, stale));
    compiled(tensor([1, 1]));
    await lose(first);
    await first[Symbol.asyncDispose]();
    await using second = await ownDevice();
    expect(second.device.isLost).toBe(false);
    for (let i = 0; i < 3; i++) expect(() => compiled(tensor([1, 1]))).toThrow(DeviceError);
  });
});

describe('with two devices', () => {
  it('a call whose arguments are on both gives a typed error', async () => {
    const here = tensor([1, 2]);
    await using own = await ownDevice();
    const there = tensor([3, 4]);
    expect(there.device).toBe(own.device);
    using compiled = compile((x: Tensor, y: { z: Tensor }) => add(x, y.z));
    for (let i = 0; i < 3; i++) expect(() => compiled(here, { z: there })).toThrow(DeviceError);
    expect(() => compiled(here, { z: there })).toThrow(
      /^compiled: .*float32\[2\] and float32\[2\] on two devices/s,
    );
  });

  it('a call that meets a variable of the other gives a typed error, also where it was recorded before', async () => {
    const here = tensor([1, 2]);
    const weight = variable(tensor([10, 20]));
    using compiled = compile((x: Tensor) => mul(x, weight));
    expect(await compiled(here).array()).toEqual([10, 40]);
    await using own = await ownDevice();
    for (let i = 0; i < 3; i++) expect(() => compiled(tensor([1, 2]))).toThrow(DeviceError);
    setDevice(own.device);
    for (let i = 0; i < 3; i++) expect(await compiled(here).array()).toEqual([10, 40]);
  });

  it('each has separate recordings', async () => {
    const shared = (await init()) as OwnDevice['device'];
    using compiled = compile((x: Tensor) => add(x, 1));
    await using own = await ownDevice();
    for (let i = 0; i < 3; i++) {
      const [one, other] = [withDevice(shared, () => tensor([i])), tensor([i + 10])];
      expect(await compiled(one).array()).toEqual([i + 1]);
      expect(await compiled(other).array()).toEqual([i + 11]);
      expect(compiled(one).device).toBe(shared);
      expect(compiled(other).device).toBe(own.device);
    }
    expect(compiled.explain().map(({ captured }) => captured)).toEqual([true, true]);
  });
});
