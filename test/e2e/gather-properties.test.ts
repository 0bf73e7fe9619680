/** @file A sample of random gathers in a real browser, against the same oracle as in Node. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('gather-properties');
await bundle({ entry: 'test/e2e/pages/gatherProperties.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

test('random gathers in Chromium', async () => {
  const ran = await chromium.run('/', async () => {
    const { runGatherProperties } = (await import(
      '/lib/gatherProperties.js' as string
    )) as typeof import('./pages/gatherProperties.ts');
    return runGatherProperties(150);
  });
  expect(ran).toBe(150);
});
