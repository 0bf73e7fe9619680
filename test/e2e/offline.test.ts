/** @file The site after its server has gone: what was visited, and the guide, are still there. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  launchBrowser,
  openPage,
  serveFolder,
  type Browser,
  type StaticServer,
} from '../../scripts/lib/browser.mjs';
import { buildLibrary, buildPage, buildWebsite, pages } from '../../scripts/lib/pages.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';

const site = fileURLToPath(new URL('../../site', import.meta.url));
let server: StaticServer;
let browser: Browser;
const at = (place: string) => `${server.url}some/folder/${place}`;

beforeAll(async () => {
  buildLibrary({}, () => {});
  for (const { name } of pages) buildPage(name, {}, () => {});
  buildWebsite({}, () => {});
  server = await serveFolder(null, { mounts: { '/some/folder/': path.resolve(site) } });
  // Of its own: it keeps what it has seen.
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

test('after one visit of the landing page and the playground, both work without a server, and the guide is there', async () => {
  const { page, errors } = await openPage(browser, at('playground/'), { offline: true });
  page.setDefaultTimeout(120_000);
  const keeps = (place: string) =>
    page.waitForFunction(async (url) => Boolean(await caches.match(url)), { polling: 200 }, at(place));
  await page.waitForFunction(() => document.querySelector('#status')?.textContent === 'Done');
  for (const place of ['index.html', 'guide/training.html', 'assets/search.json', 'playground/index.html'])
    await keeps(place);
  const kept = await page.evaluate(async () => {
    const [name = ''] = await caches.keys();
    return (await (await caches.open(name)).keys()).map(({ url }) => url);
  });
  expect(errors).toEqual([]);
  // The reference and other pages are kept once they were visited.
  expect(kept.filter((url) => /\/(?:reference|notebook|bench)\//.test(url))).toEqual([]);
  await page.waitForFunction(
    async () => {
      const [name = ''] = await caches.keys();
      const all = (await (await caches.open(name)).keys()).map(({ url }) => url);
      return all.filter((url) => /\/playground\/assets\/.*\.js$/.test(url)).length > 5;
    },
    { polling: 200 },
  );
  // Until nothing more comes.
  let before = -1;
  for (;;) {
    const count = await page.evaluate(
      async () => (await (await caches.open((await caches.keys())[0] ?? '')).keys()).length,
    );
    if (count === before) break;
    before = count;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
  await server.close();

  await page.goto(at('playground/'));
  await page.waitForFunction(() => document.querySelector('#status')?.textContent === 'Done');
  expect(await page.$eval('#output', (output) => output.textContent)).toMatch(/weight/);
  await page.goto(at('guide/training.html'));
  expect(await page.$eval('h1', (title) => title.textContent)).toMatch(/Training/);
  await page.goto(at('reference/gather.html'));
  expect(await page.$eval('h1', (title) => title.textContent)).toBe('No network');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.close();
});
