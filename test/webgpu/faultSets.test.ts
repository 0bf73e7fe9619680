/** @file Sets of pending checks: how wide they are. What they report is tested in faults.test.ts. */
import { expect, test } from 'vitest';
import { type FaultCarrier, FaultTracker, setOf } from '../../src/webgpu/faultSets.ts';

const report = { count: 1, raise: () => new Error('never raised') as never };

test('a set is as wide as the work between its checks, however many checks are pending', () => {
  const tracker = new FaultTracker();
  const carrier: FaultCarrier = { faults: null };
  for (let i = 0; i < 1000; i++) tracker.begin(report);
  const [first, second] = [tracker.begin(report), tracker.begin(report)];
  tracker.attach([first, second], carrier);
  expect(carrier.faults).toMatchObject({ base: 1000, pending: 0b11n, end: 1002 });
});

test('a set forgets the checks that were resolved when it is joined with others', () => {
  const tracker = new FaultTracker();
  const checks = Array.from({ length: 4 }, () => tracker.begin(report));
  const early = tracker.join(setOf(checks[0]!), setOf(checks[2]!));
  tracker.resolve(checks.slice(0, 2));
  expect(tracker.join(early, setOf(checks[3]!))).toMatchObject({ base: 2, pending: 0b11n, end: 4 });
});
