/** @file init: opens a device; an app awaits it before it makes tensors. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, requireInteger, requireOneOf } from '../../core/shape.ts';
import type { AdapterKind } from '../../webgpu/adapter.ts';
import { open, type OpenOptions } from '../../webgpu/open.ts';
import type { Device, DeviceTuning } from '../../webgpu/device.ts';
import { blockFailing } from '../selection/blockFailing.ts';
import { loadKernelsFor } from './loadKernelsFor.ts';
import { loadKernels } from './loadKernels.ts';

export interface InitOptions extends OpenOptions {
  /** Measures which algorithms are fastest: `tuning(…)`. Default: they are selected by sizes and the kind of adapter. */
  tuning?: DeviceTuning;
  /**
   * The kind of adapter that kernels are selected for, in case the browser doesn't reveal it. Default:
   * `device.adapter.kind`.
   */
  adapterProfile?: AdapterKind;
}

const optionNames: OptionNames<InitOptions> = {
  device: false,
  gpu: false,
  tuning: false,
  adapterProfile: false,
  maxPooledBytes: false,
  subgroupMatrices: false,
  onFault: false,
  powerPreference: false,
  forceFallbackAdapter: false,
  featureLevel: false,
  xrCompatible: false,
};

/**
 * Opens a device and makes it the current one; loads the kernels at the same time. If called again, it returns the
 * current device, unless options name another `device`. `tuning` and `adapterProfile` apply at every call.
 * Errors: DeviceError if there is no WebGPU or no adapter, or if the kernels can't be loaded; ValueError for an
 * unknown `adapterProfile`.
 */
export async function init(given: InitOptions = {}): Promise<Device> {
  checkOptions('init', given, optionNames);
  const { tuning, adapterProfile, ...options } = given;
  checkDevice(options);
  if (adapterProfile !== undefined) (await loadKernels()).requireKind(adapterProfile);
  const device = await open(options, loadKernels, (kind) => loadKernelsFor(adapterProfile ?? kind));
  const { createProfile, guardTensorProperties } = await loadKernels();
  blockFailing(device);
  guardTensorProperties();
  if (adapterProfile !== undefined) {
    // The device may have been open already, with another profile.
    await loadKernelsFor(adapterProfile);
    device.profile = createProfile(device, adapterProfile);
  }
  await tuning?.attach(device);
  return device;
}

function checkDevice({ device, powerPreference, maxPooledBytes }: OpenOptions): void {
  if (device !== undefined && typeof device?.createBuffer !== 'function') {
    throw new ValueError({
      op: 'init',
      rule: '`device` is a GPUDevice of the app.',
      received: `device: ${describe(device)}`,
      hint: 'pass the result of await adapter.requestDevice(), or leave it out.',
    });
  }
  if (maxPooledBytes !== undefined) requireInteger('init', 'maxPooledBytes', maxPooledBytes, 0);
  if (powerPreference === undefined) return;
  requireOneOf('init', 'powerPreference', powerPreference, ['low-power', 'high-performance']);
}
