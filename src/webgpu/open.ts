/** @file open: the current device, or a new one. */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import type { RetrogradError } from '../core/errors.ts';
import { importPart } from '../core/importPart.ts';
import { openDevice } from './adapter.ts';
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

/** The device's implementation loads while the adapter is being asked for. */
const loadDevice = () => importPart('the device', () => import('./device.ts'));

/** The size of subgroup matrices that GEMMs may use. Imported on demand, since few apps ask for them. */
async function probe(gpu: GPUDevice) {
  const { probeSubgroupMatrices } = await importPart(
    'subgroup matrices',
    () => import('./probeSubgroupMatrices.ts'),
  );
  return probeSubgroupMatrices(gpu);
}

/** The current device; if there is none, or `device` is another one, opens a device and makes it the current one. */
export async function open({
  device: appDevice,
  gpu,
  maxPooledBytes = 2 ** 30,
  subgroupMatrices = false,
  onFault,
  ...adapterOptions
}: OpenOptions): Promise<Device> {
  const current = openedDevice();
  const listen = (device: Device) => {
    if (onFault) device.faults.tracker.announce = onFault;
    return device;
  };
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return listen(current);
  const opened = (device: Device, matrixSize: SubgroupMatrixSize | null) => {
    listen(device);
    device.subgroupMatrix = matrixSize;
    setDevice(device);
    return device;
  };
  const loaded = loadDevice();
  const matrixSizeOf = async (device: GPUDevice) => (subgroupMatrices ? probe(device) : null);
  // If there is no adapter, report that instead.
  loaded.catch(() => {});
  if (appDevice) {
    const [{ Device }, matrixSize] = await Promise.all([loaded, matrixSizeOf(appDevice)]);
    // Another part of the app may have opened it in the meantime.
    const now = openedDevice();
    return now?.gpu === appDevice && !now.isLost
      ? listen(now)
      : opened(new Device(appDevice, false, maxPooledBytes), matrixSize);
  }
  // If two parts of an app call this before either has a device, they get the same one.
  opening ??= openDevice(gpu, adapterOptions, subgroupMatrices ? subgroupMatrixFeatures : [])
    .then(async (gpuDevice) => {
      const [{ Device }, matrixSize] = await Promise.all([loaded, matrixSizeOf(gpuDevice)]);
      return opened(new Device(gpuDevice, true, maxPooledBytes), matrixSize);
    })
    .finally(() => {
      opening = null;
    });
  return opening;
}
