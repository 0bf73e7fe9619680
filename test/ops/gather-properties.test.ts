/** @file A thousand random gathers against the oracle of test/support/gatherCases.ts: values, gradients, faults. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { init } from '../../src/index.ts';
import { asAdapter } from '../support/adapterClass.ts';
import { gatherCases } from '../support/gatherCases.ts';
import { checkGather } from '../support/checkGather.ts';

beforeAll(async () => {
  await init();
});

const check = (numRuns: number) =>
  fc.assert(
    fc.asyncProperty(gatherCases, async (sample) => {
      expect(await checkGather(sample)).toEqual([]);
    }),
    { numRuns },
  );

test('gather, its gradient and its report, whatever the shapes, axes, batches and indices', async () => {
  await check(400);
}, 300_000);

test('the variants for GPUs', async () => {
  await asAdapter('gpu', () => check(200));
}, 300_000);
