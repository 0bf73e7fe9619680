/** @file examples/webgpu-app without a window: one submit a frame, no buffer, no readback, and a loss that falls. */
import { expect, test } from 'vitest';
import { run } from '../../examples/webgpu-app/run.ts';
import { init, setDevice } from '../../src/index.ts';

test('a frame is one submit of the app; the library makes no buffer and reads nothing back', async () => {
  const before = await init();
  const lines: string[] = [];
  try {
    await run((line) => lines.push(line), 60);
  } finally {
    setDevice(before);
  }
  expect(lines[0]).toBe('60 frames, 60 submits, 0 new buffers, 0 readbacks');
  const [first, last] = [...(lines.at(-1) ?? '').matchAll(/\d\.\d{4}/g)].map(Number) as [number, number];
  expect(last).toBeLessThan(first / 5);
});
