/** @file The benchmark of host times: its ratio and its page. No test of speed. */
import { expect, test } from 'vitest';
import { hostLine, toHostMarkdown } from '../../bench/hostTimes/report.ts';
import { type HostRow, hostRatio, type HostTime } from '../../bench/hostTimes/result.ts';

const time = (microseconds: number): HostTime => ({
  microseconds,
  spread: 0.1,
  samples: 30,
  submissions: 1,
  launches: 2,
});

const row: HostRow = {
  name: 'add',
  times: { discrete: time(8), mobile: time(10), tfjs: time(30), jaxjs: time(90), jaxjsJit: time(20) },
  notes: { apple: 'failed' },
};

test('the ratio compares the slowest profile with the fastest peer whose calls are eager', () => {
  expect(hostRatio(row)).toBe(3);
  expect(hostRatio({ ...row, times: { tfjs: time(1) } })).toBe(null);
});

test('a page has times, counts, lone calls and notes', () => {
  const page = toHostMarkdown({
    engine: 'Node',
    date: '2026-01-01',
    processor: 'a processor',
    versions: { Retrograd: '1.0.0' },
    rows: [row],
    lone: { discrete: { firstSubmission: 30, isWithinCall: true, submissionsOfMany: 5 } },
  });
  expect(page).toContain(
    '| add | 8.00 ± 10 % | – | – | 10.0 ± 10 % | 30.0 ± 10 % | 90.0 ± 10 % | 20.0 ± 10 % | 3.00× |',
  );
  expect(page).toContain('| add | 2 in 1 | – |');
  expect(page).toContain('| Retrograd, discrete | 30.0 | yes | 5 |');
  expect(page).toContain('- add, apple: failed');
  expect(hostLine(row)).toMatch(/^add +3\.00× {3}discrete 8\.00/);
});
