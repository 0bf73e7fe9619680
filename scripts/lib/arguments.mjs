// @ts-check
/** @file Reads the arguments of a command. Uses only Node. */
import { parseArgs } from 'node:util';

/**
 * Returns the result of `parseArgs` with `config`. For unknown arguments, throws the error that `rejected` creates from the
 * message.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 * @param {(message: string) => Error} rejected
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readArguments(config, rejected) {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw rejected(message.replace(/\.?$/, '.'));
  }
}
