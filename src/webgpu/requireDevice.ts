/** @file Checks of devices that an app passes. */
import { describe } from '../core/describe.ts';
import { DeviceError } from '../core/errors.ts';
import { isDevice } from './knownDevices.ts';

/** Throws unless `device` is a Device of this library. */
export function requireDevice(op: string, device: unknown): void {
  if (isDevice(device)) return;
  throw new DeviceError({
    op,
    rule: '`device` is a device that init() gave.',
    received: describe(device),
    hint: 'leave it out for the current one, or pass await init().',
  });
}
