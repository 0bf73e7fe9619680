/** @file Checkpoints in real pages: in the origin's own files, over pages, and as downloads. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { readSafetensors } from '../../src/formats/safetensors/index.ts';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('checkpoints');
await bundle({ entry: 'test/e2e/pages/checkpoints.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });
const downloads = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-downloads-'));
afterAll(() => fs.rmSync(downloads, { recursive: true }));

type Page = typeof import('./pages/checkpoints.ts');

test('a checkpoint in the files of the origin goes on, on another page, to the same curve', async () => {
  const begun = await chromium.run('/', async () => {
    const { trainWithCheckpoints } = (await import('/lib/checkpoints.js' as string)) as Page;
    return trainWithCheckpoints(4, 2);
  });
  expect(begun.lastSaved).toBe('run/02.safetensors');
  const resumed = await chromium.run('/', async () => {
    const { resumeFrom } = (await import('/lib/checkpoints.js' as string)) as Page;
    return resumeFrom('run/02.safetensors', 4);
  });
  expect(resumed.training).toMatchObject({ epoch: 2, seed: 9 });
  expect(resumed.weights).toEqual(begun.weights);
  expect(resumed.epoch).toEqual([2, 3]);
  for (const [name, values] of Object.entries(begun.history)) {
    expect(resumed.history[name], name).toEqual(values.slice(2));
  }
  expect(resumed.log).toMatch(/^epoch,accuracy,loss,val_accuracy,val_loss\n0,.*\n1,.*\n$/);
  expect(resumed.removed).toBeNull();

  const restored = await chromium.run('/', async () => {
    const { interruptAndRestore } = (await import('/lib/checkpoints.js' as string)) as Page;
    return interruptAndRestore(4, 2);
  });
  expect(restored).toMatchObject({ name: 'AbortError', epoch: [2, 3] });
  expect(restored.history).toEqual(resumed.history);
});

test('weights and history reach the user as downloads', async () => {
  const session = await chromium.browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
  const weights = await chromium.run('/', async () => {
    const { trainIntoDownloads } = (await import('/lib/checkpoints.js' as string)) as Page;
    const trained = await trainIntoDownloads();
    // A page that is closed takes its downloads with it.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return trained;
  });
  await vi.waitFor(
    () => expect(fs.readdirSync(downloads).sort()).toEqual(['history.json', 'stripes.safetensors']),
    {
      timeout: 10_000,
    },
  );
  const { tensors } = readSafetensors(fs.readFileSync(path.join(downloads, 'stripes.safetensors')));
  expect([...tensors.values()].map(({ data }) => [...data])).toEqual(weights);
  expect(JSON.parse(fs.readFileSync(path.join(downloads, 'history.json'), 'utf8')).epoch).toEqual([0]);
});
