/** @file Lifetimes of the storages that recorded commands make, and the ranges that they are assigned. */
import { atOnce, type Pieces } from '../../src/core/pieces.ts';
import { expect, test } from 'vitest';
import { assignBuffers, lifetimesOf } from '../../src/execution/bufferAssignment.ts';
import { SharedBuffers } from '../../src/execution/sharedBuffers.ts';
import { copied, launched, pool, storages } from './fakes.ts';

function* asIs<T>(same: T): Pieces<T> {
  yield;
  return same;
}

test('a storage lives from the first to the last command that names it', () => {
  const [a, b, c, outside] = storages();
  const made = new Map([
    [a, 4],
    [b, 4],
    [c, 4],
  ]);
  const commands = [launched([a], [outside]), launched([b], [a, outside]), copied(b, c), launched([c], [c])];
  const found = lifetimesOf(commands, made, [b]);
  expect(found.map(({ key, first, last }) => [key, first, last])).toEqual([
    [a, 0, 1],
    [b, 1, 4],
    [c, 2, 3],
  ]);
});

test('what a command writes is apart from everything else that it names', () => {
  const [a, b, c, d, outside] = storages();
  const made = new Map([a, b, c, d].map((storage) => [storage, 4]));
  const commands = [launched([a, b], [outside]), launched([c], [a, b]), copied(c, d)];
  const conflicts = new Map(lifetimesOf(commands, made, []).map(({ key, conflicts: all }) => [key, all]));
  expect(conflicts.get(a)).toEqual(new Set([b, c]));
  expect(conflicts.get(b)).toEqual(new Set([a, c]));
  expect(conflicts.get(c)).toEqual(new Set([a, b, d]));
  expect(conflicts.get(d)).toEqual(new Set([c]));
});

test('what commands only read may be in one buffer', () => {
  const [a, b, outside] = storages();
  const made = new Map([
    [a, 4],
    [b, 4],
  ]);
  const found = lifetimesOf([launched([outside], [a, b])], made, []);
  expect(found.map(({ conflicts }) => conflicts.size)).toEqual([0, 0]);
});

test('sizes are multiples of 16 bytes, and at least 16', () => {
  const [a, b, c] = storages();
  const made = new Map([
    [a, 0],
    [b, 16],
    [c, 17],
  ]);
  const found = lifetimesOf([launched([a, b, c], [])], made, []);
  expect(found.map(({ bytes }) => bytes)).toEqual([16, 16, 32]);
});

test('commands name the assigned ranges; what the work didn’t make, or is elsewhere, stays', () => {
  const [a, b, c, outside] = storages();
  const made = new Map([
    [a, 1024],
    [b, 1024],
    [c, 512],
  ]);
  const commands = [launched([a], [outside]), copied(a, c), launched([b], [c]), launched([outside], [b])];
  const [{ shared }, rewritten] = [{ shared: new SharedBuffers(pool()) }, [] as unknown[]];
  const planned = atOnce(
    assignBuffers(
      shared,
      2 ** 20,
      { made, commands } as never,
      [b],
      function* (given) {
        yield;
        rewritten.push(given);
        return given;
      },
      new Map([[c, null]]),
    ),
  );
  expect(rewritten).toEqual([commands]);
  expect([...planned.assignments.keys()]).toEqual([a, b]);
  const [rangeOfA, rangeOfB] = [planned.assignments.get(a), planned.assignments.get(b)];
  // `a` is over when `b` begins.
  expect(rangeOfA).toEqual({ buffer: planned.buffers[0], offset: 0, bytes: 1024 });
  expect(rangeOfB).toEqual(rangeOfA);
  expect(planned.buffers).toHaveLength(1);
  expect([planned.bytes, planned.minBytes]).toEqual([1024, 1024]);
  expect(planned.commands).toEqual([
    { ...commands[0], ranges: [rangeOfA, outside] },
    { ...commands[1], source: rangeOfA, target: c },
    { ...commands[2], ranges: [rangeOfB, c] },
    { ...commands[3], ranges: [outside, rangeOfB] },
  ]);
});

test('the bytes of a plan are those of all its buffers', () => {
  const [a, b, c] = storages();
  const made = new Map([
    [a, 1024],
    [b, 512],
    [c, 256],
  ]);
  const commands = [launched([a], []), launched([b], [a]), launched([c], [a, b])];
  const shared = new SharedBuffers(pool());
  const planned = atOnce(assignBuffers(shared, 2 ** 20, { made, commands } as never, [], asIs, new Map()));
  expect(planned.buffers.map(({ size }) => size).sort()).toEqual([1024, 256, 512]);
  expect([planned.bytes, planned.minBytes]).toEqual([1792, 1792]);
});
