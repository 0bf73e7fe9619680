/** @file Measuring: medians, interleaving, and contenders that break. By a clock of the tests, so that no load changes it. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Measurement, measure, summarize } from '../../bench/measure.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const pause = async (milliseconds: number) => void vi.advanceTimersByTime(milliseconds);

it('summarizes by the median and half the distance of the quartiles', () => {
  expect(summarize([5, 1, 3, 2, 4])).toEqual({ median: 3, spread: 1 / 3, samples: 5 });
  expect(summarize([7])).toEqual({ median: 7, spread: 0, samples: 1 });
});

it('divides by the runs of a sample, and waits once for all of them', async () => {
  let [runs, waits] = [0, 0];
  const { quick } = await measure(
    {
      quick: {
        run: () => {
          runs++;
        },
        wait: async () => {
          waits++;
          await pause(2);
        },
      },
    },
    { budget: 40, rounds: 2 },
  );
  const { repeats, median } = quick as Measurement;
  expect(repeats).toBeGreaterThanOrEqual(4);
  // The wait of two milliseconds is shared by the runs.
  expect(median).toBeLessThan(2);
  expect(runs).toBeGreaterThan(2 * waits);
});

it('takes turns', async () => {
  const order: string[] = [];
  const contender = (name: string) => ({
    run: async () => {
      order.push(name);
      await pause(12);
    },
    wait: async () => {},
  });
  await measure({ a: contender('a'), b: contender('b') }, { budget: 300, rounds: 3 });
  const turns = order.filter((name, i) => name !== order[i - 1]).join('');
  expect(turns).toBe('abababab');
});

it('gives one that is slower fewer turns, spread over all rounds', async () => {
  const order: string[] = [];
  const contender = (name: string, milliseconds: number) => ({
    run: async () => {
      order.push(name);
      await pause(milliseconds);
    },
    wait: async () => {},
  });
  await measure({ a: contender('a', 12), b: contender('b', 60) }, { budget: 320, rounds: 16 });
  const turns = order.filter((name, i) => name !== order[i - 1]).join('');
  // After the first runs of both, some five turns among sixteen.
  expect(turns.slice(2)).toMatch(/^(ab){5,6}a?$/);
  expect(order.filter((name) => name === 'b').length).toBeLessThanOrEqual(8);
  expect(order.slice(-8)).toContain('b');
});

it('runs what is slow three times in all, after its first run', async () => {
  let runs = 0;
  const { slow } = await measure(
    {
      slow: {
        run: async () => {
          runs++;
          await pause(60);
        },
        wait: async () => {},
      },
    },
    { budget: 50, rounds: 5 },
  );
  expect(runs).toBe(4);
  expect(slow).toMatchObject({ samples: 3, repeats: 1 });
});

it('leaves the others their numbers where one throws', async () => {
  const fine = { run: () => pause(2), wait: async () => {} };
  const broken = { run: () => Promise.reject(new Error('lost')), wait: async () => {} };
  const found = await measure({ broken, fine }, { budget: 20, rounds: 2 });
  expect(found.broken).toEqual(new Error('lost'));
  expect(found.fine).toMatchObject({ samples: expect.any(Number) });
});
