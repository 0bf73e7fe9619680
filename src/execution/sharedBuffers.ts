/**
 * @file Buffers that all captured work of a device shares: their contents aren't needed between runs. Each is held as long
 * as any captured work uses it, and then returns to the device's pool.
 */
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { BufferPool } from '../webgpu/pool.ts';

interface Shared {
  readonly buffer: DeviceBuffer;
  /** Pieces of captured work that use it. */
  users: number;
}

export class SharedBuffers {
  readonly #bySize = new Map<number, Shared[]>();

  constructor(private readonly pool: BufferPool) {}

  /** Returns a buffer for each of `sizes`, all different. They are held until they are released. */
  acquire(sizes: readonly number[]): DeviceBuffer[] {
    const taken = new Set<DeviceBuffer>();
    try {
      for (const bytes of sizes) taken.add(this.#acquire(bytes, taken));
    } catch (error) {
      this.release([...taken]);
      throw error;
    }
    return [...taken];
  }

  release(buffers: readonly DeviceBuffer[]): void {
    for (const buffer of buffers) this.#release(buffer);
  }

  #acquire(bytes: number, taken: ReadonlySet<DeviceBuffer>): DeviceBuffer {
    const size = this.pool.sizeFor(bytes);
    const ofSize = this.#bySize.get(size) ?? [];
    const found = ofSize.find(({ buffer }) => !taken.has(buffer) && !buffer.failure);
    const shared = found ?? { buffer: this.pool.acquire(bytes, 'captured work'), users: 0 };
    shared.users++;
    if (!found) this.#bySize.set(size, [...ofSize, shared]);
    return shared.buffer;
  }

  #release(buffer: DeviceBuffer): void {
    const ofSize = this.#bySize.get(buffer.size) ?? [];
    const shared = ofSize.find((one) => one.buffer === buffer);
    if (!shared || --shared.users > 0) return;
    const rest = ofSize.filter((one) => one !== shared);
    if (rest.length > 0) this.#bySize.set(buffer.size, rest);
    else this.#bySize.delete(buffer.size);
    this.pool.release(buffer);
  }
}
