/**
 * @file Set-up of every unit test file: installs Dawn's WebGPU as in a browser (`navigator.gpu` and the `GPU…` globals), and
 * fails if there is no adapter. Every test draws the same random values in every run, alone or after others, and what
 * earlier tests dropped is freed before it or not until its end. A test also fails if it leaves an uncaptured GPU error, or a tape that still records: later
 * tests share its process, and their compiled functions wouldn't be captured.
 */
// First: the library's modules create their registries as they load.
import { runFinalizers } from './deferredFinalizers.ts';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { printed } from '../../src/core/warn.ts';
import { activeRecorders, stopRecorder } from '../../src/ops/recorders.ts';
import { setRandomSeed } from '../../src/ops/seeds.ts';
import { openedDevice } from '../../src/webgpu/current.ts';
import { installNodeGpu, takeUncapturedErrors } from './gpu.ts';

await installNodeGpu();

// Faults that tests of other files left unread would be thrown by the first `sync()` of this one.
beforeAll(async () => {
  await openedDevice()
    ?.sync()
    .catch(() => {});
});

// For what a file draws as it loads.
setRandomSeed(0);

beforeEach(() => {
  setRandomSeed(0);
  runFinalizers();
  // A warning is printed once per process, and tests of other files may have met it.
  printed.clear();
});

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
