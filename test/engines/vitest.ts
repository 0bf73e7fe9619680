/**
 * @file Replaces `vitest` for test files on engines that it doesn't run on: its own runner and matchers, without its
 * process, its server and its snapshots.
 */
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { getCurrentTest } from '@vitest/runner';
import { fn, isMockFunction, restoreAllMocks, spyOn } from '@vitest/spy';

export {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  onTestFinished,
  test,
} from '@vitest/runner';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

type Matchers = Record<PropertyKey, unknown>;

function makeExpect() {
  const expect = (value: unknown, message?: string) => {
    const assertion = chai.expect(value, message) as unknown as { withTest(test: unknown): unknown };
    const test = getCurrentTest();
    return test ? assertion.withTest(test) : assertion;
  };
  const asymmetric = (globalThis as Matchers)[ASYMMETRIC_MATCHERS_OBJECT] as Matchers;
  Object.assign(expect, chai.expect, asymmetric, { getState: () => getState(expect as never) });
  setState({ assertionCalls: 0, isExpectingAssertions: false } as never, expect as never);
  return expect;
}

export const expect = makeExpect();

/** Without mocks of modules and fake timers. */
export const vi = { fn, isMockFunction, restoreAllMocks, spyOn };

/** Types are checked when the tests are compiled. */
const unchecked: unknown = new Proxy(() => {}, { get: () => unchecked, apply: () => unchecked });
export const expectTypeOf = () => unchecked;
