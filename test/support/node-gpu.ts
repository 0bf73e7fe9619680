/**
 * @file Set-up of every unit test file: installs Dawn's WebGPU as in a browser (`navigator.gpu` and the `GPU…` globals), and
 * fails if there is no adapter. A test also fails if it leaves an uncaptured GPU error, or a tape that still records: later
 * tests share its process, and their compiled functions wouldn't be captured.
 */
// First: the library's modules create their registries as they load.
import './deferredFinalizers.ts';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { provideFloat16 } from '../../src/ops/define/float16.ts';
import { activeRecorders, stopRecorder } from '../../src/ops/define/recorders.ts';
import { openedDevice } from '../../src/webgpu/current.ts';
import { beginTest } from './beginTest.ts';
import { installNodeGpu, takeUncapturedErrors } from './gpu.ts';

await installNodeGpu();

// A test of another file may have enabled it.
provideFloat16(null);

// Faults that tests of other files left unread would be thrown by the first `sync()` of this one.
beforeAll(async () => {
  await openedDevice()
    ?.sync()
    .catch(() => {});
});

// Also for what a file draws as it loads.
beginTest();
beforeEach(beginTest);

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
