/** @file What `npm run build:pages` leaves in site/, as any static host serves it: below a path, and with nothing from elsewhere. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';
import { useBrowser } from '../support/browser.ts';
import { expectSoonInteractive } from '../support/interactive.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const chromium = useBrowser({ mounts: { '/some/folder/': path.join(root, 'site') }, canvases: true });
const at = (place: string) => `${chromium.url}some/folder/${place}`;

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-pages.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

/** The frame of every page, 1600 pixels wide: all begin at the same line. */
const frame = {
  brand: 160,
  search: 384,
  switch: 1440,
  heading: 160,
  height: expect.any(Number),
  footer: 160,
};

/** Of each page: what it shows once it works. */
const works: Record<string, { selector: string; words: RegExp; press?: string }> = {
  notebook: { selector: '#cell-adapter .state', words: /^done$/ },
  'fine-tune': { selector: '#status', words: /^Ready/ },
  'super-resolution': { selector: '#status', words: /^Ready/ },
  tagger: { selector: '#status', words: /^Ready/ },
  'perceptual-loss': { selector: '#status', words: /^Ready/ },
  'webgpu-app': { selector: '#status', words: /frames\/s/ },
  'gather-three-ways': { selector: '#status', words: /^Done/ },
  check: { selector: '#status', words: /^Ready to check \w/ },
  vanilla: { selector: '#status', words: /^Epoch \d/, press: '#train' },
  playground: { selector: '#status', words: /^Done$/ },
  bench: { selector: '#adapter', words: /^Adapter: \w/ },
};

/** Runs in the page: what its frame has, and where it begins. */
function frameOf() {
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
  return {
    brand: box('.site-header .brand')?.left,
    search: box('.site-header #search')?.width,
    switch: box('.site-header .theme')?.right,
    heading: box('h1')?.left,
    height: box('.site-header')?.height,
    footer: box('.site-footer p')?.left,
  };
}

/** Runs in the page: whether its heading is light, on a dark ground. */
function inkIsLight(): boolean {
  const { color } = getComputedStyle(document.querySelector('h1') as Element);
  return Number(/\d+/.exec(color)?.[0]) > 128;
}

test('the landing page names every page, and leads to it', async () => {
  const { page, errors } = await openPage(chromium.browser, at(''));
  const links = await page.$$eval('#pages > li', (all) =>
    all.map((item) => ({
      href: item.querySelector('a')?.getAttribute('href'),
      title: item.querySelector('h3 a')?.textContent ?? '',
      words: item.querySelector('p')?.textContent ?? '',
    })),
  );
  const names = Object.keys(works).filter((name) => name !== 'playground');
  expect(links.map(({ href }) => href)).toEqual(
    expect.arrayContaining(names.map((name) => `./${name}/index.html`)),
  );
  for (const { title, words } of links) expect([title.length, words.length]).not.toContain(0);
  expect(errors).toEqual([]);
  await page.close();
});

test.each(Object.entries(works))('%s works there, by itself', async (name, { selector, words, press }) => {
  const elsewhere: string[] = [];
  const { page, errors } = await openPage(chromium.browser, at(`${name}/`), {
    prepare: async (fresh) => {
      fresh.on('request', (request) => {
        const own =
          [`${name}/`, 'assets/', 'favicon.svg'].some((part) => request.url().startsWith(at(part))) ||
          /^(data|blob):/.test(request.url());
        if (!own) elsewhere.push(request.url());
      });
    },
  });
  if (press) await page.click(press);
  await page.waitForFunction(
    (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent ?? ''),
    { timeout: 120_000 },
    selector,
    words.source,
  );
  await expectSoonInteractive(page);
  for (const [width, value] of [
    [320, 'light'],
    [1600, 'dark'],
  ] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await page.setViewport({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await page.evaluate(inkIsLight)).toBe(value === 'dark');
  }
  expect(await page.evaluate(frameOf)).toEqual(frame);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

test('the check of the GPU reports its variants, and can be stopped', async () => {
  const { page, errors } = await openPage(chromium.browser, at('check/?only=^(transpose|pool)$'));
  const waitForText = (words: RegExp) =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector('#status')?.textContent ?? ''),
      {},
      words.source,
    );
  await waitForText(/^Ready/);
  await page.click('#start');
  await waitForText(/^Done: all 2 variants are right/);
  expect(await page.$$eval('tr[data-status]', (rows) => rows.map((row) => row.textContent))).toEqual([
    expect.stringMatching(/^transposeright2/),
    expect.stringMatching(/^poolright5/),
  ]);
  expect(await page.$eval('#download', (button) => (button as HTMLElement).hidden)).toBe(false);
  // In one task: the pipelines are there now, so that the run may end before a second command of the test arrives.
  await page.evaluate(() => {
    for (const name of ['start', 'stop']) document.querySelector<HTMLButtonElement>(`#${name}`)?.click();
  });
  await waitForText(/^(Stopped|Done)/);
  expect(errors).toEqual([]);
  await page.close();
});

test('where the kernels of the library are not served, init says so; once they are, init works', async () => {
  let served = false;
  const { page } = await openPage(chromium.browser, at('vanilla/'), {
    prepare: async (fresh) => {
      await fresh.setRequestInterception(true);
      fresh.on('request', (request) => {
        const isPart = /\/chunks\/[^/]*coreKernels-[^/]*\.js$/.test(request.url());
        return isPart && !served ? request.abort() : request.continue();
      });
    },
  });
  // As text: the test runner would rewrite the import.
  const start = () =>
    page.evaluate(`(async () => {
      const { init, matMul } = await import('${at('vanilla/retrograd/index.js')}');
      try {
        await init();
        return [...(await matMul([[2]], [[3]]).data())];
      } catch (error) {
        return error.message;
      }
    })()`);
  expect(await start()).toMatch(/^init\(\) loads the kernels by import[\s\S]*serve all files/);
  served = true;
  expect(await start()).toEqual([6]);
  await page.close();
});

test('the switch of light and dark is followed by all pages, and remembered until it is what the system has', async () => {
  const prepare = (fresh: Page) =>
    fresh.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  const { page, errors } = await openPage(chromium.browser, at('vanilla/'), { prepare });
  const pressed = () => page.$eval('.theme', (button) => button.getAttribute('aria-pressed'));
  expect([await page.evaluate(inkIsLight), await pressed()]).toEqual([false, 'false']);
  await page.click('.theme');
  expect([await page.evaluate(inkIsLight), await pressed()]).toEqual([true, 'true']);
  await page.goto(at('guide/start.html'));
  expect([await page.evaluate(inkIsLight), await pressed()]).toEqual([true, 'true']);
  await page.click('.theme');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.waitForFunction(() => document.querySelector('.theme')?.getAttribute('aria-pressed') === 'true');
  expect([await page.evaluate(inkIsLight), await pressed()]).toEqual([true, 'true']);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(errors).toEqual([]);
  await page.close();
});

test('pages of their own can be searched, and a slash in a program stays there', async () => {
  const { page, errors } = await openPage(chromium.browser, at('playground/'));
  await page.waitForFunction(() =>
    document.querySelector('#editor')?.shadowRoot?.querySelector('.cm-content'),
  );
  await page.evaluate(() =>
    document.querySelector('#editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')?.focus(),
  );
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('editor');
  await page.focus('#search');
  await page.keyboard.type('gather');
  await page.waitForFunction(
    () => document.querySelector('#found [aria-selected="true"] strong')?.textContent === 'gather',
  );
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  expect(page.url()).toBe(at('reference/gather.html'));
  expect(errors).toEqual([]);
  await page.close();
});

test('code is copied by a button', async () => {
  const { page, errors } = await openPage(chromium.browser, at('guide/start.html'));
  await chromium.browser
    .defaultBrowserContext()
    .overridePermissions(new URL(chromium.url).origin, ['clipboard-read', 'clipboard-sanitized-write']);
  await page.hover('figure.code');
  await page.click('figure.code .copy');
  await page.waitForFunction(() => document.querySelector('.copy')?.textContent === 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/npm install retrograd/);
  expect(errors).toEqual([]);
  await page.close();
});
