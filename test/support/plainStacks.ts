import { afterAll, beforeAll } from 'vitest';

/**
 * Leaves stack traces unmapped in this file's tests. An inspected step takes one for each op, and the source maps of the test
 * runner make each many times slower. For tests that read no call sites.
 */
export function usePlainStacks(): void {
  const { prepareStackTrace } = Error;
  beforeAll(() => {
    Error.prepareStackTrace = undefined;
  });
  afterAll(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
}
