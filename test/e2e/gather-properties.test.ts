/** @file A sample of random gathers in real browsers, against the same oracle as in Node. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('gather-properties');
await bundle({ entry: 'test/e2e/pages/gatherProperties.ts', folder });
const mounts = { '/lib/': folder };
const chromium = useBrowser({ mounts });
const firefox = useBrowser({ browser: 'firefox', mounts });

async function gathers(count: number): Promise<number> {
  const { runGatherProperties } = (await import(
    '/lib/gatherProperties.js' as string
  )) as typeof import('./pages/gatherProperties.ts');
  return runGatherProperties(count);
}

test('random gathers in Chromium', async () => {
  expect(await chromium.run('/', gathers, 150)).toBe(150);
});

test('random gathers in Firefox', async () => {
  expect(await firefox.run('/', gathers, 40)).toBe(40);
});
