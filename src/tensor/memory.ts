/**
 * @file Counts live tensors and the memory they use.
 */
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { requireDevice } from '../webgpu/requireDevice.ts';
import { openTapes } from './openTapes.ts';
import { tensorCount } from './tensor.ts';

/** What `memory` reports. */
export interface MemoryReport {
  /** Tensors and variables not yet disposed of, on all devices. */
  tensors: number;
  /** Bytes in buffers that tensors, tapes or compiled functions hold. */
  bytes: number;
  /** The peak of `bytes` since the device was opened or `resetPeakMemory()`. */
  peakBytes: number;
  /** Bytes in idle buffers of all kinds, for reuse: at most the device's `maxPooledBytes`. */
  pooledBytes: number;
  /** Buffers created since the device was opened; flat in a steady loop. */
  allocations: number;
  /** Tapes that hold what they recorded: neither closed nor used up. A dropped tape is closed when it is garbage-collected. */
  openTapes: number;
}

/** Reports what the library holds on the host and on the device, now and at its peak. Needs no readback. */
export function memory(device: Device = getDevice()): MemoryReport {
  requireDevice('memory', device);
  const { bytesInUse, peakBytes, bytesPooled, allocations } = device.allocator.statistics;
  return {
    tensors: tensorCount(),
    bytes: bytesInUse,
    peakBytes,
    pooledBytes: bytesPooled,
    allocations,
    openTapes: openTapes(),
  };
}

/** Resets `memory().peakBytes` to the current bytes. */
export function resetPeakMemory(device: Device = getDevice()): void {
  requireDevice('resetPeakMemory', device);
  device.allocator.resetPeak();
}
