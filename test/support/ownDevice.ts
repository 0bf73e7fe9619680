/**
 * @file A separate library device for a test, in addition to the one that all tests share, which is current again afterwards.
 */
import { getDevice, setDevice } from '../../src/webgpu/current.ts';
import { Device } from '../../src/webgpu/device.ts';
import { init } from '../../src/kernels/loading/init.ts';
import { type OpenGpu, useDevice } from './gpu.ts';

export interface OwnDevice {
  readonly device: Device;
  readonly gpu: GPUDevice;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OwnDeviceOptions {
  descriptor?: GPUDeviceDescriptor;
  maxPooledBytes?: number;
  /** Called with the GPUDevice before the library uses it. */
  prepare?: (gpu: GPUDevice) => void;
  /** Opens the GPUDevice, for example one that other tests of the file use, too (reusedGpu.ts). Default: a new one. */
  open?: () => Promise<OpenGpu>;
}

/** `await using own = await ownDevice();` makes a device with WebGPU's default limits current. */
export async function ownDevice(options: OwnDeviceOptions = {}): Promise<OwnDevice> {
  const { descriptor = {}, maxPooledBytes = 2 ** 28, prepare, open } = options;
  await init();
  const before = getDevice();
  const raw = await (open?.() ?? useDevice(descriptor));
  prepare?.(raw.device);
  const device = new Device(raw.device, false, maxPooledBytes);
  setDevice(device);
  return {
    device,
    gpu: raw.device,
    async [Symbol.asyncDispose]() {
      setDevice(before);
      await raw[Symbol.asyncDispose]();
    },
  };
}
