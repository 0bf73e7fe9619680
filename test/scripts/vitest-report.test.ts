/** @file What `npm test` repeats of vitest's report. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { countsIn, failuresIn } from '../../scripts/lib/vitest-report.mjs';

const report = {
  numPassedTests: 1,
  numFailedTests: 2,
  numPendingTests: 3,
  numTodoTests: 4,
  testResults: [
    {
      name: '/repo/test/a.test.ts',
      status: 'failed',
      message: '',
      assertionResults: [
        { fullName: 'adds', status: 'passed', failureMessages: [] },
        {
          fullName: 'a group subtracts',
          status: 'failed',
          failureMessages: ['AssertionError: 1\n    at a.ts:3'],
        },
        { fullName: 'loops', status: 'failed', failureMessages: ['line\n'.repeat(1000)] },
      ],
    },
    {
      name: '/repo/test/b.test.ts',
      status: 'failed',
      message: 'Cannot find module',
      assertionResults: [],
    },
  ],
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-report-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const file = path.join(folder, 'report.json');
fs.writeFileSync(file, JSON.stringify(report));

test('tests are counted; those that did not run are skipped', () => {
  expect(countsIn(file)).toEqual({ passed: 1, failed: 2, skipped: 7 });
});

test('a failure is its place, then the start of what was thrown', () => {
  const [first, second, third, ...rest] = failuresIn(file, '/repo');
  expect(first).toBe('test/a.test.ts > a group subtracts\n  AssertionError: 1\n      at a.ts:3');
  expect(second?.split('\n')).toEqual(['test/a.test.ts > loops', ...Array(12).fill('  line')]);
  expect(third).toBe('test/b.test.ts\n  Cannot find module');
  expect(rest).toEqual([]);
});

test('a run that ended before its report has no counts', () => {
  expect(countsIn(path.join(folder, 'none.json'))).toBeNull();
  expect(failuresIn(path.join(folder, 'none.json'), '/repo')).toEqual([]);
});
