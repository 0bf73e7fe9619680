/**
 * @file Replaces TF.js's jasmine_util: which environments its tests run in, and what happens around each.
 */
import { gathers } from './shim/arrange.ts';
import { ENGINE } from './shim/engine.ts';

export interface TestEnvironment {
  name: string;
  /** TF.js's name of the back end, by which tests decide which behaviour to expect. */
  backendName: string;
  isDataSync: boolean;
  flags: Record<string, unknown>;
}

interface Constraints {
  predicate?: (environment: TestEnvironment) => boolean;
  flags?: Record<string, unknown>;
  /** The reason why environments that don't fulfil it are skipped. */
  reason?: string;
}

export const ALL_ENVS: Constraints = {};
export const SYNC_BACKEND_ENVS: Constraints = {
  predicate: () => false,
  reason: 'synchronous readback: not offered',
};
export const NODE_ENVS: Constraints = { predicate: () => false, reason: "TF.js's own platform for Node" };
export const BROWSER_ENVS: Constraints = { predicate: () => false, reason: 'needs a page' };
export const CHROME_ENVS: Constraints = { predicate: () => false, reason: 'needs a page' };
export const HAS_WORKER: Constraints = { predicate: () => false, reason: 'needs web workers' };
export const HAS_NODE_WORKER = HAS_WORKER;

const checked: TestEnvironment = {
  name: 'retrograd',
  backendName: 'retrograd',
  isDataSync: false,
  flags: {},
};
/**
 * In TF.js, a gather on the CPU throws for an index out of range, and one on a GPU reads
 * zeros. The library does both: the first by default, the second with `validateIndices: false`.
 */
const unchecked: TestEnvironment = {
  ...checked,
  name: 'retrograd, unchecked gathers',
  backendName: 'webgpu',
};

/** Specs that apply to only one of the two environments of gathers. */
const oneEnvironment: Record<string, { skip: TestEnvironment; reason: string }> = {
  'throws when index is out of bound': { skip: unchecked, reason: 'for checked gathers only' },
  'fills with zero when index is out of bound': { skip: checked, reason: 'for unchecked gathers only' },
};

export function describeWithFlags(
  name: string,
  constraints: Constraints,
  tests: (environment: TestEnvironment) => void,
): void {
  const { predicate, reason = 'an environment of TF.js’s own' } = constraints;
  const environments = name === 'gather' ? [checked, unchecked] : [checked];
  for (const environment of environments) {
    const title = environments.length > 1 ? `${name} (${environment.name})` : name;
    if (predicate && !predicate(environment)) leaveOut(title, environment, tests, reason);
    else describe(title, () => executeTests(environment, tests));
  }
}

/** Returns why specs with a name are skipped while they are being defined; null if they run. */
let leftOut: (spec: string) => string | null = () => null;

export function reasonToLeaveOut(spec: string): string | null {
  return leftOut(spec);
}

function defining(reasonFor: typeof leftOut, body: () => void): void {
  const before = leftOut;
  leftOut = reasonFor;
  try {
    body();
  } finally {
    leftOut = before;
  }
}

/** Skips a suite. Its specs are defined nevertheless, so that each is reported as skipped. */
function leaveOut(
  title: string,
  environment: TestEnvironment,
  tests: (environment: TestEnvironment) => void,
  reason: string,
): void {
  describe(title, () => {
    defining(
      () => reason,
      () => {
        try {
          tests(environment);
        } catch {
          it('(its definition fails)', () => {});
        }
      },
    );
  });
}

function executeTests(environment: TestEnvironment, tests: (environment: TestEnvironment) => void): void {
  beforeAll(() => ENGINE.reset());
  beforeEach(() => {
    gathers.checked = environment !== unchecked;
    ENGINE.startScope();
  });
  afterEach(() => {
    ENGINE.endScope();
    ENGINE.disposeVariables();
  });
  afterAll(() => ENGINE.reset());
  defining(
    (spec) => (oneEnvironment[spec]?.skip === environment ? (oneEnvironment[spec]?.reason ?? null) : null),
    () => tests(environment),
  );
}

export const TEST_ENVS = [checked];
