// @ts-check
/**
 * @file Tests that an engine fails for a reason that the library can't remove. A test that is listed and passes is reported.
 *
 * @type {readonly { engine: string, test: RegExp, reason: string }[]}
 */
export const knownDifferences = [];
