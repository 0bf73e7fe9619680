/** @file A sample of the random programs of test/support/differential in real browsers, whose WebGPU are Dawn and wgpu. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('differential');
await bundle({ entry: 'test/support/differential/programs.ts', folder });
const mounts = { '/lib/': folder };
const chromium = useBrowser({ mounts });
const firefox = useBrowser({ browser: 'firefox', mounts });

async function programs(from: number, to: number, compiledEvery: number): Promise<string | null> {
  const { checkPrograms } = (await import(
    '/lib/programs.js' as string
  )) as typeof import('../support/differential/programs.ts');
  return checkPrograms(from, to, compiledEvery);
}

test('random programs in Chromium', async () => {
  expect(await chromium.run('/', programs, 6000, 6016, 16)).toBeNull();
});

test('random programs in Firefox', async () => {
  expect(await firefox.run('/', programs, 6000, 6016, 16)).toBeNull();
});
