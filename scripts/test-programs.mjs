// @ts-check
/**
 * @file `npm run test:programs`: runs the programs of examples/ports and their oracles, the same programs in Keras on TensorFlow, and
 * compares the curves. `npm test` compares them with recorded curves.
 *
 * Uses the Python set by RETROGRAD_KERAS_PYTHON, or creates an environment in out/keras-venv.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findKerasPython } from './lib/keras-python.mjs';
import { runUnitTests } from './lib/unit-tests.mjs';
import { ROOT, runMain, SetupError } from './setup.mjs';

await runMain(async () => {
  const python = findKerasPython({ withTensorflow: true });
  const record = path.join('examples', 'ports', 'record.py');
  const { status, stdout } = spawnSync(python, [record], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new SetupError(`${record} failed: see above.`);
  const curves = path.join(ROOT, 'out', 'ports-curves.json');
  fs.mkdirSync(path.dirname(curves), { recursive: true });
  fs.writeFileSync(curves, stdout);
  runUnitTests(['test/examples/ports.test.ts'], { RETROGRAD_PORTS: curves });
});
