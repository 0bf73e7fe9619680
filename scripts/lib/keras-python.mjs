// @ts-check
/**
 * @file A Python with Keras 3, JAX and h5py: the one that RETROGRAD_KERAS_PYTHON names, or an environment in out/keras-venv,
 * which is made where it is missing.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, SetupError } from '../setup.mjs';

/** What the packages need. */
const leastPython = '3.11';
const packages = ['keras==3.15.1', 'jax==0.10.2', 'h5py==3.16.0'];

/** @param {string} command @param {string[]} args @param {boolean} [show] */
function succeeds(command, args, show = false) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: show ? 'inherit' : 'ignore' });
  return status === 0;
}

/** @param {string} python */
function hasKeras(python) {
  const probe =
    "import os; os.environ['KERAS_BACKEND'] = 'jax'; import keras, jax, h5py; assert keras.__version__[0] == '3'";
  return succeeds(python, ['-c', probe]);
}

/**
 * @returns {string} its path
 * @throws {SetupError} where Python or Keras can't be had
 */
export function findKerasPython() {
  const named = process.env.RETROGRAD_KERAS_PYTHON;
  if (named) {
    if (hasKeras(named)) return named;
    throw new SetupError(`RETROGRAD_KERAS_PYTHON is ${named}, which has no Keras 3 with JAX and h5py.`);
  }
  const venv = path.join(ROOT, 'out', 'keras-venv');
  const python = path.join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (fs.existsSync(python) && hasKeras(python)) return python;
  if (!['python3', 'python'].some((command) => succeeds(command, ['-m', 'venv', venv])))
    throw new SetupError(
      `Python ${leastPython} or newer with venv is needed. Received: none that makes an environment in ` +
        `${path.relative(ROOT, venv)}. Hint: install python3 and python3-venv, or set RETROGRAD_KERAS_PYTHON.`,
    );
  process.stderr.write(`Installing ${packages.join(', ')} into ${path.relative(ROOT, venv)} …\n`);
  if (!succeeds(python, ['-m', 'pip', 'install', '--quiet', ...packages], true) || !hasKeras(python))
    throw new SetupError(
      `Keras could not be installed (see above). Hint: pip needs a connection and Python ${leastPython} or newer; or set ` +
        'RETROGRAD_KERAS_PYTHON.',
    );
  return python;
}
