/**
 * @file Reads buffers without checking for faults. An ordinary readback throws the faults of the tensors it reads, but an
 * inspection needs the values of a faulty step.
 */
import type { Device } from '../../webgpu/device.ts';
import { BufferUsage } from '../../webgpu/flags.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';

/** Reads the first `bytes` bytes of each storage, in one submission and one mapping. Errors: those of a lost device. */
export async function readBuffers(
  device: Device,
  ranges: readonly { readonly storage: Storage; readonly bytes: number }[],
): Promise<ArrayBuffer[]> {
  const offsets: number[] = [];
  let total = 0;
  for (const { bytes } of ranges) {
    offsets.push(total);
    total += wholeWords(bytes);
  }
  if (total === 0) return ranges.map(() => new ArrayBuffer(0));
  const staging = device.gpu.createBuffer({
    label: 'retrograd step inspector',
    size: total,
    usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
  });
  try {
    ranges.forEach(({ storage, bytes }, i) => {
      const { buffer, offset } = storage;
      device.stream.copy(buffer, offset, staging, offsets[i] as number, wholeWords(bytes));
    });
    device.flush();
    await device.map(staging);
    const read = staging.getMappedRange();
    return ranges.map(({ bytes }, i) => read.slice(offsets[i], (offsets[i] as number) + bytes));
  } finally {
    staging.destroy();
  }
}
