// @ts-check
/**
 * @file `npm run test:keras`: models between Keras and Retrograd, with real Keras, and networks of real torchvision.
 *
 * Uses the Python that RETROGRAD_KERAS_PYTHON names, or makes an environment in out/keras-venv with Keras, JAX, h5py and
 * torchvision. Where one of them can't be had it says so and fails; `npm test` runs the golden files.
 */
import { findKerasPython } from './lib/keras-python.mjs';
import { runUnitTests } from './lib/unit-tests.mjs';
import { runMain } from './setup.mjs';

await runMain(async () => {
  const python = findKerasPython({ withTorch: true });
  // Two Pythons, a browser and the unit tests' device would take the cores from each other.
  runUnitTests(['--no-file-parallelism', 'test/keras/interop', 'test/keras/json/graphOps.test.ts'], {
    RETROGRAD_KERAS_PYTHON: python,
  });
});
