/**
 * @file WebGPU for tests (in Node: Dawn's), and helpers for a raw `GPUDevice`. Independent of the library, so that the
 * library's own device can be tested with it.
 */
import { sleepBetweenPolls } from './dawnPolling.ts';

/** State that outlives one test file: with `isolate: false` several files share the process. */
interface GpuState {
  /** Held for the life of the process: collecting the `GPU` object would destroy its adapters and devices. */
  gpu: GPU;
  devices: Set<WeakRef<GPUDevice>>;
  uncaptured: GPUError[];
}

const STATE = Symbol.for('retrograd.test.gpu');
const holder = globalThis as { [STATE]?: GpuState };

/**
 * Installs `navigator.gpu` and the WebGPU globals, once per process, if the engine has none.
 * @throws if Dawn finds no adapter: a GPU test that cannot run must not look like one that passed.
 */
export async function installNodeGpu(): Promise<GPU> {
  const present = holder[STATE];
  if (present) return present.gpu;
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu ?? (await loadDawn());
  const adapter = await gpu.requestAdapter();
  if (!adapter) {
    throw new Error(
      'The tests need a WebGPU adapter. Dawn for Node found none ' +
        `(VK_DRIVER_FILES=${process.env.VK_DRIVER_FILES ?? ''}, LD_LIBRARY_PATH=${process.env.LD_LIBRARY_PATH ?? ''}). ` +
        'Hint: run `npm test`, which installs a browser and with it a software adapter, or install a Vulkan driver.',
    );
  }
  holder[STATE] = { gpu, devices: new Set(), uncaptured: [] };
  recordUncapturedErrors(holder[STATE]);
  nameAdapters(globalThis.process?.env.RETROGRAD_PROFILE);
  return gpu;
}

/**
 * Makes Dawn zero workgroup memory by a loop. By default it declares initial values, for which SwiftShader compiles one store for
 * each word, in a time that grows with their square: a second for 8 KiB.
 */
const zeroInLoops = 'disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension';

/**
 * Has SwiftShader compute in one thread, by the settings that it reads from the current folder when it opens its first device.
 * Test files run in parallel and leave it no other core, and each of its threads waits for work in a busy loop: that takes a tenth
 * of the processor time.
 */
async function useOneThread(gpu: GPU): Promise<void> {
  const folder = process.cwd();
  process.chdir('test/support/swiftshader');
  try {
    const device = await (await gpu.requestAdapter())?.requestDevice();
    device?.destroy();
  } finally {
    process.chdir(folder);
  }
}

/** Dawn for Node, with its globals installed. Other engines have their own WebGPU. */
async function loadDawn(): Promise<GPU> {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  sleepBetweenPolls();
  const gpu = create([zeroInLoops]);
  await useOneThread(gpu);
  const navigator = globalThis.navigator ?? {};
  Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true });
  return gpu;
}

/** What an adapter of each kind says about itself. */
const adapterNames: Readonly<Record<string, { vendor: string; architecture: string }>> = {
  software: { vendor: 'google', architecture: 'swiftshader' },
  discrete: { vendor: 'nvidia', architecture: 'hopper' },
  apple: { vendor: 'apple', architecture: 'metal-3' },
  integrated: { vendor: 'intel', architecture: 'gen-12lp' },
  mobile: { vendor: 'qualcomm', architecture: 'adreno-7xx' },
};

/**
 * Has all adapters and devices name themselves as one of another kind, by which kernels are selected: `npm run test:profiles`.
 */
function nameAdapters(kind: string | undefined): void {
  if (!kind) return;
  const names = adapterNames[kind];
  if (!names) throw new Error(`RETROGRAD_PROFILE is one of ${Object.keys(adapterNames)}. Received: ${kind}`);
  const info = { configurable: true, value: { ...names, device: '', description: '' } };
  Object.defineProperty(GPUAdapter.prototype, 'info', info);
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    return Object.defineProperty(await requestDevice.call(this, descriptor), 'adapterInfo', info);
  };
}

/** Records the uncaptured errors of all devices that are created from now on. */
function recordUncapturedErrors(state: GpuState): void {
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    const ref = new WeakRef(device);
    state.devices.add(ref);
    device.addEventListener('uncapturederror', (event) => {
      event.preventDefault();
      state.uncaptured.push(event.error);
    });
    void device.lost.then(() => state.devices.delete(ref));
    return device;
  };
}

/**
 * Returns the uncaptured errors of all devices since the last call. A test that provokes some takes them; any that are left
 * when a test ends make it fail.
 */
export async function takeUncapturedErrors(): Promise<GPUError[]> {
  const state = holder[STATE];
  if (!state) return [];
  await Promise.all([...state.devices].map((ref) => settle(ref.deref())));
  return state.uncaptured.splice(0);
}

/** An error scope answers after all errors before it have been reported. */
async function settle(device: GPUDevice | undefined): Promise<void> {
  if (!device) return;
  device.pushErrorScope('validation');
  await device.popErrorScope().catch(() => null); // A lost device has nothing left to report.
}

export interface OpenGpu extends AsyncDisposable {
  readonly device: GPUDevice;
}

/** Returns a new device, destroyed when its scope ends: `await using own = await useDevice();` */
export async function useDevice(descriptor: GPUDeviceDescriptor = {}): Promise<OpenGpu> {
  const gpu = await installNodeGpu();
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('The WebGPU adapter that was there before is gone.');
  const device = await adapter.requestDevice(descriptor);
  return {
    device,
    async [Symbol.asyncDispose]() {
      await settle(device);
      device.destroy();
    },
  };
}

/**
 * Runs `body` with validation, out-of-memory and internal errors of `device` captured.
 * @throws an Error that carries the first captured message, so that no validation error hides behind a value.
 */
export async function withErrorScope<T>(device: GPUDevice, body: () => T | Promise<T>): Promise<T> {
  const errors = await captureErrors(device, body);
  if (errors.error) throw new Error(`GPU error: ${errors.error.message}`);
  return errors.value;
}

/** Runs `body` and returns its value and the first GPU error that it caused on `device`, or null. */
export async function captureErrors<T>(
  device: GPUDevice,
  body: () => T | Promise<T>,
): Promise<{ value: T; error: GPUError | null }> {
  const filters: GPUErrorFilter[] = ['internal', 'out-of-memory', 'validation'];
  for (const filter of filters) device.pushErrorScope(filter);
  let value: T;
  const found: (GPUError | null)[] = [];
  try {
    value = await body();
  } finally {
    for (const _ of filters) found.push(await device.popErrorScope());
  }
  return { value, error: found.find((error) => error !== null) ?? null };
}

/** Reads the bytes of `buffer` (usage COPY_SRC), from `offset`, as float32. */
export async function readFloats(device: GPUDevice, buffer: GPUBuffer, offset = 0): Promise<Float32Array> {
  return new Float32Array(await readBytes(device, buffer, offset));
}

/** Reads the bytes of `buffer` (usage COPY_SRC), from `offset` to its end. */
export async function readBytes(device: GPUDevice, buffer: GPUBuffer, offset = 0): Promise<ArrayBuffer> {
  const size = buffer.size - offset;
  const staging = device.createBuffer({
    label: 'test readback',
    size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder({ label: 'test readback' });
  encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const bytes = staging.getMappedRange().slice(0);
  staging.destroy();
  return bytes;
}
