/** @file Buffers that captured work shares: who holds them, and when they return to the pool. */
import { beforeEach, expect, test } from 'vitest';
import { SharedBuffers } from '../../src/execution/sharedBuffers.ts';
import type { DeviceBuffer } from '../../src/webgpu/deviceBuffer.ts';
import type { BufferPool } from '../../src/webgpu/pool.ts';

/** Hands out buffers of multiples of 256 bytes; rejects those above 4096. */
class Pool {
  readonly released: DeviceBuffer[] = [];
  made = 0;

  sizeFor(bytes: number): number {
    return Math.ceil(bytes / 256) * 256;
  }

  acquire(bytes: number, label: string): DeviceBuffer {
    // Errors name what needed the memory.
    expect(label).toBe('captured work');
    if (bytes > 4096) throw new Error('out of memory');
    this.made++;
    return { size: this.sizeFor(bytes), failure: null } as unknown as DeviceBuffer;
  }

  release(buffer: DeviceBuffer): void {
    this.released.push(buffer);
  }
}

let pool: Pool;
let shared: SharedBuffers;

beforeEach(() => {
  pool = new Pool();
  shared = new SharedBuffers(pool as unknown as BufferPool);
});

test('one user gets different buffers, another one the same again', () => {
  const first = shared.acquire([256, 200, 1024]);
  expect(new Set(first).size).toBe(3);
  expect(first.map(({ size }) => size)).toEqual([256, 256, 1024]);
  expect(shared.acquire([100, 256, 1000])).toEqual(first);
  expect(shared.acquire([1024])).toEqual([first[2]]);
  expect(pool.made).toBe(3);
});

test('a buffer returns to the pool when its last user releases it', () => {
  const first = shared.acquire([256, 256]);
  const second = shared.acquire([256]);
  expect(second[0]).toBe(first[0]);
  shared.release(first);
  expect(pool.released).toEqual([first[1]]);
  const third = shared.acquire([256]);
  expect(third[0]).toBe(first[0]);
  shared.release(second);
  expect(pool.released).toHaveLength(1);
  shared.release(third);
  expect(pool.released).toEqual([first[1], first[0]]);
  // It belongs to the pool now.
  expect(shared.acquire([256])[0]).not.toBe(first[0]);
  shared.release(third);
  expect(pool.released).toHaveLength(2);
});

test('others of the same size stay when one returns', () => {
  const first = shared.acquire([256, 256]);
  const second = shared.acquire([256, 256]);
  shared.release([first[0] as DeviceBuffer]);
  shared.release([second[0] as DeviceBuffer]);
  expect(pool.released).toEqual([first[0]]);
  expect(shared.acquire([256])[0]).toBe(first[1]);
});

test('a buffer that failed isn’t shared any more', () => {
  const first = shared.acquire([256])[0] as { failure: unknown };
  first.failure = new Error('lost');
  expect(shared.acquire([256])[0]).not.toBe(first);
});

test('what was acquired before a failure is released', () => {
  expect(() => shared.acquire([256, 512, 8192])).toThrow('out of memory');
  expect(pool.released.map(({ size }) => size)).toEqual([256, 512]);
});
