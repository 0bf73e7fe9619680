// @ts-check
/**
 * @file `npm run test:hub`: tiny random networks of transformers, adapters of PEFT and steps of PyTorch, compared with what is computed
 * here, and back.
 *
 * Uses the Python set by RETROGRAD_KERAS_PYTHON, or creates an environment in out/keras-venv. If a package can't be installed, it reports
 * that and fails; `npm test` runs the golden files.
 */
import { findHubPython } from './lib/keras-python.mjs';
import { runUnitTests } from './lib/unit-tests.mjs';
import { runMain } from './setup.mjs';

await runMain(async () => {
  runUnitTests(['--no-file-parallelism', 'test/hub/live'], { RETROGRAD_HUB_PYTHON: findHubPython() });
});
