// @ts-check
/** @file Tests that an engine fails for a reason that the library doesn't remove. */

/** @typedef {{ engine: string, test: RegExp, reason: string }} KnownDifference */

/** @type {readonly KnownDifference[]} */
export const knownDifferences = ['firefox', 'deno'].map((engine) => ({
  engine,
  test: /accuracy\.test\.ts > (exp|expm1|sin|cos|tan|sinh|cosh|sigmoid|softplus|logSigmoid|silu|mish) > is within/,
  reason:
    'lavapipe computes exp, sin and cos less accurately, such as exp(72) by 66 ULP; WGSL allows 3 + 2 |x| of them there.',
}));
