/**
 * @file Stands for TF.js's jasmine_util: which environments its tests run in, and what happens around each.
 */
import { gathers } from './shim/arrange.ts';
import { ENGINE } from './shim/engine.ts';

export interface TestEnvironment {
  name: string;
  /** TF.js's name of the back end: tests ask it which behaviour to expect. */
  backendName: string;
  isDataSync: boolean;
  flags: Record<string, unknown>;
}

interface Constraints {
  predicate?: (environment: TestEnvironment) => boolean;
  flags?: Record<string, unknown>;
  /** Why environments that don't fulfil it are left out. */
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
 * TF.js asks of a gather on the CPU that it throws for an index outside of the range, and of one on a GPU that it reads
 * zeros. The library does both: the first by default, the second with `validateIndices: false`.
 */
const unchecked: TestEnvironment = {
  ...checked,
  name: 'retrograd, unchecked gathers',
  backendName: 'webgpu',
};

/** Specs that only one of both environments of gathers can be asked. */
const oneEnvironment: Record<string, { skip: TestEnvironment; reason: string }> = {
  'throws when index is out of bound': { skip: unchecked, reason: 'asked of checked gathers' },
  'fills with zero when index is out of bound': { skip: checked, reason: 'asked of unchecked gathers' },
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

/** What specs that are being defined are left out for, by their name; null where they run. */
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

/** Its specs are defined all the same, so that each is reported as skipped. */
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
          it('(its definition needs what is not there)', () => {});
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
