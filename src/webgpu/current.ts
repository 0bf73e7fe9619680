/** @file The current device: the one on which tensors are created by default. */
import { describe } from '../core/describe.ts';
import { DeviceError } from '../core/errors.ts';
import type { Device } from './device.ts';
import { isDevice } from './knownDevices.ts';

let current: Device | null = null;

/** Returns the current device. Errors: DeviceError before `init()`. */
export function getDevice(): Device {
  if (current && !current.isDestroyed) return current;
  throw new DeviceError({
    rule: 'a device must be open before tensors are made.',
    received: 'no device',
    hint: 'await init() first.',
  });
}

/** Returns the current device; null if none is open. */
export function openedDevice(): Device | null {
  return current?.isDestroyed ? null : current;
}

/** Runs `body` with `device` as the current one, which creation uses. Results of ops are on the device of their operands. */
export function withDevice<T>(device: Device, body: () => T): T {
  if (device === current) return body();
  const before = current;
  current = device;
  try {
    return body();
  } finally {
    current = before;
  }
}

/** Makes `device` the current one, which creation uses. Errors: DeviceError for anything but a Device of this library. */
export function setDevice(device: Device): void {
  if (!isDevice(device)) {
    throw new DeviceError({
      op: 'setDevice',
      rule: 'it takes a Device of this library.',
      received: describe(device),
      hint: 'pass the result of await init(); init({ device }) shares a GPUDevice of the app.',
    });
  }
  current = device;
}
