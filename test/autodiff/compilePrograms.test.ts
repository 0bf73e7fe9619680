/**
 * @file Random programs with state run the same eagerly and compiled, bit by bit. These are as few as have every pair of
 * statements, changes and arguments that twelve hundred programs have; `npm run fuzz` runs more.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { installNodeGpu } from '../support/gpu.ts';
import { coveringSeeds } from '../support/stateful/coverage.ts';
import { checkSeeds } from '../support/statefulPrograms.ts';

const seeds = coveringSeeds(0, 1200);
const tests = 8;

beforeAll(async () => {
  await installNodeGpu();
});

describe('stateful programs', () => {
  const perTest = Math.ceil(seeds.length / tests);
  const parts = Array.from({ length: tests }, (_, i) => seeds.slice(i * perTest, (i + 1) * perTest));
  it.each(parts.map((part) => [part[0], part] as const))(
    'from seed %i on',
    { timeout: 600_000 },
    async (_, part) => {
      expect(part.length).toBeGreaterThan(0);
      expect(await checkSeeds(part)).toBeNull();
    },
  );
});
