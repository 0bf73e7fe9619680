/** @file A thousand random gathers against the oracle of test/support/gatherCases.ts: values, gradients, faults. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { init } from '../../src/index.ts';
import { gatherCases } from '../support/gatherCases.ts';
import { checkGather } from '../support/checkGather.ts';

beforeAll(async () => {
  await init();
});

test('gather, its gradient and its report, whatever the shapes, axes, batches and indices', async () => {
  await fc.assert(
    fc.asyncProperty(gatherCases, async (sample) => {
      expect(await checkGather(sample)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
}, 300_000);
