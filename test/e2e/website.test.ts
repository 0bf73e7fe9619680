/** @file The site as a visitor has it: the landing page trains, search finds, links lead somewhere, every page can be read. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { buildLibrary, buildPage, buildWebsite, pages } from '../../scripts/lib/pages.mjs';
import { type Entry, searchIn } from '../../website/searchRank.ts';
import { accessibilityFaults } from '../support/accessibility.ts';
import { useBrowser } from '../support/browser.ts';
import { asked, ofExperts, heldBack, ofNewcomers, ofOthers, type Question } from '../website/questions.ts';
import { expectSoonInteractive } from '../support/interactive.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const site = path.join(root, 'site');
const chromium = useBrowser({ mounts: { '/some/folder/': site } });
const at = (place: string) => `${chromium.url}some/folder/${place}`;

beforeAll(() => {
  buildLibrary({}, () => {});
  for (const { name } of pages) buildPage(name, {}, () => {});
  buildWebsite({}, () => {});
});

/** One page of each kind, and those with the widest content. */
const kinds = [
  'guide/start.html',
  'guide/training.html',
  'examples.html',
  'ports/grad_cam.html',
  'reference/index.html',
  'reference/all-ops.html',
  'reference/gather.html',
  'reference/tensor.html',
  'reference/keras.layers.dense.html',
];

/** All pages that are generated, relative to the site. */
const generated = () =>
  ['guide', 'ports', 'reference', 'decisions', 'figures', '.'].flatMap((folder) =>
    fs
      .readdirSync(path.join(site, folder))
      .filter((file) => file.endsWith('.html'))
      .map((file) => path.posix.join(folder, file)),
  );

/** Runs in the page: at how many heights the links of the navigation stand, in a wide font. */
function linesOfNavigation(): number {
  const sections = document.querySelector('.site-nav .sections') as HTMLElement;
  sections.style.letterSpacing = '3px';
  const lines = new Set([...sections.children].map((link) => link.getBoundingClientRect().top)).size;
  sections.style.letterSpacing = '';
  return lines;
}

/** Runs in the page: pixels of the navigation that have no room in their line. */
function hiddenNavigation(): number {
  const sections = document.querySelector('.site-nav .sections') as HTMLElement;
  return sections.scrollWidth - sections.clientWidth;
}

/** As in a browser without WebGPU. */
const withoutGpu = (page: Page) =>
  page.evaluateOnNewDocument(() => void Reflect.deleteProperty(Navigator.prototype, 'gpu'));

const textOf = (page: string) => fs.readFileSync(path.join(site, page), 'utf8');

test('no link is dead', () => {
  const all = generated();
  expect(all.length).toBeGreaterThan(900);
  const ids = new Map(
    all.map((page) => [page, new Set([...textOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = all.flatMap((page) =>
    [...textOf(page).matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, link = '']) => {
      if (/^(?:data|https?):/.test(link)) return [];
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? page : path.posix.join(path.posix.dirname(page), target);
      const isThere = fs.existsSync(path.join(site, file));
      const isNamed = !anchor || !ids.has(file) || ids.get(file)?.has(anchor);
      return isThere && isNamed ? [] : [`${page}: ${link}`];
    }),
  );
  expect(dead).toEqual([]);
});

test('every page has the icon, and what others show of a link to it', () => {
  const bare = generated().filter((page) => {
    const text = textOf(page);
    return ['favicon.svg', 'og:title', 'og:description', 'preview.png'].some((part) => !text.includes(part));
  });
  expect(bare).toEqual([]);
});

test('every page has a description', () => {
  const described = generated().map((page) => [
    page,
    /<meta name="description" content="([^"]*)"/.exec(textOf(page))?.[1] ?? '',
  ]);
  expect(described.filter(([, words = '']) => /^(?:$|#|&lt;|\| )/.test(words))).toEqual([]);
});

test('every op shows its gradients, its kernels and its dtypes', () => {
  const facts = Object.entries(JSON.parse(fs.readFileSync(path.join(root, 'docs/op-facts.json'), 'utf8')));
  expect(facts.length).toBeGreaterThan(150);
  const missing = facts.filter(([op]) => {
    const text = textOf(`reference/${op.toLowerCase()}.html`);
    return !['Second gradient', 'Kernels', 'Dtypes'].every((label) => text.includes(label));
  });
  expect(missing.map(([op]) => op)).toEqual([]);
});

test('a program of the landing page is changed and run there, and nothing of it is loaded before', async () => {
  const asked: string[] = [];
  const { page, errors } = await openPage(chromium.browser, at('index.html'), {
    prepare: async (fresh) => {
      await fresh.setViewport({ width: 1280, height: 900 });
      fresh.on('request', (request) => void asked.push(request.url()));
    },
  });
  page.setDefaultTimeout(120_000);
  expect(await page.$eval('.try pre', (code) => code.textContent)).toMatch(/Points near the line/);
  expect(asked.filter((url) => url.includes('/playground/'))).toEqual([]);
  await page.click('#edit');
  const frame = await (await page.waitForSelector('.try iframe'))?.contentFrame();
  const done = () =>
    frame?.waitForFunction(() => document.querySelector('#status')?.textContent === 'Done', { polling: 50 });
  await done();
  expect(await frame?.$eval('#output', (output) => output.textContent)).toMatch(/weight/);
  expect(
    await frame?.$$eval('.site-header', (all) => all.map((header) => getComputedStyle(header).display)),
  ).toEqual(['none']);
  await frame?.waitForFunction(() =>
    document.querySelector('#editor')?.shadowRoot?.querySelector('.cm-content'),
  );
  await frame?.evaluate(() =>
    document.querySelector('#editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')?.focus(),
  );
  await page.keyboard.type("console.log('changed by hand');\n");
  await frame?.click('#run');
  await frame?.waitForFunction(
    () => document.querySelector('#output')?.textContent?.includes('changed by hand'),
    { polling: 50 },
  );
  expect(errors).toEqual([]);
  await page.close();
});

test('every demo has a picture on the page of examples', async () => {
  const { page, errors } = await openPage(chromium.browser, at('examples.html'));
  const shots = await page.$$eval('.gallery > li', (items) =>
    items.map((item) => [...item.querySelectorAll('img')].map((image) => image.getAttribute('src') ?? '')),
  );
  expect(shots.length).toBeGreaterThan(30);
  for (const shot of shots.flat()) expect(fs.existsSync(path.join(site, shot)), shot).toBe(true);
  expect(errors).toEqual([]);
  await page.close();
});

test('the landing page trains at once, without a click', async () => {
  const { page, errors } = await openPage(chromium.browser, at('index.html'));
  await page.waitForFunction(
    () => /step \d+ of \d+, \d/.test(document.querySelector('#status')?.textContent ?? ''),
    {
      timeout: 60_000,
    },
  );
  const step = () => page.$eval('#status', (line) => Number(/step (\d+)/.exec(line.textContent ?? '')?.[1]));
  const first = await step();
  await page.waitForFunction(
    (before) => Number(/step (\d+)/.exec(document.querySelector('#status')?.textContent ?? '')?.[1]) > before,
    { timeout: 60_000 },
    first,
  );
  await page.click('#pause');
  expect(await page.$eval('#pause', (button) => button.textContent)).toBe('Continue');
  expect(errors).toEqual([]);
  await page.close();
});

test('the landing page waits for visitors who want no motion', async () => {
  const { page, errors } = await openPage(chromium.browser, at('index.html'), {
    prepare: (fresh) => fresh.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]),
  });
  const says = (words: string) =>
    page.waitForFunction(
      (text) => document.querySelector('#status')?.textContent?.includes(text),
      { timeout: 60_000 },
      words,
    );
  await says('Ready to train');
  await page.click('#pause');
  await says('step ');
  expect(errors).toEqual([]);
  await page.close();
});

test('at 320 pixels, the first screen says what the library is', async () => {
  const { page } = await openPage(chromium.browser, at('index.html'), {
    prepare: async (fresh) => {
      await fresh.setViewport({ width: 320, height: 568 });
      await withoutGpu(fresh);
    },
  });
  const bottom = (selector: string) =>
    page.$eval(selector, (element) => element.getBoundingClientRect().bottom);
  expect(await bottom('h1')).toBeLessThan(568);
  expect(await bottom('.lead')).toBeLessThan(568);
  await page.close();
});

test('every picture of the landing page is there, and small', () => {
  const named = [...textOf('index.html').matchAll(/src="\.\/([^"]+\.webp)"/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(20);
  const large = named.filter((file) => fs.statSync(path.join(site, file)).size > 60_000);
  expect(large).toEqual([]);
});

test('without WebGPU the landing page says so in words, and has all the rest', async () => {
  const { page, errors } = await openPage(chromium.browser, at('index.html'), {
    prepare: withoutGpu,
  });
  await page.waitForFunction(() =>
    /has no WebGPU/.test(document.querySelector('#status')?.textContent ?? ''),
  );
  const words = await page.$eval('main', (main) => main.innerText);
  expect(words).toMatch(/npm install retrograd/);
  expect(words).toMatch(/made by layer 'words'[\s\S]*hint: clamp[\s\S]*disconnected at tensor/);
  expect(words).toMatch(
    /Convolutions\s+\d\.\d×[\s\S]*as the fastest of TF\.js[\s\S]*NVIDIA [^,]+, \d+ \w+ \d{4}/,
  );
  expect(errors).toEqual([]);
  await page.close();
});

test('a new user trains a model within five minutes: from the landing page, without installing anything', async () => {
  const start = performance.now();
  const { page, errors } = await openPage(chromium.browser, at('index.html'));
  const follow = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
  await follow('.actions .primary');
  expect(page.url()).toBe(at('guide/start.html'));
  await follow('figure.code .run a');
  await page.waitForFunction(() =>
    /Read it, then run it/.test(document.querySelector('#status')?.textContent ?? ''),
  );
  await page.click('#run');
  await page.waitForFunction(() => document.querySelector('#status')?.textContent === 'Done', {
    timeout: 60_000,
  });
  const printed = await page.$eval('#output', (output) => (output as HTMLElement).innerText);
  const [, accuracy] = /accuracy (\S+)/.exec(printed) ?? [];
  expect(Number(accuracy)).toBeGreaterThan(0.8);
  expect(performance.now() - start).toBeLessThan(5 * 60_000);
  expect(errors).toEqual([]);
  await page.close();
});

test('search answers ordinary questions in its first three entries', () => {
  const entries: Entry[] = JSON.parse(textOf('assets/search.json'));
  const search = searchIn(entries);
  const missed = (questions: readonly Question[]) =>
    questions
      .filter(
        ([query, answers]) =>
          !search(query)
            .slice(0, 3)
            .some(([, , place]) => answers.test(place)),
      )
      .map(([query]) => query);
  expect(asked.length - missed(asked).length, missed(asked).join(', ')).toBeGreaterThanOrEqual(42);
  const share = (questions: readonly Question[]) => 1 - missed(questions).length / questions.length;
  expect(share(heldBack), missed(heldBack).join(', ')).toBeGreaterThanOrEqual(0.9);
  expect(share(ofNewcomers), missed(ofNewcomers).join(', ')).toBeGreaterThanOrEqual(0.9);
  expect(share(ofOthers), missed(ofOthers).join(', ')).toBeGreaterThanOrEqual(0.8);
  expect(share(ofExperts), missed(ofExperts).join(', ')).toBeGreaterThanOrEqual(0.9);
});

test('the index of the search is small, and has no records of decisions', () => {
  const text = textOf('assets/search.json');
  expect(gzipSync(text).length).toBeLessThan(200_000);
  const entries: Entry[] = JSON.parse(text);
  expect(entries.filter(([, , place]) => /^(?:decisions|figures)\//.test(place))).toEqual([]);
});

test('search finds any function within two clicks, from the landing page', async () => {
  // Every page of the reference is among the dozen that its name finds.
  const entries: Entry[] = JSON.parse(textOf('assets/search.json'));
  const exported = entries.filter(([, kind]) => kind.startsWith('retrograd'));
  expect(exported.length).toBeGreaterThan(800);
  const search = searchIn(entries);
  const lost = exported.filter(([title, , place]) => {
    const name = (title.split('.').at(-1) ?? '').toLowerCase();
    return !search(name).some(([, , found]) => found === place);
  });
  expect(lost.map(([title]) => title)).toEqual([]);

  const { page, errors } = await openPage(chromium.browser, at('index.html'), { prepare: withoutGpu });
  await page.click('#search');
  for (const [query, title] of [
    ['gather', 'gather'],
    ['dense', 'layers.dense'],
    ['matmul', 'matMul'],
    // As people who know Keras, TF.js or PyTorch write them.
    ['Conv2D', 'layers.conv2d'],
    ['layers.Dense', 'layers.dense'],
    ['model.fit', 'Model.fit'],
    ['keras_history', 'KerasHistory'],
    ['GradientTape', 'GradientTape'],
    ['tf.tidy', 'tidy'],
    ['nn.Linear', 'nn.Linear'],
    ['loss.backward()', 'loss.backward'],
    ['requires_grad', 'x.requires_grad_'],
    ['optimizer.step', 'optimizer.step'],
    // Questions, whose answers no name has.
    ['freeze layers', 'Freeze layers, fine-tune a model'],
    ['mixed precision', 'Train in float16'],
    ['clipping gradients', 'Clip gradients'],
    ['autoencoder', 'An autoencoder'],
    ['tf.losses.softmaxCrossEntropy', 'tf.losses.softmaxCrossEntropy'],
    ['license', 'License'],
    ['MIT licence', 'License'],
    ['earlystopping', 'callbacks.earlyStopping'],
  ] as const) {
    await page.$eval('#search', (field) => {
      (field as HTMLInputElement).value = '';
    });
    await page.type('#search', query);
    await page.waitForFunction(
      (name) => document.querySelector('#found [aria-selected="true"] strong')?.textContent === name,
      { timeout: 10_000 },
      title,
    );
  }
  await Promise.all([page.waitForNavigation(), page.click('#found [aria-selected="true"] a')]);
  expect(page.url()).toBe(at('reference/keras.callbacks.earlystopping.html'));
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('search');
  expect(errors).toEqual([]);
  await page.close();
});

describe.each(['index.html', ...kinds])('%s', (place) => {
  test('fits every width, and passes the checks of accessibility, light and dark', async () => {
    const { page, errors } = await openPage(chromium.browser, at(place), {
      prepare: async (fresh) => {
        await fresh.setViewport({ width: 320, height: 700 });
        // The landing page is looked at as it stands without a GPU: its cell has a test of its own.
        await withoutGpu(fresh);
      },
    });
    await expectSoonInteractive(page);
    for (const [width, value] of [
      [320, 'light'],
      [1600, 'dark'],
    ] as const) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await page.setViewport({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await page.evaluate(linesOfNavigation)).toBe(1);
      expect(await page.evaluate(hiddenNavigation)).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    expect(errors).toEqual([]);
    await page.close();
  });
});
