/** @file open: the current device, or a new one. */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import type { RetrogradError } from '../core/errors.ts';
import { type AdapterKind, describeAdapter, openDevice } from './adapter.ts';
import { openedDevice, setDevice } from './current.ts';
import type { Device } from './device.ts';
import { subgroupMatrixFeatures } from './subgroupMatrices.ts';

/** Options of `init`. */
export interface OpenOptions extends GPURequestAdapterOptions {
  /** Your app's own device, to share. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry point, if it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may be kept in idle buffers for reuse, in all pools together. Default 1 GiB. */
  maxPooledBytes?: number;
  /**
   * Whether matmul and convolution of two float16 tensors use subgroup matrices, if the device supports them. Sums are
   * float32, but added in a different order. Experimental, like the feature itself: it needs Chromium with unsafe WebGPU
   * allowed. Default false.
   */
  subgroupMatrices?: boolean;
  /**
   * Receives faults that would be lost: the tensors that depend on them were freed unread, and `device.sync()` wasn't called
   * within a second. Default: console.warn.
   */
  onFault?: (error: RetrogradError) => void;
}

let opening: Promise<Device> | null = null;

/** The implementation of devices. */
export interface DeviceModule {
  readonly Device: typeof Device;
  /** The size of subgroup matrices that GEMMs may use on `gpu`; null if there is none. */
  matrixSizeOf(gpu: GPUDevice): Promise<SubgroupMatrixSize | null>;
}

/**
 * Returns the current device; if there is none, or `device` is another one, opens a device and makes it the current one. `load`
 * imports the implementation while the adapter is being asked for, and `loadFor` what its kind needs while the device is.
 */
export async function open(
  {
    device: appDevice,
    gpu,
    maxPooledBytes = 2 ** 30,
    subgroupMatrices = false,
    onFault,
    ...adapterOptions
  }: OpenOptions,
  load: () => Promise<DeviceModule>,
  loadFor: (kind: AdapterKind) => Promise<void>,
): Promise<Device> {
  const current = openedDevice();
  const listen = (device: Device) => {
    if (onFault) device.faults.tracker.announce = onFault;
    return device;
  };
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return listen(current);
  const loaded = load();
  // If there is no adapter, report that instead.
  loaded.catch(() => {});
  const implement = async (gpuDevice: GPUDevice, isOwned: boolean) => {
    const [{ Device, matrixSizeOf }] = await Promise.all([loaded, loadFor(describeAdapter(gpuDevice).kind)]);
    const matrixSize = subgroupMatrices ? await matrixSizeOf(gpuDevice) : null;
    // Another part of the app may have opened it in the meantime.
    const now = openedDevice();
    if (now?.gpu === gpuDevice && !now.isLost) return listen(now);
    const device = listen(new Device(gpuDevice, isOwned, maxPooledBytes));
    device.subgroupMatrix = matrixSize;
    setDevice(device);
    return device;
  };
  if (appDevice) return implement(appDevice, false);
  // If two parts of an app call this before either has a device, they get the same one.
  const wished = subgroupMatrices ? subgroupMatrixFeatures : [];
  // If it can't be loaded, `implement` reports that.
  const onAdapter = (kind: AdapterKind) => void loadFor(kind).catch(() => {});
  opening ??= openDevice(gpu, adapterOptions, wished, onAdapter)
    .then((gpuDevice) => implement(gpuDevice, true))
    .finally(() => {
      opening = null;
    });
  return opening;
}
