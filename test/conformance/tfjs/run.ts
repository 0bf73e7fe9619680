/**
 * @file Runs TF.js's test files by jasmine over the shim. A spec fails by its own expectations, by a timeout, by an
 * uncaptured GPU error, by a fault that the device reports after it, and by an error that isn't a typed rejection.
 */
import jasmineCore from 'jasmine-core';
import { getDevice, init } from '../../../src/index.ts';
import { installNodeGpu, takeUncapturedErrors } from '../../support/gpu.ts';
import { differenceOf } from './differences.ts';
import { reasonToLeaveOut } from './jasmineUtil.ts';
import { defects } from './shim/call.ts';
import { takeNotOffered } from './shim/notOffered.ts';

export interface SpecResult {
  file: string;
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  /** The reason why it failed or was skipped. */
  reasons: string[];
}

/** A software adapter compiles slowly. */
const timeoutMs = 60_000;

/** Loads `files` (name → import) and runs the specs whose `file: full name` matches. */
export async function run(
  files: Readonly<Record<string, () => Promise<unknown>>>,
  matches: (name: string) => boolean,
): Promise<SpecResult[]> {
  await installNodeGpu();
  await init();
  const results: SpecResult[] = [];
  const fileOf = new Map<string, string>();
  const leftOut = new Map<string, string>();
  let file = '';
  const { jasmine } = jasmineCore;
  const env = jasmine.getEnv();
  jasmine.DEFAULT_TIMEOUT_INTERVAL = timeoutMs;
  env.configure({
    random: false,
    specFilter: (spec) => matches(`${fileOf.get(spec.id)}: ${spec.getFullName()}`),
  });
  const it = (name: string, body?: () => unknown, timeout?: number) => {
    const reason = reasonToLeaveOut(name) ?? differenceOf(file, name);
    const spec = unlessTaken(reason === null ? env.it : env.xit, name, body, timeout);
    fileOf.set(spec.id, file);
    if (reason !== null) leftOut.set(spec.id, reason);
    return spec;
  };
  jasmineCore.installGlobals(globalThis);
  Object.assign(globalThis, {
    it,
    describe: (name: string, body: () => void) => unlessTaken(env.describe, name, body),
  });
  env.beforeEach(() => {
    takeNotOffered();
    defects.clear();
  });
  env.afterEach(async () => {
    for (const defect of defects) env.fail(defect);
    defects.clear();
    await getDevice().sync();
    for (const error of await takeUncapturedErrors()) env.fail(`uncaptured GPU error: ${error.message}`);
  });
  env.addReporter({
    specDone: (spec) => {
      const name = spec.fullName;
      const failures = spec.failedExpectations.map(describeFailure);
      const identity = { file: fileOf.get(spec.id) ?? '', name };
      const notOffered = takeNotOffered();
      if (spec.status === 'excluded') return;
      if (leftOut.has(spec.id) || spec.status === 'pending')
        results.push({
          ...identity,
          status: 'skipped',
          reasons: [leftOut.get(spec.id) ?? spec.pendingReason],
        });
      else if (notOffered.length > 0) results.push({ ...identity, status: 'skipped', reasons: notOffered });
      else
        results.push({ ...identity, status: failures.length > 0 ? 'failed' : 'passed', reasons: failures });
    },
    suiteDone: (suite) => {
      for (const failure of suite.failedExpectations) {
        const reason = /^(?:Error: )?(.*: not offered)$/m.exec(failure.message)?.[1];
        if (reason) results.push({ file, name: suite.fullName, status: 'skipped', reasons: [reason] });
        else
          results.push({ file, name: suite.fullName, status: 'failed', reasons: [describeFailure(failure)] });
      }
    },
    jasmineDone: (all) => {
      for (const failure of all.failedExpectations)
        results.push({ file: '', name: 'jasmine', status: 'failed', reasons: [describeFailure(failure)] });
    },
  });
  for (const [name, load] of Object.entries(files)) {
    file = name;
    try {
      await load();
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      results.push({ file, name: '(loading)', status: 'failed', reasons: [reason] });
    }
  }
  await env.execute();
  return results;
}

/** TF.js has suites and specs with the same name, which newer versions of jasmine reject. */
function unlessTaken<A extends unknown[], R>(
  define: (name: string, ...rest: A) => R,
  name: string,
  ...rest: A
): R {
  try {
    return define(name, ...rest);
  } catch (error) {
    if (!(error instanceof Error && /^Duplicate (spec|suite) name/.test(error.message))) throw error;
    return unlessTaken(define, `${name} (again)`, ...rest);
  }
}

function describeFailure(failure: { message: string; stack?: string }): string {
  const frames = (failure.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.filter((line) => !/jasmine-core|node:internal/.test(line)).slice(0, 6);
  return [failure.message, ...own].join('\n');
}
