import { atOnce } from '../../src/core/pieces.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FewOffsets, OffsetTree } from '../../src/execution/takenOffsets.ts';
import { type Assignment, type Lifetime, livenessBound, planMemory } from '../../src/execution/memoryPlan.ts';

const values = fc.array(
  fc.record({
    bytes: fc.integer({ min: 1, max: 3000 }),
    first: fc.nat(40),
    length: fc.nat(10),
    conflicts: fc.array(fc.nat(30), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 30 },
);

describe('planMemory', () => {
  it('never puts values into the same place that are needed together, nor into one buffer that must be conflicts', () => {
    fc.assert(
      fc.property(values, (drawn) => {
        const conflict = (a: number, b: number) =>
          drawn[a]?.conflicts.includes(b) === true || drawn[b]?.conflicts.includes(a) === true;
        const list = drawn.map(({ bytes, first, length }, key) => ({
          key,
          bytes,
          first,
          last: first + length,
          conflicts: new Set(drawn.map((_, other) => other).filter((other) => conflict(key, other))),
        }));
        const { sizes, assignments } = atOnce(planMemory(list));
        for (const a of list) {
          const placeA = assignments.get(a.key) as Assignment;
          expect(placeA.offset % 256).toBe(0);
          expect(sizes[placeA.buffer]).toBeGreaterThanOrEqual(placeA.offset + a.bytes);
          for (const b of list) {
            const placeB = assignments.get(b.key) as Assignment;
            if (a === b || placeA.buffer !== placeB.buffer) continue;
            expect(a.conflicts.has(b.key)).toBe(false);
            const together = a.first <= b.last && b.first <= a.last;
            const overlap =
              placeA.offset < placeB.offset + b.bytes && placeB.offset < placeA.offset + a.bytes;
            expect(together && overlap).toBe(false);
          }
        }
        expect(sizes.reduce((x, y) => x + y)).toBeGreaterThanOrEqual(livenessBound(list));
      }),
    );
  });

  it('needs no more than the bound for a chain of equal values', () => {
    const chain = Array.from({ length: 20 }, (_, key) => ({
      key,
      bytes: 64,
      first: key,
      last: key + 1,
      conflicts: new Set([key - 1, key + 1]),
    }));
    expect(atOnce(planMemory(chain)).sizes).toEqual([64, 64]);
    expect(livenessBound(chain)).toBe(128);
  });

  it('keeps to the size that a buffer can have, and uses all of it', () => {
    const list = [lifetime('a', 1024, 0, 0), lifetime('b', 768, 1, 2), lifetime('c', 512, 1, 2)];
    expect(atOnce(planMemory(list)).sizes).toEqual([1280]);
    expect(atOnce(planMemory(list, 1280)).sizes).toEqual([1280]);
    expect(atOnce(planMemory(list, 1279)).sizes).toEqual([1024, 512]);
  });

  it('shares bytes from the command after the last use, not from the last use on', () => {
    expect(atOnce(planMemory([lifetime('a', 300, 0, 3), lifetime('b', 300, 4, 5)])).sizes).toEqual([300]);
    expect(atOnce(planMemory([lifetime('a', 300, 0, 3), lifetime('b', 300, 3, 5)])).sizes).toEqual([
      300, 300,
    ]);
    expect(atOnce(planMemory([lifetime('a', 300, 3, 5), lifetime('b', 300, 0, 3)])).sizes).toEqual([
      300, 300,
    ]);
  });

  it('fills a gap that is exactly large enough', () => {
    const list = [
      lifetime('whole', 1024, 0, 1),
      lifetime('below', 256, 2, 5),
      lifetime('above', 256, 2, 5),
      lifetime('between', 512, 2, 5),
    ];
    expect(atOnce(planMemory(list)).sizes).toEqual([1024]);
  });

  it('plans nothing for nothing', () => {
    expect(atOnce(planMemory([]))).toEqual({ sizes: [], assignments: new Map() });
    expect(livenessBound([])).toBe(0);
  });

  it('plans the same work the same way', () => {
    const list = randomLifetimes(5, 30);
    expect(atOnce(planMemory(list))).toEqual(atOnce(planMemory(list)));
  });

  it('tries few variations of long work', () => {
    let reads = 0;
    const list = Array.from({ length: 300 }, (_, key) => ({
      ...lifetime(key, 256, key, key),
      get conflicts() {
        reads++;
        return new Set<number>();
      },
    }));
    const readsWith = (work: number) => {
      reads = 0;
      atOnce(planMemory(list, Number.POSITIVE_INFINITY, work));
      return reads;
    };
    const alone = readsWith(0);
    const perOrder = readsWith(90_001) - alone;
    expect(alone).toBe(2 * perOrder);
    expect(readsWith(90_000)).toBe(alone);
    expect(readsWith(5 * 90_001)).toBe(alone + 5 * perOrder);
    expect(readsWith(1000 * 90_001)).toBe(alone + 40 * perOrder);
  });

  it.each([
    { work: 0, max: 1996 },
    { work: undefined, max: 1989 },
  ])('needs little more than the bound for short work, with a budget of $work', ({ work, max }) => {
    const lists = Array.from({ length: 100 }, (_, seed) => randomLifetimes(seed + 1, 12, [12, 6, 6]));
    const units = lists.map((list) => atOnce(planMemory(list, Number.POSITIVE_INFINITY, work)).sizes);
    // The bound is 1988 units of 256 bytes: variations save seven of the eight that are above it.
    expect(lists.reduce((all, list) => all + livenessBound(list), 0)).toBe(1988 * 256);
    expect(units.flat().reduce((all, bytes) => all + bytes)).toBeLessThanOrEqual(max * 256);
  });

  it('lays small values side by side where a large one lay', () => {
    const plan = atOnce(
      planMemory([
        { key: 'large', bytes: 1024, first: 0, last: 1, conflicts: new Set<string>() },
        { key: 'left', bytes: 512, first: 2, last: 5, conflicts: new Set<string>() },
        { key: 'right', bytes: 512, first: 3, last: 5, conflicts: new Set<string>() },
      ]),
    );
    expect(plan.sizes).toEqual([1024]);
  });

  it('needs little more than the bound for values of many sizes and lifetimes', () => {
    const shares = Array.from({ length: 40 }, (_, seed) => {
      const list = randomLifetimes(seed + 1, 40);
      const { sizes } = atOnce(planMemory(list));
      return sizes.reduce((a, b) => a + b) / livenessBound(list);
    });
    // On average they need 0.5 % more; 35 of the 40 need no more.
    expect(shares.reduce((a, b) => a + b) / shares.length).toBeLessThan(1.006);
    expect(Math.max(...shares)).toBeLessThan(1.08);
  });

  it.each([
    ['short lifetimes', () => randomLifetimes(3, 2400, [2400, 40, 200])],
    ['lifetimes as in training', () => trainingLifetimes(5, 2400)],
  ])('needs little more than the bound for thousands of values: %s', (_name, make) => {
    const list = make();
    const total = atOnce(planMemory(list)).sizes.reduce((a, b) => a + b);
    // Measured: 1.145 of the bound for short lifetimes, 1.0004 of first-fit for those in training.
    expect(total / livenessBound(list)).toBeLessThan(1.15);
    expect(total / firstFit(list)).toBeLessThan(1.001);
  });
});

/** Returns the bytes of one buffer in which each value, in the order of time, is at the lowest free place. */
function firstFit(list: readonly Lifetime<number>[]): number {
  const taken = new FewOffsets();
  const inTime = [...list].sort((a, b) => a.first - b.first);
  const ends = inTime.map(({ bytes, first, last }) => {
    const start = taken.lowestFree(bytes, first, last);
    taken.take(start, start + bytes, first, last);
    return start + bytes;
  });
  return Math.max(...ends);
}

/** Values that a step computes and then reads in reverse order, each with a short-lived one next to it. */
function trainingLifetimes(seed: number, count: number): Lifetime<number>[] {
  const sizes = randomLifetimes(seed, count, [1, 1, 64]).map(({ bytes }) => bytes);
  return sizes.map((bytes, key) =>
    key % 2 === 0
      ? lifetime(key, bytes, key, 2 * count - key)
      : lifetime(key, bytes, 2 * count - key, 2 * count - key + 3),
  );
}

const lifetime = <K>(key: K, bytes: number, first: number, last: number): Lifetime<K> => ({
  key,
  bytes,
  first,
  last,
  conflicts: new Set<K>(),
});

/** `count` values of 256 bytes or up to `units` as many, each used by up to `length` commands from one of `span` on. */
function randomLifetimes(
  seed: number,
  count: number,
  [span, length, units]: readonly [number, number, number] = [40, 10, 12],
) {
  let state = seed * 7919;
  const whole = (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  return Array.from({ length: count }, (_, key) => {
    const first = whole(span);
    const bytes = 256 * (1 + whole(units));
    return lifetime(key, bytes, first, first + whole(length));
  });
}

describe('OffsetTree', () => {
  it('finds the offsets that a search among all values finds', () => {
    const taken = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 9 }), first: fc.nat(60), length: fc.nat(30) }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(taken, (drawn) => {
        const [few, tree] = [new FewOffsets(), new OffsetTree(91)];
        for (const { size, first, length } of drawn) {
          const offset = few.lowestFree(size, first, first + length);
          expect(tree.lowestFree(size, first, first + length)).toBe(offset);
          few.take(offset, offset + size, first, first + length);
          tree.take(offset, offset + size, first, first + length);
        }
      }),
    );
  });
});
