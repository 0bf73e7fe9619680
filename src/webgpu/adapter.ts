/**
 * @file Opening a WebGPU adapter and device with the limits and features that Retrograd uses, and no others.
 */
import { DeviceError } from '../core/errors.ts';

/** Whether an adapter computes on a GPU, or emulates one in software. */
export type AdapterClass = 'gpu' | 'cpu';

/**
 * Kinds of adapters for which different kernels are fastest: software rasterizers; discrete GPUs; Apple's; integrated GPUs
 * of desktop and laptop processors; those of phones and tablets, which are tile-based.
 */
export type AdapterKind = 'software' | 'discrete' | 'apple' | 'integrated' | 'mobile';

export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly class: AdapterClass;
  readonly kind: AdapterKind;
}

/** Limits that kernels and tensors use; each is raised to what the adapter offers. */
const usedLimits = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxStorageBuffersPerShaderStage',
] as const;

/** Subgroups reduce lines of values on GPUs; in software, the four invocations of a quad share what they read. */
const usedFeatures: readonly GPUFeatureName[] = ['timestamp-query', 'subgroups'];

const rule = 'Retrograd needs WebGPU.';

/** Returns what helps where there is no WebGPU. */
const adviceWithoutWebGPU = (isNode: boolean): string =>
  isNode
    ? "install the package 'webgpu', and pass init({ gpu: create([]) })."
    : 'use Chrome or Edge 113+, Safari 26+ or Firefox 141+ over https or localhost.';

/** What helps in browsers if there is WebGPU, but no adapter. */
const inBrowsers =
  'turn on hardware acceleration, update the GPU driver (chrome://gpu; on Linux, Vulkan), ' +
  'or start Chrome with --use-webgpu-adapter=swiftshader to compute without a GPU.';

/** The same in Node, by `process.platform`: its WebGPU uses Vulkan, Metal or Direct3D 12. */
const inNode: Readonly<Record<string, string>> = {
  darwin: 'macOS comes with the driver: update macOS, and run Node outside of sandboxes that hide the GPU.',
  win32: "Windows comes with Direct3D 12: update Windows and the GPU's driver.",
};
const inNodeWithVulkan =
  "install the GPU's Vulkan driver: NVIDIA's own, or Mesa's for others (mesa-vulkan-drivers on Debian, Ubuntu and Fedora, " +
  'vulkan-radeon or vulkan-intel on Arch). To compute without a GPU, set VK_ICD_FILENAMES to the driver of an installed ' +
  'Chromium, such as /usr/lib/chromium/vk_swiftshader_icd.json.';

/** Returns what helps without an adapter. `platform` is that of Node; undefined in browsers. */
export const adviceWithoutAdapter = (platform: string | undefined): string =>
  platform === undefined ? inBrowsers : (inNode[platform] ?? inNodeWithVulkan);

/** Returns the platform of Node, Deno or Bun; undefined in browsers. */
function hostPlatform(): string | undefined {
  const { process } = globalThis as { process?: { platform?: string; versions?: Record<string, string> } };
  // Electron has Chromium's WebGPU, and its pages may see Node's process.
  const isNode = process?.versions?.node !== undefined && process.versions.electron === undefined;
  return isNode ? (process.platform ?? 'unknown') : undefined;
}

function noWebGPU(): DeviceError {
  return new DeviceError({
    rule,
    received: 'an environment without navigator.gpu',
    hint: adviceWithoutWebGPU(hostPlatform() !== undefined),
  });
}

/** WebGPU is available, so another browser or package would not help. */
function noAdapter(): DeviceError {
  const platform = hostPlatform();
  return new DeviceError({
    rule,
    received: platform
      ? 'no adapter from requestAdapter()'
      : 'no adapter from navigator.gpu.requestAdapter()',
    hint: adviceWithoutAdapter(platform),
  });
}

/**
 * The entry point and the adapter's description of devices opened here. Dawn for Node destroys devices with the GPU object of
 * `create()` they came from, so it is kept alive as long as they are; and its devices' own description lacks subgroup matrices.
 */
const origins = new WeakMap<GPUDevice, { readonly entry: GPU; readonly info: GPUAdapterInfo }>();

/** Returns the description of a device's adapter as the browser gives it. */
export const adapterInfoOf = (device: GPUDevice): GPUAdapterInfo =>
  origins.get(device)?.info ?? device.adapterInfo;

/**
 * Opens a device with the features that kernels always use, and those of `wished` that the adapter has. `onAdapter` is called
 * before the device is requested.
 */
export async function openDevice(
  gpu: GPU | undefined,
  options: GPURequestAdapterOptions,
  wished: readonly GPUFeatureName[] = [],
  onAdapter?: (kind: AdapterKind) => void,
): Promise<GPUDevice> {
  const entry = gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
  if (!entry) throw noWebGPU();
  const adapter = await entry.requestAdapter(options);
  if (!adapter) throw noAdapter();
  onAdapter?.(describe(adapter.info).kind);
  const requiredLimits: Record<string, number> = {};
  for (const name of usedLimits) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({
    label: 'retrograd',
    requiredFeatures: [...new Set([...usedFeatures, ...wished])].filter((name) => adapter.features.has(name)),
    requiredLimits,
  });
  origins.set(device, { entry, info: adapter.info });
  return device;
}

/** Returns what is known of a device's adapter. */
export function describeAdapter(device: GPUDevice): AdapterDescription {
  return describe(adapterInfoOf(device));
}

function describe(info: GPUAdapterInfo | undefined): AdapterDescription {
  const { vendor = '', architecture = '', device = '', description = '' } = info ?? {};
  const kind = kindOfAdapter({ vendor, architecture, device, description });
  return { vendor, architecture, device, description, class: kind === 'software' ? 'cpu' : 'gpu', kind };
}

/**
 * Patterns of adapter names, most specific first. Browsers differ in what they reveal: Chromium gives vendor and
 * architecture as Dawn names them ('intel', 'gen-12lp'), and the full name only if the user allows it; Deno and wgpu
 * give the full name with a numeric vendor; Firefox and Safari may give only a vendor.
 */
const namePatterns: readonly (readonly [RegExp, AdapterKind])[] = [
  [/swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render|\bmesa software\b/, 'software'],
  [/\bapple\b/, 'apple'],
  [/adreno|qualcomm|\bmali\b|\barm\b|immortalis|powervr|img-?tec|imagination|xclipse|samsung/, 'mobile'],
  [/videocore|broadcom|\bv3d\b|tegra|vivante/, 'mobile'],
  // Intel's discrete architectures end in "hp" or "hpg", its integrated ones in "lp" or "lpg"; the names of discrete
  // Arc cards have a letter and three digits.
  [/\bintel\b.*(\d-?hpg?\b|\barc(\(tm\))? (pro )?[ab]\d+|\bdg1\b|iris.* xe max|data center gpu)/, 'discrete'],
  [/\bintel\b|\biris\b|\buhd graphics\b/, 'integrated'],
  // AMD uses the same architecture names for both: only the full name of a processor's GPU distinguishes it.
  [/radeon(\(tm\))? (graphics|r\d graphics|\d{3}m\b|8060s|8050s|vega \d+ graphics)/, 'integrated'],
];

/** Returns the kind of an adapter, by its names. A GPU that matches no pattern counts as discrete. */
export function kindOfAdapter({
  vendor,
  architecture,
  device,
  description,
}: Pick<AdapterDescription, 'vendor' | 'architecture' | 'device' | 'description'>): AdapterKind {
  const names = `${vendor} ${architecture} ${device} ${description}`.toLowerCase();
  return namePatterns.find(([pattern]) => pattern.test(names))?.[1] ?? 'discrete';
}
