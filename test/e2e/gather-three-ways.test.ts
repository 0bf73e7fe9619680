/** @file The example page gather-three-ways in a real browser: what it finds, and what it says. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('gather-three-ways');
await bundle({ entry: 'examples/gather-three-ways/run.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

test('validated keeps history and gradient and names the bad index; fresh loses both', async () => {
  const { found, lines } = await chromium.run('/', async () => {
    const { run } = (await import(
      '/lib/run.js' as string
    )) as typeof import('../../examples/gather-three-ways/run.ts');
    const printed: string[] = [];
    const result = await run((line) => printed.push(line), { rows: 64, width: 8, count: 40 });
    return { found: result, lines: printed };
  });
  expect(found.map(({ way, history, badIndex }) => ({ way, history, badIndex }))).toEqual([
    { way: 'validated', history: "made by 'gather'", badIndex: 'named: index 64 at [1], range [0, 64)' },
    { way: 'unchecked', history: "made by 'gather'", badIndex: 'reads as zeros, silently' },
    { way: 'fresh', history: 'none (fresh)', badIndex: 'named: index 64 at [1], range [0, 64)' },
  ]);
  expect(found.map(({ gradient }) => gradient)).toEqual([
    expect.stringMatching(/^(exact|right to \de-[678])$/),
    expect.stringMatching(/^(exact|right to \de-[678])$/),
    'null (readBack)',
  ]);
  expect(found.map(({ bytesToHost, bytesToDevice }) => [bytesToHost, bytesToDevice])).toEqual([
    [0, 0],
    [0, 0],
    [64 * 8 * 4 + 40 * 4, 40 * 8 * 4],
  ]);
  expect(lines.join('\n')).toMatch(/disconnected at freshTensor\(\)/);
});
