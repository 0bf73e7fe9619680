import { afterAll, beforeAll } from 'vitest';

/**
 * Leaves stack traces unmapped in this file's tests. An inspected step takes one for each op, and the source maps of the test
 * runner make each many times slower. For tests that read no call sites.
 */
export function usePlainStacks(): void {
  const formatter = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  beforeAll(() => {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
  });
  afterAll(() => {
    if (formatter) Object.defineProperty(Error, 'prepareStackTrace', formatter);
  });
}
