/**
 * @file A device that doesn't clear workgroup memory. On SwiftShader, the clearing takes longer to compile than the rest of a
 * kernel: a second for 4 KiB. Only for tests of kernels that write all workgroup memory before they read it.
 */
import { create } from 'webgpu';
import { setDevice } from '../../src/index.ts';
import { openDevice } from '../../src/webgpu/adapter.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { Device } from '../../src/webgpu/device.ts';

/** Kept for the life of the process: collecting the `GPU` would destroy its devices. */
let opened: { gpu: GPU; device: Device } | undefined;

/** Runs `body` on that device, with the profile of the current one. */
export async function withoutClearing<T>(body: () => T | Promise<T>): Promise<T> {
  const own = getDevice();
  if (!opened) {
    const gpu = create(['enable-dawn-features=disable_workgroup_init']);
    opened = { gpu, device: new Device(await openDevice(gpu, {}), true, 2 ** 26) };
  }
  const { device } = opened;
  device.profile = own.profile;
  setDevice(device);
  try {
    return await body();
  } finally {
    setDevice(own);
  }
}
