/** @file A device of its own with little memory, and tensors that fill it. */
import { expect } from 'vitest';
import { type Device, fill, max, min, stack, type Tensor, tidy } from '../../src/index.ts';
import { type LimitedMemory, limitMemory, type LimitOptions } from './limitedMemory.ts';
import { ownDevice } from './ownDevice.ts';

export const MiB = 2 ** 20;
/** Elements of a tensor of `bytes` bytes. */
export const elements = (bytes: number) => bytes / 4;
export const filled = (bytes: number, value: number) => fill([elements(bytes)], value);

export interface LimitedDevice extends AsyncDisposable {
  readonly device: Device;
  readonly gpu: GPUDevice;
  readonly room: LimitedMemory;
}

/** Returns a device with room for `budget` bytes next to what the library needs at first. */
export async function limited(
  budget: number,
  options: LimitOptions & { maxPooledBytes?: number } = {},
): Promise<LimitedDevice> {
  let room: LimitedMemory | undefined;
  const own = await ownDevice({
    maxPooledBytes: options.maxPooledBytes ?? 2 ** 30,
    prepare: (gpu) => {
      room = limitMemory(gpu, Number.POSITIVE_INFINITY, options);
    },
  });
  const { device, gpu } = own;
  if (!room) throw new Error('the device was not prepared');
  room.budget = room.live + budget;
  return { device, gpu, room, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

/** Destroys what is idle, and leaves room for `bytes` bytes. */
export function leaveRoom({ device, room }: LimitedDevice, bytes: number): void {
  device.allocator.trim();
  device.flush();
  room.budget = room.live + bytes;
}

/** Reads little: a readback takes memory, too. */
export async function expectValues(t: Tensor, value: number): Promise<void> {
  expect([...(await tidy(() => stack([min(t), max(t)])).data())]).toEqual([value, value]);
}
