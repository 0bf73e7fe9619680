// @ts-check
/**
 * @file Mutants that no test can kill, since they change nothing that can be seen, with the reason.
 *
 * @type {readonly { file: string, original: RegExp, replacement?: RegExp, reason: string }[]}
 */
export const explained = [];
