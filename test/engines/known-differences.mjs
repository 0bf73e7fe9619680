// @ts-check
/** @file Tests that an engine fails for a reason that the library doesn't remove. */

/** @typedef {{ engine: string, test: RegExp, reason: string }} KnownDifference */

/** @type {readonly KnownDifference[]} */
export const knownDifferences = [];
