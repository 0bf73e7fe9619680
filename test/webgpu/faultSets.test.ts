/** @file Sets of pending checks: how wide they are. What they report is tested in faults.test.ts. */
import { expect, test } from 'vitest';
import { type FaultCarrier, type FaultSet, setOf } from '../../src/webgpu/faultSets.ts';
import { FaultTracker } from '../../src/webgpu/faultTracker.ts';
import { random } from '../support/random.ts';

const report = { count: 1, raise: () => new Error('never raised') as never };

test('a set is as wide as the work between its checks, however many checks are pending', () => {
  const tracker = new FaultTracker();
  const carrier: FaultCarrier = { faults: null };
  for (let i = 0; i < 1000; i++) tracker.begin(report);
  const [first, second] = [tracker.begin(report), tracker.begin(report)];
  tracker.attach([first, second], carrier);
  expect(carrier.faults).toMatchObject({ base: 1000, pending: null, end: 1002 });
});

test('a set forgets the checks that were resolved when it is joined with others', () => {
  const tracker = new FaultTracker();
  const checks = Array.from({ length: 4 }, () => tracker.begin(report));
  const early = tracker.join(setOf(checks[0]!), setOf(checks[2]!));
  tracker.resolve(checks.slice(0, 2));
  expect(tracker.join(early, setOf(checks[3]!))).toMatchObject({ base: 2, pending: 0b11n, end: 4 });
});

test('checks that follow one another make no set wider, however many they are', () => {
  const tracker = new FaultTracker();
  let all: FaultSet | null = null;
  for (let i = 0; i < 100; i++) all = tracker.join(all, setOf(tracker.begin(report)));
  expect(all).toMatchObject({ base: 0, pending: null, end: 100 });
  expect(tracker.join(all, setOf({ number: 40 } as never))).toBe(all);
  expect(tracker.join(setOf({ number: 40 } as never), all)).toBe(all);
});

test('any sets hold what was joined to them, and a set that has it all is not made again', () => {
  const dice = random(7);
  const tracker = new FaultTracker();
  const checks = Array.from({ length: 60 }, () => tracker.begin(report));
  let resolved = 0;
  let known = checks.map((check) => ({ set: setOf(check) as FaultSet | null, numbers: [check.number] }));
  for (let round = 0; round < 600; round++) {
    if (round % 150 === 149) {
      tracker.resolve(checks.slice(resolved, resolved + 12));
      resolved += 12;
      known = known.map(({ set, numbers }) => ({ set, numbers: numbers.filter((one) => one >= resolved) }));
    }
    const [a, b] = [dice.pick(known), dice.pick(known)];
    const numbers = [...new Set([...a.numbers, ...b.numbers])];
    const set = tracker.join(a.set, b.set);
    const held = checks.map(({ number }) => number).filter((one) => one >= resolved && set?.holds(one));
    expect(held).toEqual(numbers.sort((p, q) => p - q));
    if (a.set && a.numbers.length === numbers.length && numbers.length > 0) expect(set).toBe(a.set);
    known[dice.below(known.length)] = { set, numbers };
  }
});
