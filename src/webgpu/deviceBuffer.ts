/** @file DeviceBuffer: a GPUBuffer with what the library knows about it. */
import type { OutOfMemoryError } from '../core/errors.ts';
import type { FaultCarrier } from './faultSets.ts';

/** A GPU buffer with the id used in cache keys. */
export interface DeviceBuffer extends FaultCarrier {
  readonly id: number;
  readonly gpu: GPUBuffer;
  /** Bytes of the whole buffer. */
  readonly size: number;
  /** The submission that last used it; uploads must not overtake launches that aren't submitted yet. */
  lastUse: number;
  /** False until WebGPU has confirmed the allocation. */
  confirmed: boolean;
  /** Why the buffer has no memory: the device rejected the allocation. */
  failure: OutOfMemoryError | null;
  /** Whether a variable holds it, by what is known to have run: a write that doesn't happen leaves the variable's older values. */
  isVariable: boolean;
}

let nextBufferId = 1;

const adopted = new WeakMap<GPUBuffer, DeviceBuffer>();

/** A buffer that is adopted again keeps its id. */
export function adoptBuffer(gpu: GPUBuffer): DeviceBuffer {
  const known = adopted.get(gpu);
  if (known) return known;
  const buffer = {
    id: nextBufferId++,
    gpu,
    size: gpu.size,
    lastUse: 0,
    confirmed: true,
    failure: null,
    isVariable: false,
    faults: null,
  };
  adopted.set(gpu, buffer);
  return buffer;
}
