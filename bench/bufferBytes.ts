/**
 * @file Counts the bytes of all live buffers on each device, by wrapping WebGPU, so that all libraries are
 * measured alike. Buffers created before `countBuffers()` are not counted.
 */

interface Counter {
  now: number;
  peak: number;
}

const counters = new WeakMap<GPUDevice, Counter>();
let counting = false;

function counterOf(device: GPUDevice): Counter {
  const known = counters.get(device);
  if (known) return known;
  const counter = { now: 0, peak: 0 };
  counters.set(device, counter);
  return counter;
}

/** Starts counting. Buffers that are never destroyed count until the end. */
export function countBuffers(): void {
  if (counting) return;
  counting = true;
  const owners = new WeakMap<GPUBuffer, Counter>();
  const { createBuffer } = GPUDevice.prototype;
  const { destroy } = GPUBuffer.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    const counter = counterOf(this);
    owners.set(buffer, counter);
    counter.now += buffer.size;
    counter.peak = Math.max(counter.peak, counter.now);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    const counter = owners.get(this);
    if (counter) counter.now -= this.size;
    owners.delete(this);
    return destroy.call(this);
  };
}

/** Returns the peak of the bytes of live buffers on `device`. */
export const peakBytesOf = (device: GPUDevice): number => counterOf(device).peak;
