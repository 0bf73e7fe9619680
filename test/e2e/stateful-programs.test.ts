/** @file A sample of random programs with state in a real browser: compiled and eager runs agree bit by bit. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('stateful-programs');
await bundle({ entry: 'test/support/statefulPrograms.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

async function programs(from: number, to: number): Promise<string | null> {
  const { checkPrograms } = (await import(
    '/lib/statefulPrograms.js' as string
  )) as typeof import('../support/statefulPrograms.ts');
  return checkPrograms(from, to);
}

test('random programs in Chromium', async () => {
  expect(await chromium.run('/', programs, 5000, 5100)).toBeNull();
});
