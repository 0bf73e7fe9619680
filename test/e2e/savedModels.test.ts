/** @file Models in a browser's storage: saved on one page, loaded on the next, with the old file after an interruption. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { openPage, useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('savedModels');
await bundle({ entry: 'test/e2e/pages/savedModels.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });
const firefox = useBrowser({ browser: 'firefox', mounts: { '/lib/': folder } });
const downloads = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-downloads-'));
afterAll(() => fs.rmSync(downloads, { recursive: true }));

type Page = typeof import('./pages/savedModels.ts');

const kept = ['opfs://models/net.keras', 'indexeddb://net'];

test('a model is saved, loaded on another page, and survives an interrupted save', async () => {
  const session = await chromium.browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
  const saved = await chromium.run(
    '/',
    async (addresses) => {
      const page = (await import('/lib/savedModels.js' as string)) as Page;
      const result = await page.saveAs(addresses);
      const names: string[] = [];
      for (const address of addresses.slice(0, 2)) names.push(await page.interrupt(address));
      const unmade = await page.interrupt('indexeddb://other');
      // A page that is closed takes its downloads with it.
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { ...result, names: [...names, unmade] };
    },
    [...kept, 'downloads://run/net.keras'],
  );
  expect(saved.names).toEqual(['AbortError', 'AbortError', 'AbortError']);
  expect(saved.progress.at(-1)?.saved).toBe(saved.progress.at(-1)?.total);
  const file = path.join(downloads, 'net.keras');
  await vi.waitFor(() => expect(fs.readdirSync(downloads)).toEqual(['net.keras']), { timeout: 10_000 });

  const downloaded = `data:application/zip;base64,${fs.readFileSync(file).toString('base64')}`;
  const found = await chromium.run(
    '/',
    async (sources, addresses) => {
      const page = (await import('/lib/savedModels.js' as string)) as Page;
      const loaded = [];
      for (const source of sources) loaded.push(await page.load(source));
      const stored = [await page.stored('opfs://models'), await page.stored('indexeddb://')];
      const removed = [];
      for (const address of [...addresses, ...addresses]) removed.push(await page.remove(address));
      const missing = await page.load('indexeddb://net').catch((error: Error) => error.message);
      return { loaded, stored, removed, missing };
    },
    [...kept, downloaded],
    kept,
  );
  for (const { predicted, steps } of found.loaded) {
    expect(predicted).toEqual(saved.predicted);
    expect(steps).toBe(2);
  }
  expect(found.loaded.slice(0, 2).map(({ origin }, i) => origin.includes(kept[i] as string))).toEqual([
    true,
    true,
  ]);
  expect(found.stored).toEqual(kept.map((address) => [[address, true]]));
  expect(found.removed).toEqual([true, true, false, false]);
  expect(found.missing).toMatch(/indexeddb:\/\/net: the file must be there/);
});

test('Firefox keeps models in OPFS and IndexedDB, and reads those of TF.js', async () => {
  const saved = await firefox.run(
    '/',
    async (addresses) => {
      const page = (await import('/lib/savedModels.js' as string)) as Page;
      const { predicted } = await page.saveAs(addresses);
      return {
        predicted,
        interrupted: [
          await page.interrupt(addresses[0] as string),
          await page.interrupt(addresses[1] as string),
        ],
      };
    },
    kept,
  );
  expect(saved.interrupted).toEqual(['AbortError', 'AbortError']);
  const found = await firefox.run(
    '/',
    async (addresses) => {
      const page = (await import('/lib/savedModels.js' as string)) as Page;
      const loaded = [];
      const removed = [];
      for (const address of addresses) loaded.push((await page.load(address)).predicted);
      const stored = [await page.stored('opfs://models'), await page.stored('indexeddb://')];
      for (const address of [...addresses, ...addresses]) removed.push(await page.remove(address));
      return { loaded, stored, removed, layersModels: await page.layersModels() };
    },
    kept,
  );
  const [expected, ...predicted] = found.layersModels.predicted;
  expect(predicted).toEqual([expected, expected, expected]);
  expect(found.layersModels.missing).toMatch(/indexeddb:\/\/no-net: the file must be there/);
  expect(found.loaded).toEqual([saved.predicted, saved.predicted]);
  expect(found.stored).toEqual(kept.map((address) => [[address, true]]));
  expect(found.removed).toEqual([true, true, false, false]);
});

test('a file is read to its end while garbage is collected', async () => {
  const { page } = await openPage(chromium.browser, chromium.url);
  const session = await page.createCDPSession();
  await session.send('HeapProfiler.enable');
  await page.exposeFunction('collect', () => session.send('HeapProfiler.collectGarbage'));
  const code = `import('/lib/savedModels.js').then((page) => page.sumOfFile(24, window.collect))`;
  expect(await page.evaluate(code)).toBe(24 << 20);
});
