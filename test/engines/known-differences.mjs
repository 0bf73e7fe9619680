// @ts-check
/**
 * @file Tests that an engine fails for a reason that the library doesn't remove.
 *
 * @type {readonly { engine: string, test: RegExp, reason: string }[]}
 */
export const knownDifferences = ['firefox', 'deno'].flatMap((engine) => [
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
