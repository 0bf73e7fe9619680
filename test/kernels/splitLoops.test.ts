import { expect, test } from 'vitest';
import { splitLoops } from '../../src/kernels/sorting/sort.ts';

test('short loops take one launch, also where nothing is left to do', () => {
  expect(splitLoops([65_000, 400, 35])).toEqual([
    [
      [0, 65_000],
      [0, 400],
      [0, 35],
    ],
  ]);
  expect(splitLoops([0, 0])).toHaveLength(1);
});

test.each([
  { lengths: [65_500], cost: 1, launches: 1 },
  { lengths: [65_501], cost: 1, launches: 2 },
  { lengths: [40_000, 40_000], cost: 1, launches: 2 },
  { lengths: [3, 200_000, 200_000], cost: 1, launches: 7 },
  { lengths: [9000, 1], cost: 8, launches: 2 },
])('$lengths iterations take $launches launches', ({ lengths, cost, launches }) => {
  const split = splitLoops(lengths, cost);
  expect(split).toHaveLength(launches);
  for (const launch of split)
    expect(cost * launch.reduce((sum, [begin, end]) => sum + end - begin, 0)).toBeLessThanOrEqual(65_500);
  // Each loop is executed in order, without a gap, and before the next one begins.
  for (const [which, length] of lengths.entries()) {
    let done = 0;
    for (const launch of split) {
      const [begin, end] = launch[which] as [number, number];
      expect(begin).toBe(done);
      done = end;
      if (end > begin && end < length)
        expect(launch.slice(which + 1).every(([from, to]) => from === to)).toBe(true);
    }
    expect(done).toBe(length);
  }
});
