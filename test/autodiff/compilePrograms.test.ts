/** @file Random programs with state run the same eagerly and compiled, bit by bit. `npm run fuzz` runs more of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { installNodeGpu } from '../support/gpu.ts';
import { checkPrograms } from '../support/statefulPrograms.ts';

/** Seeds of the programs. */
const [from, to] = [0, 2000];
const perTest = 250;

beforeAll(async () => {
  await installNodeGpu();
});

describe('stateful programs', () => {
  const starts = Array.from({ length: Math.ceil((to - from) / perTest) }, (_, i) => from + i * perTest);
  it.each(starts)('from seed %i on', { timeout: 600_000 }, async (start) => {
    expect(await checkPrograms(start, Math.min(to, start + perTest))).toBeNull();
  });
});
