// @ts-check
/**
 * @file `npm run wgsl -- NAME ['OPTIONS']`: prints the WGSL of a kernel, as development builds compile it. OPTIONS is JSON;
 * missing options have the kernel's default in the catalog. Without arguments: all kernels by family, with their options.
 * Needs neither a build nor a GPU.
 */
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { runMain, SetupError, setup } from './setup.mjs';
import { findKernel, OptionError, parseOptions, withOptions } from './wgsl/options.mjs';

/** @typedef {typeof import('./wgsl/everyKernel.ts')} Kernels */

const USAGE = `npm run wgsl -- NAME ['OPTIONS'], for example: npm run wgsl -- gather '{"width": 4}'`;

/** @param {Kernels['catalog']} catalog */
function list(catalog) {
  const families = Object.entries(catalog).map(([family, kernels]) => {
    const lines = Object.entries(kernels).map(
      ([name, { defaults }]) => `  ${name.padEnd(26)} ${JSON.stringify(defaults)}`,
    );
    return `${family}\n${lines.join('\n')}\n`;
  });
  return `${families.join('\n')}\nEach kernel is listed with its default options. Print one with:\n  ${USAGE}\n`;
}

await runMain(async () => {
  const { positionals } = readArguments(
    { allowPositionals: true },
    (message) => new SetupError(`${message} ${USAGE}`),
  );
  const [name, text = '{}', ...more] = positionals;
  if (more.length > 0) throw new SetupError(`one kernel at a time. ${USAGE}`);
  setup({ browser: false });
  const { loadKernels } = await import('./wgsl/kernels.mjs');
  const { catalog, sourceOf } = await loadKernels();
  try {
    if (name === undefined) {
      process.stdout.write(list(catalog));
      return;
    }
    const options = withOptions(name, findKernel(catalog, name).defaults, parseOptions(text));
    process.stdout.write(`${sourceOf(name, /** @type {any} */ (options)).trim()}\n`);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new SetupError(error.message);
  }
});
