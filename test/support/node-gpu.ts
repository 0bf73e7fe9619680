/**
 * @file Set-up of every unit test file: puts Dawn's WebGPU in place as a browser would (`navigator.gpu` and
 * the `GPU…` globals), fails where no adapter is there, and fails a test that left an uncaptured GPU error.
 */
import { afterEach } from 'vitest';
import { installNodeGpu, takeUncapturedErrors } from './gpu.ts';

await installNodeGpu();

afterEach(async () => {
  const errors = await takeUncapturedErrors();
  if (errors.length > 0) {
    throw new Error(
      `${errors.length} uncaptured GPU error(s):\n${errors.map((error) => error.message).join('\n')}`,
    );
  }
});
