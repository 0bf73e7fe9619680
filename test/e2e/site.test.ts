/** @file What `npm run build:pages` leaves in site/, as any static host serves it: below a path, and with nothing from elsewhere. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { openPage } from '../../scripts/lib/browser.mjs';
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

/** Of each page: what it shows once it works. */
const works: Record<string, { selector: string; words: RegExp; press?: string }> = {
  notebook: { selector: '#cell-adapter .state', words: /^done$/ },
  'perceptual-loss': { selector: '#status', words: /^Ready/ },
  'webgpu-app': { selector: '#status', words: /frames\/s/ },
  'gather-three-ways': { selector: '#status', words: /^Done/ },
  check: { selector: '#status', words: /^Ready to check \w/ },
  vanilla: { selector: '#status', words: /^Epoch \d/, press: '#train' },
  playground: { selector: '#status', words: /^Done$/ },
  bench: { selector: '#adapter', words: /^Adapter: \w/ },
};

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
      title: item.querySelector('a')?.textContent ?? '',
      words: item.querySelector('p')?.textContent ?? '',
    })),
  );
  expect(links.map(({ href }) => href)).toEqual(Object.keys(works).map((name) => `./${name}/index.html`));
  for (const { title, words } of links) expect([title.length, words.length]).not.toContain(0);
  expect(errors).toEqual([]);
  await page.close();
});

test.each(Object.entries(works))('%s works there, by itself', async (name, { selector, words, press }) => {
  const elsewhere: string[] = [];
  const { page, errors } = await openPage(chromium.browser, at(`${name}/`), {
    prepare: async (fresh) => {
      fresh.on('request', (request) => {
        const own = request.url().startsWith(at(`${name}/`)) || /^(data|blob):/.test(request.url());
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
        const isPart = /\/chunks\/coreKernels-[^/]*\.js$/.test(request.url());
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
