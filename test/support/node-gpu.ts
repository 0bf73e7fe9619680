/**
 * @file Set-up of every unit test file: puts Dawn's WebGPU in place as a browser would (`navigator.gpu` and
 * the `GPU…` globals), and fails where no adapter is there. A test fails, too, that left an uncaptured GPU error, or a tape
 * that still records: the tests after it share its process, and would run what they compile uncaptured.
 */
import { afterEach } from 'vitest';
import { activeRecorders, stopRecorder } from '../../src/ops/recorders.ts';
import { installNodeGpu, takeUncapturedErrors } from './gpu.ts';

await installNodeGpu();

afterEach(async () => {
  const recorders = activeRecorders();
  recorders.forEach(stopRecorder);
  const errors = await takeUncapturedErrors();
  if (errors.length > 0) {
    throw new Error(
      `${errors.length} uncaptured GPU error(s):\n${errors.map((error) => error.message).join('\n')}`,
    );
  }
  if (recorders.length > 0)
    throw new Error(`${recorders.length} tape(s) still record: dispose of them, or declare them with using.`);
});
