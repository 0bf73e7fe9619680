// @ts-check
/**
 * @file `npm run test:keras`: models between Keras and Retrograd, with real Keras.
 *
 * Uses the Python that RETROGRAD_KERAS_PYTHON names, or makes an environment in out/keras-venv with Keras, JAX and h5py.
 * Where Python or Keras can't be had it says so and fails; `npm test` runs the golden files.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { findKerasPython } from './lib/keras-python.mjs';
import { ROOT, runMain, setup } from './setup.mjs';

await runMain(async () => {
  const python = findKerasPython();
  const { env } = setup({ browser: false });
  const { status } = spawnSync(
    process.execPath,
    [
      path.join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project',
      'unit',
      '--reporter=verbose',
      // Two Pythons, a browser and the unit tests' device would take the cores from each other.
      '--no-file-parallelism',
      'test/keras/interop',
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env, RETROGRAD_KERAS_PYTHON: python } },
  );
  process.exitCode = status ?? 1;
});
