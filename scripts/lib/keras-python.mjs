// @ts-check
/**
 * @file A Python with Keras 3, JAX and h5py, or with PyTorch and transformers: the one set by RETROGRAD_KERAS_PYTHON, or an
 * environment in out/keras-venv, which is created if it is missing.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, SetupError } from '../setup.mjs';

/** The oldest version of Python that the packages support. */
const minPython = '3.11';
const keras = {
  label: 'Keras 3 with JAX and h5py',
  probe:
    "import os; os.environ['KERAS_BACKEND'] = 'jax'; import keras, jax, h5py; assert keras.__version__[0] == '3'",
  packages: ['keras==3.15.1', 'jax==0.10.2', 'h5py==3.16.0'],
};
const torch = {
  label: 'PyTorch with torchvision and safetensors',
  probe: "import torch, safetensors, importlib.util; assert importlib.util.find_spec('torchvision')",
  // Builds for CPUs: those on PyPI contain 2 GB for GPUs.
  packages: [
    ...['--extra-index-url', 'https://download.pytorch.org/whl/cpu'],
    ...['torch==2.13.0', 'torchvision==0.28.0', 'safetensors==0.8.0'],
  ],
};

const tensorflow = {
  label: 'TensorFlow',
  probe: 'import tensorflow',
  packages: ['tensorflow==2.21.0'],
};
const transformers = {
  label: 'transformers and PEFT',
  probe: "import importlib.metadata as m; m.version('transformers'), m.version('peft')",
  packages: ['transformers==5.18.0', 'peft==0.21.0'],
};

/** @param {string} command @param {string[]} args @param {boolean} [show] */
function succeeds(command, args, show = false) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: show ? 'inherit' : 'ignore' });
  return status === 0;
}

/**
 * @param {{ withTorch?: boolean, withTensorflow?: boolean }} [options]
 * @returns {string} its path
 * @throws {SetupError} if Python or a package can't be installed
 */
export function findKerasPython({ withTorch = false, withTensorflow = false } = {}) {
  return findPython([keras, ...(withTorch ? [torch] : []), ...(withTensorflow ? [tensorflow] : [])]);
}

/**
 * The same with PyTorch, transformers and PEFT.
 *
 * @returns {string} its path
 * @throws {SetupError} if Python or a package can't be installed
 */
export function findHubPython() {
  return findPython([torch, transformers]);
}

/** @param {readonly { label: string, probe: string, packages: string[] }[]} wanted */
function findPython(wanted) {
  const missingIn = (/** @type {string} */ python) =>
    wanted.filter(({ probe }) => !succeeds(python, ['-c', probe]));
  const named = process.env.RETROGRAD_KERAS_PYTHON;
  if (named) {
    const missing = missingIn(named).map(({ label }) => label);
    if (missing.length === 0) return named;
    throw new SetupError(`RETROGRAD_KERAS_PYTHON is ${named}, which lacks ${missing.join(' and ')}.`);
  }
  const venv = path.join(ROOT, 'out', 'keras-venv');
  const python = path.join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (!fs.existsSync(python)) makeEnvironment(venv);
  for (const { label, packages } of missingIn(python)) {
    process.stderr.write(`Installing ${label} into ${path.relative(ROOT, venv)} …\n`);
    succeeds(python, ['-m', 'pip', 'install', '--quiet', ...packages], true);
  }
  const missing = missingIn(python).map(({ label }) => label);
  if (missing.length === 0) return python;
  throw new SetupError(
    `${missing.join(' and ')} could not be installed (see above). Hint: pip needs a connection and Python ${minPython} or ` +
      'newer; or set RETROGRAD_KERAS_PYTHON.',
  );
}

/** @param {string} venv */
function makeEnvironment(venv) {
  if (['python3', 'python'].some((command) => succeeds(command, ['-m', 'venv', venv]))) return;
  throw new SetupError(
    `Python ${minPython} or newer with venv is needed. Received: none that makes an environment in ` +
      `${path.relative(ROOT, venv)}. Hint: install python3 and python3-venv, or set RETROGRAD_KERAS_PYTHON.`,
  );
}
