// @ts-check
/** @file Reading the arguments of a command. Uses nothing but Node. */
import { parseArgs } from 'node:util';

/**
 * What `parseArgs` reads by `config`. What it doesn't know becomes the error that `refused` makes of its message.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 * @param {(message: string) => Error} refused
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readArguments(config, refused) {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw refused(message.replace(/\.?$/, '.'));
  }
}
