import { afterAll, beforeAll } from 'vitest';

/**
 * Leaves stack traces unmapped in this file's tests. An inspected step takes a stack trace for each op, and the test runner's
 * source maps make each many times slower. For tests that don't read call sites.
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
