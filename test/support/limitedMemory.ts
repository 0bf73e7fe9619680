/**
 * @file A device with little memory: buffers beyond a budget are rejected the way WebGPU rejects them, late and through an
 * error scope. Buffers are counted from outside, from their creation until they are destroyed.
 */

export interface LimitedMemory {
  /** Total bytes that live buffers may take. */
  budget: number;
  /** Bytes of live buffers, and their peak. */
  readonly live: number;
  peak: number;
  /** Number of rejected allocations. */
  readonly rejected: number;
  /** Number of out-of-memory errors that no scope captured. */
  readonly uncaptured: number;
}

export interface LimitOptions {
  /** Mapped buffers are rejected by an exception. */
  throws?: boolean;
  /** Rejected buffers can't be mapped at their creation, as in Deno. */
  unmappable?: boolean;
  /** Milliseconds by which answers of error scopes are late. */
  delay?: number;
}

interface Scope {
  readonly filter: GPUErrorFilter;
  error: GPUError | null;
}

/** Limits the memory of `gpu`; for `prepare` of `ownDevice`. */
export function limitMemory(
  gpu: GPUDevice,
  budget: number,
  { throws = false, unmappable = false, delay = 0 }: LimitOptions = {},
): LimitedMemory {
  const memory = { budget, live: 0, peak: 0, rejected: 0, uncaptured: 0 };
  const scopes: Scope[] = [];
  const { createBuffer, pushErrorScope, popErrorScope } = gpu;
  gpu.pushErrorScope = (filter) => {
    scopes.push({ filter, error: null });
    return pushErrorScope.call(gpu, filter);
  };
  gpu.popErrorScope = async () => {
    const scope = scopes.pop();
    const real = await popErrorScope.call(gpu);
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return scope?.error ?? real;
  };
  const reject = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    memory.rejected++;
    if (throws && descriptor.mappedAtCreation) throw new RangeError('Array buffer allocation failed');
    const scope = scopes.findLast(({ filter }) => filter === 'out-of-memory');
    if (!scope) memory.uncaptured++;
    else scope.error ??= { message: 'not enough memory' } as GPUError;
    const buffer = invalidBuffer(descriptor);
    if (unmappable)
      buffer.getMappedRange = () => {
        throw new DOMException('the buffer is invalid', 'OperationError');
      };
    return buffer;
  };
  // A contradictory usage creates a buffer that is invalid in the same way as one without memory.
  const invalidBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    pushErrorScope.call(gpu, 'validation');
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE;
    const buffer = createBuffer.call(gpu, { ...descriptor, usage });
    popErrorScope.call(gpu).catch(() => {});
    return buffer;
  };
  gpu.createBuffer = (descriptor) => {
    if (memory.live + descriptor.size > memory.budget) return reject(descriptor);
    const buffer = createBuffer.call(gpu, descriptor);
    memory.live += descriptor.size;
    memory.peak = Math.max(memory.peak, memory.live);
    const { destroy } = buffer;
    buffer.destroy = () => {
      memory.live -= descriptor.size;
      buffer.destroy = destroy;
      return destroy.call(buffer);
    };
    return buffer;
  };
  return memory;
}
