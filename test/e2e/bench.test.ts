/** @file The benchmark in a real browser: its page as a visitor sees it, and what happens to a row when a contender is lost. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RowResult } from '../../bench/result.ts';
import { BenchBrowser } from '../../scripts/lib/bench-browser.mjs';
import {
  type Browser,
  launchBrowser,
  openPage,
  type Page,
  type StaticServer,
  serveFolder,
} from '../../scripts/lib/browser.mjs';
import { buildPage } from '../../scripts/lib/pages.mjs';
import { sharedBrowser } from '../support/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let server: StaticServer;
let chromium: Browser;

beforeAll(async () => {
  buildPage('bench', {}, () => {});
  server = await serveFolder(null, { mounts: { '/deep/': path.join(root, 'site') } });
  chromium = await sharedBrowser('chromium');
});
afterAll(() => server.close());

async function visit(before?: () => void): Promise<{ page: Page; errors: string[] }> {
  const { page, errors } = await openPage(chromium, `${server.url}deep/bench/`, {
    prepare: async (fresh) => {
      await fresh.setViewport({ width: 1200, height: 900 });
      if (before) await fresh.evaluateOnNewDocument(before);
    },
  });
  return { page, errors };
}

const text = (page: Page, selector: string) => page.$eval(selector, (found) => found.textContent ?? '');
const waitForText = (page: Page, selector: string, words: RegExp) =>
  page.waitForFunction(
    (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent ?? ''),
    { timeout: 120_000 },
    selector,
    words.source,
  );
const press = async (page: Page, key: 'Enter' | 'Space' | 'Tab') => page.keyboard.press(key);

describe('the page', () => {
  test('rows are picked and run by keyboard; bars show the peers; the table is copied', async () => {
    const { page, errors } = await visit();
    const { origin } = new URL(server.url);
    await chromium
      .defaultBrowserContext()
      .overridePermissions(origin, ['clipboard-read', 'clipboard-sanitized-write']);
    await waitForText(page, '#adapter', /^Adapter: \w.*Browser: \w+ \d+/);
    await page.focus('#filter');
    await page.keyboard.type('256');
    const [, checked, shown] = /(\d+) of (\d+) rows/.exec(await text(page, '#all')) ?? [];
    expect(Number(checked)).toBeGreaterThan(2);
    expect(checked).toBe(shown);
    // None, then the first family, then of all rows the one of matMul.
    await page.focus('#all input');
    await press(page, 'Space');
    expect(await text(page, '#all')).toMatch(/ 0 of/);
    await press(page, 'Tab');
    await press(page, 'Space');
    expect(await text(page, '#all')).toMatch(/ 1 of/);
    await page.select('#budget', '100');
    await page.focus('#run');
    await press(page, 'Enter');
    await waitForText(page, '#doing', /^Done$/);
    expect(await text(page, '#rows th')).toBe('matMul 256×256×256 square');
    const widths = await page.$$eval('#rows .share > span', (all) =>
      all.map((bar) => bar.getBoundingClientRect().width / (bar.parentElement as HTMLElement).clientWidth),
    );
    expect(widths).toHaveLength(4);
    expect(Math.max(...widths)).toBeCloseTo(1, 1);
    expect(await text(page, '#rows .ratio')).toMatch(/^\d+\.\d\d×$/);
    await page.bringToFront();
    await page.click('#copy');
    await waitForText(page, '#doing', /^Copied$/);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/\| row \|.*Retrograd.*\|[\s\S]*\| matMul 256×256×256 square \| .*× \|/);
    // What a reader of the report needs to know of the device, and which kernels were chosen.
    expect(copied).toMatch(/Features: \w[\s\S]*Limits: .*maxComputeWorkgroupStorageSize \d+/);
    expect(copied).toMatch(/- matMul 256×256×256 square: `matMul .*`/);
    for (const width of [320, 768, 1600]) {
      await page.setViewport({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      // A table for screen readers, however it is laid out.
      expect(await page.$('::-p-aria(matMul 256×256×256 square[role="rowheader"])')).not.toBeNull();
      expect(await page.$('::-p-aria(jax-js[role="columnheader"])')).not.toBeNull();
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  test('what was weighed as it was built is a row, too; a run is stopped', async () => {
    const { page, errors } = await visit();
    await waitForText(page, '#adapter', /^Adapter/);
    await page.type('#filter', 'bundle');
    await page.click('#run');
    await waitForText(page, '#doing', /^Done$/);
    expect(await text(page, '#rows')).toMatch(/\d kB gzipped[\s\S]*no layers/);
    await page.$eval('#filter', (field) => {
      (field as HTMLInputElement).value = 'relu';
      field.dispatchEvent(new Event('input'));
    });
    await page.click('#run');
    await page.click('#stop');
    await waitForText(page, '#doing', /^Stopped$/);
    expect(await page.$$eval('#rows tr', (all) => all.length)).toBeLessThan(2);
    await page.click('#all input');
    await page.click('#run');
    expect(await text(page, '#doing')).toBe('No row is chosen.');
    expect(errors).toEqual([]);
    await page.close();
  });

  test('where it may not copy, it shows what to copy; without WebGPU, it says so', async () => {
    const { page, errors } = await visit(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await waitForText(page, '#adapter', /^Adapter/);
    await page.type('#filter', 'bundle');
    await page.click('#run');
    await waitForText(page, '#doing', /^Done$/);
    await page.click('#copy');
    expect(await page.$eval('#markdown', (area) => (area as HTMLTextAreaElement).value)).toMatch(/\| row \|/);
    const bare = await visit(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
    await waitForText(bare.page, '#adapter', /can’t start here: .*WebGPU/s);
    expect([...errors, ...bare.errors]).toEqual([]);
    for (const opened of [page, bare.page]) await opened.close();
  });
});

describe('from the command line', () => {
  const number = expect.any(Number);
  let bench: BenchBrowser;
  let browser: Browser;
  beforeAll(() => {
    const launch = async () => {
      browser = await launchBrowser();
      return browser;
    };
    bench = new BenchBrowser(launch, `${server.url}deep/bench/`);
  });
  afterAll(() => bench.close());

  test('a training step is checked, and a contender is left out with its reason', async () => {
    const [row] = await bench.list('MLP step');
    const found = (await bench.run(row!, { budget: 5, without: { tfjs: 'not asked' } })) as RowResult;
    expect(found).toMatchObject({ retrograd: number, peers: { tfjs: null, jaxjs: number, ort: null } });
    expect(found.notes).toEqual({ tfjs: 'not asked', ort: 'no gradients' });
  });

  test('a page that crashes costs the contender whose turn it was, and no other', async () => {
    const [row] = await bench.list('matMul 256×256×256');
    const opened = new Promise<Target>((resolve) => browser.once('targetcreated', resolve));
    const running = bench.run(row!, { budget: 5, without: { tfjs: 'not asked', ort: 'not asked' } });
    const page = (await (await opened).page())!;
    await page.waitForFunction(() => 'retrogradBench' in globalThis);
    await page.evaluate(() => {
      const place = globalThis as unknown as { turn?: string; benchStage: (...stage: string[]) => void };
      const tell = place.benchStage;
      place.benchStage = (...stage) => {
        place.turn = stage[0];
        tell(...stage);
      };
    });
    await page.waitForFunction(() => 'turn' in globalThis);
    const session = await page.createCDPSession();
    session.send('Page.crash').catch(() => {});
    const found = (await running) as RowResult;
    expect([found.retrograd, found.peers.jaxjs].filter((value) => value !== null)).toEqual([number]);
    expect(Object.values(found.notes)).toContainEqual(expect.stringMatching(/^failed: the page crashed/));
  });

  test('a cold start is measured on a separate page', async () => {
    expect(await bench.coldStart('retrograd')).toEqual({ library: 'retrograd', milliseconds: number });
  });
});
