// @ts-check
/** @file Reads the arguments of a command. Uses only Node. */
import { parseArgs } from 'node:util';

/**
 * Returns the result of `parseArgs` with `config`. For unknown arguments, throws the error that `refused` creates from the
 * message.
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
