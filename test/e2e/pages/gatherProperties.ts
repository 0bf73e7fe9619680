/** @file What test/e2e/gather-properties.test.ts runs inside a page. */
import fc from 'fast-check';
import { init } from '../../../src/index.ts';
import { checkGather } from '../../support/checkGather.ts';
import { gatherCases } from '../../support/gatherCases.ts';

/** Runs random gathers; resolves to the number that ran, or throws the smallest that fails. */
export async function runGatherProperties(numRuns: number): Promise<number> {
  await init();
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(gatherCases, async (sample) => {
      ran++;
      const differences = await checkGather(sample);
      if (differences.length > 0) throw new Error(differences.join('; '));
    }),
    { numRuns },
  );
  return ran;
}
