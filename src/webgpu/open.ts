/** @file open: the current device, or a new one. */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import type { RetrogradError } from '../core/errors.ts';
import { importPart } from '../core/importPart.ts';
import { openDevice } from './adapter.ts';
import { openedDevice, setDevice } from './current.ts';
import type { Device } from './device.ts';
import { subgroupMatrixFeatures } from './subgroupMatrices.ts';

/** How a device is opened. */
export interface OpenOptions extends GPURequestAdapterOptions {
  /** Your app's own device, shared without a copy. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry, where it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may be kept in idle buffers for reuse, all pools together. Default 1 GiB. */
  maxPooledBytes?: number;
  /**
   * Whether matmul and convolution of two float16 tensors use subgroup matrices, where the device has and compiles them. Sums are float32, added in
   * another order than otherwise. Experimental, as the feature is: it needs Chromium with unsafe WebGPU allowed.
   * Default false.
   */
  subgroupMatrices?: boolean;
  /**
   * Receives faults that would be lost: the tensors that depend on them were freed unread, and no `device.sync()` came
   * within a second. Default: console.warn.
   */
  onFault?: (error: RetrogradError) => void;
}

let opening: Promise<Device> | null = null;

/** The device's implementation loads while the adapter is being asked for. */
const loadDevice = () => importPart('the device', () => import('./device.ts'));

/** The size of subgroup matrices that GEMMs may use: few ask for them. */
async function probe(gpu: GPUDevice) {
  const { probeSubgroupMatrices } = await importPart(
    'subgroup matrices',
    () => import('./probeSubgroupMatrices.ts'),
  );
  return probeSubgroupMatrices(gpu);
}

/** The current device, unless options name another `device`; where there is none, a new one, which it makes the current one. */
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
  // Where there is no adapter, that is the error to report.
  loaded.catch(() => {});
  if (appDevice) {
    const [{ Device }, matrixSize] = await Promise.all([loaded, matrixSizeOf(appDevice)]);
    // Another part of the app may have opened it meanwhile.
    const now = openedDevice();
    return now?.gpu === appDevice && !now.isLost
      ? listen(now)
      : opened(new Device(appDevice, false, maxPooledBytes), matrixSize);
  }
  // Two parts of an app may both call this before either has a device: they get the same one.
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
