// @ts-check
/** @file Tests that an engine fails for a reason that the library doesn't remove. */

/** @typedef {{ engine: string, test: RegExp, reason: string }} KnownDifference */

/** @type {readonly KnownDifference[]} */
const ofLavapipe = ['firefox', 'deno'].flatMap((engine) => [
  {
    engine,
    test: /accuracy\.test\.ts > (exp|expm1|sin|cos|tan|sinh|cosh|sigmoid|softplus|logSigmoid|silu|mish) > is within/,
    reason:
      'lavapipe computes exp, sin and cos less accurately, such as exp(72) by 66 ULP; WGSL allows 3 + 2 |x| of them there.',
  },
  {
    engine,
    test: /large tensors > past 128 MiB/,
    reason: 'lavapipe has no bindings above 128 MiB; the error says so.',
  },
]);

/** @type {readonly KnownDifference[]} */
const ofBundles = ['node', 'chromium', 'firefox', 'deno'].map((engine) => ({
  engine,
  test: /explain\.test\.ts > disconnected > a call is named with its place in debug mode|comparedTraces\.test\.ts > (branches > a call that ran has a location|reports > name the op whose gradient differs)/,
  reason: 'the tests are in one bundle with the library, whose own lines are not named.',
}));

/** @type {readonly KnownDifference[]} */
export const knownDifferences = [...ofLavapipe, ...ofBundles];
