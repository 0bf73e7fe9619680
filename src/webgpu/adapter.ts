/**
 * @file Opening a WebGPU adapter and device with the limits and features that Retrograd uses, and no others.
 */
import { DeviceError } from '../core/errors.ts';

/** How an adapter computes; kernels are chosen by it. */
export type AdapterClass = 'gpu' | 'cpu';

export interface AdapterDescription {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  class: AdapterClass;
}

/** Limits that kernels and tensors make use of; each is raised to what the adapter offers. */
const usedLimits = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxStorageBuffersPerShaderStage',
] as const;

/** Software adapters read through their vector lanes: the quads of a subgroup share what they read. */
const usedFeatures: Record<AdapterClass, readonly GPUFeatureName[]> = {
  gpu: ['timestamp-query'],
  cpu: ['timestamp-query', 'subgroups'],
};

const noWebGPU = {
  rule: 'Retrograd needs WebGPU.',
  hint:
    'use Chrome or Edge 113+, Safari 26+ or Firefox 141+ over https or localhost; ' +
    "in Node install the package 'webgpu' and pass init({ gpu: create([]) }).",
};

/** Dawn for Node takes devices down with the object of `create()` that they came from: while they live, it has to. */
const origins = new WeakMap<GPUDevice, GPU>();

/** Opens a device, with those of `wished` that the adapter has beside the features that kernels always use. */
export async function openDevice(
  gpu: GPU | undefined,
  options: GPURequestAdapterOptions,
  wished: readonly GPUFeatureName[] = [],
): Promise<GPUDevice> {
  const entry = gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
  if (!entry) throw new DeviceError({ ...noWebGPU, received: 'an environment without navigator.gpu' });
  const adapter = await entry.requestAdapter(options);
  if (!adapter)
    throw new DeviceError({ ...noWebGPU, received: 'no adapter from navigator.gpu.requestAdapter()' });
  const requiredLimits: Record<string, number> = {};
  for (const name of usedLimits) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({
    label: 'retrograd',
    requiredFeatures: [...new Set([...usedFeatures[describe(adapter.info).class], ...wished])].filter(
      (name) => adapter.features.has(name),
    ),
    requiredLimits,
  });
  origins.set(device, entry);
  return device;
}

/** What is known of a device's adapter. */
export function describeAdapter(device: GPUDevice): AdapterDescription {
  return describe(device.adapterInfo);
}

/** Software rasterisers are told by their names. */
function describe(info: GPUAdapterInfo | undefined): AdapterDescription {
  const { vendor = '', architecture = '', device: model = '', description = '' } = info ?? {};
  const text = `${vendor} ${architecture} ${model} ${description}`.toLowerCase();
  const software = /swiftshader|llvmpipe|lavapipe|softpipe|warp|basic render/.test(text);
  return { vendor, architecture, device: model, description, class: software ? 'cpu' : 'gpu' };
}
