/** @file The pages of examples/webgpu-app and examples/vanilla as a visitor has them, in Chromium and in Firefox. */
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { openPage } from '../../scripts/lib/browser.mjs';
import { type BrowserFixture, useBrowser } from '../support/browser.ts';
import { buildExamplePage } from '../support/examplePages.ts';

const mounts = {
  '/webgpu-app/': await buildExamplePage('webgpu-app'),
  // As a host that serves the repository after `npm run build`.
  '/examples/vanilla/': 'examples/vanilla',
  '/dist/': 'dist',
};

type Opened = Awaited<ReturnType<typeof openPage>>;
type Page = Opened['page'];

/** `before` runs in the page before its own scripts. */
async function visit(browser: BrowserFixture, path: string, before?: () => void): Promise<Opened> {
  return openPage(browser.browser, new URL(path, browser.url).href, {
    prepare: async (page) => {
      await page.setViewport({ width: 800, height: 900 });
      if (before) await page.evaluateOnNewDocument(before);
    },
  });
}

const status = (page: Page) => page.$eval('#status', (line) => line.textContent ?? '');

async function waitForText(page: Page, words: RegExp): Promise<string> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#status')?.textContent ?? ''),
    { timeout: 120_000 },
    words.source,
  );
  return status(page);
}

/** What webgpu-app says when it is paused. */
async function pausedLosses(page: Page): Promise<{ first: number; last: number }> {
  const said = /a loss of (\S+), from (\S+) \d+ frames ago/.exec(await waitForText(page, /^Paused/)) ?? [];
  return { last: Number(said[1]), first: Number(said[2]) };
}

/** Looks every few seconds, and leaves the page paused. The time limit is the test's. */
async function untilLossHalved(page: Page): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await page.click('#pause');
    const { first, last } = await pausedLosses(page);
    if (last < first / 2) return;
    await page.click('#pause');
  }
}

/** How many different colours a screenshot of `selector` shows. */
async function colours(page: Page, selector: string): Promise<number> {
  const shot = await (await page.waitForSelector(selector))?.screenshot();
  const { data } = PNG.sync.read(Buffer.from(shot as Uint8Array));
  return new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4)).size;
}

const withoutGpu = () => Object.defineProperty(navigator, 'gpu', { value: undefined });
const withoutAdapter = () =>
  Object.defineProperty(navigator, 'gpu', { value: { requestAdapter: async () => null } });

const lossOf = (text: string) => Number(/loss(?: of)? (\d+\.\d+)/.exec(text)?.[1]);

async function trainsVanilla(browser: BrowserFixture): Promise<void> {
  const { page, errors } = await visit(browser, '/examples/vanilla/');
  await page.click('#train');
  const first = lossOf(await waitForText(page, /Epoch \d+ of 150/));
  const last = lossOf(await waitForText(page, /Epoch 150 of 150/));
  expect(last).toBeLessThan(first / 5);
  const [points, epochs] = await page.evaluate(() =>
    ['#fit', '#loss'].map((id) => document.querySelector<SVGPolylineElement>(id)?.points.numberOfItems),
  );
  expect([points, epochs]).toEqual([96, 150]);
  expect(errors).toEqual([]);
  await page.close();
}

describe('in Chromium', () => {
  const chromium = useBrowser({ mounts, canvases: true });
  // Draws nothing by WebGPU, and so needs no page composited by the software adapter.
  const plain = useBrowser({ mounts });

  test('webgpu-app: the lights follow the scene, the canvases change, and pausing reads one loss', async () => {
    const { page, errors } = await visit(chromium, '/webgpu-app/');
    await waitForText(page, /frames\/s/);
    await untilLossHalved(page);
    for (const canvas of ['#scene', '#seen']) expect(await colours(page, canvas)).toBeGreaterThan(500);
    expect(await colours(page, '#curve')).toBeGreaterThan(5);
    expect(errors).toEqual([]);
    await page.close();
  });

  test('webgpu-app: every control does what it says', async () => {
    const { page, errors } = await visit(chromium, '/webgpu-app/');
    const shot = async (id: string) =>
      Buffer.from((await (await page.$(id))?.screenshot()) as Uint8Array).toString('base64');
    const drawn = () => new Promise((resolve) => setTimeout(resolve, 1500));
    await waitForText(page, /frames\/s/);
    await page.click('#pause');
    await waitForText(page, /^Paused/);
    const still = await shot('#seen');
    expect(await shot('#seen')).toBe(still);
    await page.click('#pause');
    await waitForText(page, /frames\/s/);
    expect(await shot('#seen')).not.toBe(still);
    await page.focus('#scene');
    const before = await shot('#scene');
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft');
    await drawn();
    expect(await shot('#scene')).not.toBe(before);
    await page.click('#rings');
    await page.focus('#rate');
    await page.keyboard.press('Home');
    await page.click('#scatter');
    await drawn();
    await page.click('#pause');
    expect((await pausedLosses(page)).first).toBeGreaterThan(0.05);
    expect(errors).toEqual([]);
    await page.close();
  });

  test('vanilla: a press trains, and the curves are drawn', () => trainsVanilla(plain));

  test.each(['/webgpu-app/', '/examples/vanilla/'])('%s fits every width, light and dark', async (path) => {
    const { page, errors } = await visit(chromium, path);
    for (const [width, value] of [
      [320, 'dark'],
      [768, 'light'],
      [1600, 'dark'],
    ] as const) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const [ink, ground] = await page.evaluate(() =>
        ['color', 'backgroundColor'].map((name) => {
          const style = getComputedStyle(document.documentElement) as unknown as Record<string, string>;
          return Number(/\d+/.exec(style[name] ?? '')?.[0]);
        }),
      );
      expect((ink as number) > (ground as number)).toBe(value === 'dark');
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  test('where there is no WebGPU, or no adapter, they say so in plain words', async () => {
    const bare = await visit(chromium, '/webgpu-app/', withoutGpu);
    await waitForText(bare.page, /^This browser has no WebGPU/);
    const idle = await visit(chromium, '/webgpu-app/', withoutAdapter);
    await waitForText(idle.page, /found no graphics adapter/);
    const vanilla = await visit(chromium, '/examples/vanilla/', withoutGpu);
    await vanilla.page.click('#train');
    await waitForText(vanilla.page, /^This browser has no WebGPU/);
    for (const { page, errors } of [bare, idle, vanilla]) {
      expect(errors).toEqual([]);
      await page.close();
    }
  });
});

describe('in Firefox', () => {
  const firefox = useBrowser({ mounts, browser: 'firefox' });

  test('vanilla: a press trains, and the curves are drawn', () => trainsVanilla(firefox));

  test('webgpu-app: the loss falls', async () => {
    const { page, errors } = await visit(firefox, '/webgpu-app/');
    await waitForText(page, /frames\/s/);
    await untilLossHalved(page);
    expect(errors).toEqual([]);
    await page.close();
  });
});
