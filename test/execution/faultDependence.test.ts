/** @file Which faults the results of a replay depend on. */
import { expect, test, vi } from 'vitest';
import { atOnce } from '../../src/core/pieces.ts';
import type { Attachment } from '../../src/execution/capture.ts';
import { Dependence } from '../../src/execution/faultDependence.ts';
import { DeviceError } from '../../src/core/errors.ts';
import type { Command } from '../../src/webgpu/command.ts';
import type { FaultReport } from '../../src/webgpu/faults.ts';
import type { FaultCarrier, FaultSet } from '../../src/webgpu/faultSets.ts';
import { type Check, FaultTracker } from '../../src/webgpu/faultTracker.ts';
import type { Loss } from '../../src/webgpu/losses.ts';
import type { Storage } from '../../src/webgpu/storage.ts';
import { copied, launched, storages } from './fakes.ts';

const report = (): FaultReport => ({
  count: 1,
  raise() {
    throw new Error('never raised');
  },
});

const dependence = (commands: Command[], made: Storage[], attachments: Attachment[] = []) =>
  atOnce(Dependence.of({ commands, attachments, made: new Map(made.map((one) => [one, 4])) } as never));

/** Begins a check for each report; makes `carriers` depend on a check each. Gives the numbers of the checks that a set holds. */
function begin(reports: readonly FaultReport[], carriers: readonly Storage[] = []) {
  const tracker = new FaultTracker();
  for (const { buffer } of carriers) tracker.attach([tracker.begin(report())], buffer);
  const checks = new Map<FaultReport, Check>(reports.map((one) => [one, tracker.begin(one)]));
  const numbers = (set: FaultSet | null) =>
    Array.from({ length: tracker.begun }, (_, i) => i).filter((i) => set?.holds(i));
  return { tracker, checks, numbers };
}

test('a result depends on the checks of the launches that made it, and of those before them', () => {
  const [a, b, c] = storages();
  const reports = [report(), report()];
  const [first, second] = reports as [FaultReport, FaultReport];
  const work = dependence(
    [launched([a], [], first), launched([b], [a]), launched([c], [], second)],
    [a, b, c],
  );
  const { tracker, checks, numbers } = begin(reports);
  const faultsOf = work.follow(tracker, checks);
  expect([a, b, c].map((one) => numbers(faultsOf(one)))).toEqual([[0], [0], [1]]);
});

test('what a launch only reads doesn’t depend on its check', () => {
  const [a, b] = storages();
  const one = report();
  const work = dependence([launched([a], []), launched([b], [a], one)], [a, b]);
  const { tracker, checks, numbers } = begin([one]);
  const faultsOf = work.follow(tracker, checks);
  expect([numbers(faultsOf(a)), numbers(faultsOf(b))]).toEqual([[], [0]]);
});

test('a copy carries faults from its source to its target', () => {
  const [a, b, c] = storages();
  const one = report();
  const work = dependence([launched([a], [], one), copied(a, b), copied(c, a)], [a, b, c]);
  const { tracker, checks, numbers } = begin([one]);
  const faultsOf = work.follow(tracker, checks);
  expect([a, b, c].map((value) => numbers(faultsOf(value)))).toEqual([[0], [0], []]);
});

test('a copy of all values replaces those of its target with their faults, in buffers from outside, too', () => {
  const [a, b, outside] = storages();
  const one = report();
  const commands = (bytes: number) => [
    launched([b], [], one),
    launched([a], []),
    copied(a, b, bytes),
    copied(a, outside, bytes),
  ];
  for (const [bytes, ofResult, ofOutside] of [
    [a.bytes, [], []],
    [a.bytes - 4, [0], [1]],
  ] as const) {
    const work = dependence(commands(bytes), [a, b]);
    const { tracker, checks, numbers } = begin([], []);
    checks.set(one, tracker.begin(one));
    tracker.attach([tracker.begin(report())], outside.buffer);
    const faultsOf = work.follow(tracker, checks);
    expect(numbers(faultsOf(b))).toEqual(ofResult);
    expect(numbers(outside.buffer.faults)).toEqual(ofOutside);
    outside.buffer.faults = null;
  }
});

test('a result is lost as the worst of the values from outside that it depends on', () => {
  const [a, b, whole, older, gone] = storages();
  const cause = new DeviceError({ rule: 'a test fails here.' });
  const losses = new Map<unknown, Loss>([
    [older.buffer, { cause, leavesOlder: true }],
    [gone.buffer, { cause, leavesOlder: false }],
  ]);
  const lossOf = (carrier: FaultCarrier) => losses.get(carrier) ?? null;
  const commands = [
    launched([a], [whole, older]),
    launched([b], [a, gone], report()),
    launched([whole], [b]),
  ];
  const found = dependence(commands, [a, b]).losses(lossOf);
  expect([a, b, whole.buffer].map((values) => found(values)?.leavesOlder)).toEqual([true, false, false]);
  expect(found(gone)).toBeNull();
  const none = dependence([launched([a], [whole])], [a]).losses(lossOf);
  expect(none(a)).toBeNull();
});

test('faults of buffers from outside reach results; those that the work writes get its faults', () => {
  const [a, read, written, untouched] = storages();
  const one = report();
  const work = dependence([launched([a], [read], one), launched([written], [a])], [a]);
  const { tracker, checks, numbers } = begin([one], [read, untouched]);
  const faultsOf = work.follow(tracker, checks);
  expect(numbers(faultsOf(a as Storage))).toEqual([0, 2]);
  expect(numbers(written?.buffer.faults ?? null)).toEqual([0, 2]);
  expect(numbers(read?.buffer.faults ?? null)).toEqual([0]);
  expect(numbers(untouched?.buffer.faults ?? null)).toEqual([1]);
});

test('a buffer from outside keeps its own faults when the work writes to it', () => {
  const [written] = storages();
  const one = report();
  const work = dependence([launched([written], [], one)], []);
  const { tracker, checks, numbers } = begin([one], [written]);
  work.follow(tracker, checks);
  expect(numbers(written?.buffer.faults ?? null)).toEqual([0, 1]);
});

test('an attached check counts from its place on', () => {
  const [a, b, c] = storages();
  const one = report();
  const commands = [launched([a], []), launched([b], [a]), launched([c], [a])];
  for (const [at, expected] of [
    [0, [[0], [0], [0]]],
    [1, [[0], [0], [0]]],
    [2, [[0], [], [0]]],
    [3, [[0], [], []]],
  ] as const) {
    const work = dependence(commands, [a, b, c], [{ at, reports: [one], storage: a }]);
    const { tracker, checks, numbers } = begin([one]);
    const faultsOf = work.follow(tracker, checks);
    expect(
      [a, b, c].map((value) => numbers(faultsOf(value))),
      `attached before command ${at}`,
    ).toEqual(expected);
  }
});

test('several checks are attached at their places', () => {
  const [a, b] = storages();
  const reports = [report(), report(), report()];
  const [x, y, z] = reports as [FaultReport, FaultReport, FaultReport];
  const attachments = [
    { at: 0, reports: [x, y], storage: a },
    { at: 1, reports: [z], storage: a },
  ];
  const work = dependence([launched([a], []), launched([b], [a])], [a, b], attachments);
  const { tracker, checks, numbers } = begin(reports);
  expect(numbers(work.follow(tracker, checks)(b))).toEqual([0, 1, 2]);
});

test('without faults, results depend on nothing; those with the same sources share a set', () => {
  const [a, b, c] = storages();
  const one = report();
  const none = dependence([launched([a], [])], [a]);
  const { tracker } = begin([]);
  expect(none.follow(tracker, new Map())(a)).toBeNull();
  expect(none.follow(tracker, new Map())(b)).toBeNull();
  const another = report();
  const commands = [launched([a, b], [], one), launched([a, b], [], another), launched([c], [b])];
  const work = dependence(commands, [a, b, c]);
  const { tracker: other, checks } = begin([one, another]);
  const faultsOf = work.follow(other, checks);
  expect(faultsOf(a)).not.toBeNull();
  expect(faultsOf(a)).toBe(faultsOf(c));
});

test('a run of n layers joins sets in proportion to n, though each of its results depends on all weights before it', () => {
  const joinsOf = (n: number) => {
    const weights = storages()
      .concat(...Array.from({ length: n / 4 }, () => storages()))
      .slice(0, n);
    const values = Array.from({ length: n / 4 + 1 }, () => storages()).flat();
    const at = (i: number) => values[i] as Storage;
    const forward = weights.map((weight, i) => launched([at(i + 1)], [at(i), weight]));
    const updates = weights.map((weight, i) => launched([weight], [at(i + 1)]));
    const work = dependence([...forward, ...updates], values);
    const { tracker, numbers } = begin([], weights);
    const join = vi.spyOn(tracker, 'join');
    const faultsOf = work.follow(tracker, new Map());
    expect(numbers(faultsOf(at(n)))).toHaveLength(n);
    return join.mock.calls.length;
  };
  expect(joinsOf(64)).toBeLessThan(2.1 * joinsOf(32));
});
