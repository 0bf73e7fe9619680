/** @file `retrograd/show` in Chromium, under a strict policy: it follows width, light and dark, and axe finds no faults. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('show');
const program = path.basename(await bundle({ entry: 'test/e2e/pages/show.ts', folder }));
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'";
fs.writeFileSync(
  path.join(folder, 'index.html'),
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Charts</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="./page.css"><link rel="icon" href="./icon.svg"></head>
<body><main><h1>Charts</h1></main><script type="module" src="./page.js"></script></body></html>`,
);
fs.writeFileSync(
  path.join(folder, 'page.css'),
  ':root { color-scheme: light dark; } body { margin: 0 auto; max-width: 60rem; }',
);
fs.writeFileSync(
  path.join(folder, 'page.js'),
  `import * as charts from './${program}'; globalThis.charts = charts; globalThis.shown = charts.showAll();`,
);
const chromium = useBrowser({ root: folder });
let page: Page;
let errors: string[];

beforeAll(async () => {
  ({ page, errors } = await openPage(chromium.browser, chromium.url, {
    prepare: async (fresh) => {
      await fresh.setViewport({ width: 900, height: 900 });
      // Chromium asks for an icon, which the test doesn't serve.
      await fresh.setRequestInterception(true);
      fresh.on('request', (request) =>
        request.url().endsWith('.svg') ? request.respond({ status: 204 }) : request.continue(),
      );
    },
  }));
});

test('one of each is shown, and a run draws itself', async () => {
  const shown = await page.evaluate('globalThis.shown');
  expect(shown).toEqual({ drawn: 1, described: expect.stringMatching(/^loss \S+ → \S+$/), canvases: 3 });
  expect(errors).toEqual([]);
});

test.each([320, 768, 1440])(
  'fits %i pixels, light and dark, without faults that axe finds',
  async (width) => {
    await page.evaluate('globalThis.shown');
    await page.setViewport({ width, height: 900 });
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await accessibilityFaults(page)).toEqual([]);
      const ink = await page.$eval('#history text', (text) => getComputedStyle(text).fill);
      expect(Number(/\d+/.exec(ink)?.[0]) > 128).toBe(value === 'dark');
    }
    // Charts are as wide as their element, so that their text keeps its size.
    await page.waitForFunction(
      () =>
        document.querySelector('#bars svg')?.getBoundingClientRect().width ===
        document.querySelector('#bars')?.clientWidth,
    );
    expect(errors).toEqual([]);
  },
);

test('a chart moves, is updated, gives way to the page, and is removed', async () => {
  expect(await page.evaluate('globalThis.charts.moveAround()')).toEqual({
    moved: [0, 1],
    replaced: 'replaced by the page',
    bars: 2,
    left: 0,
    rejected: expect.stringMatching(/an element of a page[\s\S]*'#chart'/),
  });
  expect(errors).toEqual([]);
});
