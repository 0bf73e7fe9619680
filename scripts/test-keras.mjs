// @ts-check
/**
 * @file `npm run test:keras`: exchanges models with real Keras, and networks with real torchvision.
 *
 * Uses the Python set by RETROGRAD_KERAS_PYTHON, or creates an environment in out/keras-venv with Keras, JAX, h5py and
 * torchvision. If one of them can't be installed, it reports that and fails; `npm test` runs the golden files.
 */
import { findKerasPython } from './lib/keras-python.mjs';
import { runUnitTests } from './lib/unit-tests.mjs';
import { runMain } from './setup.mjs';

await runMain(async () => {
  const python = findKerasPython({ withTorch: true });
  // Two Python processes, a browser and the unit tests' device would compete for the cores.
  const suites = ['test/keras/interop', 'test/keras/json/graphOps.test.ts', 'test/keras/opCalls.test.ts'];
  runUnitTests(['--no-file-parallelism', ...suites], { RETROGRAD_KERAS_PYTHON: python });
});
