// @ts-check
/**
 * @file `node scripts/site-pictures.mjs [NAME …]`: takes the pictures of the landing page and of the examples from the built site, light and dark: a
 * thumbnail of each page and program, the report of the inspector, and the picture that others show of a link. They are
 * committed; take them again when a page looks different.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { launchBrowser, openPage, serveFolder } from './lib/browser.mjs';
import { ROOT, runMain, SetupError } from './setup.mjs';

const FOLDER = path.join(ROOT, 'website', 'pictures');
const THUMBNAIL = { width: 640, height: 400 };
/** Of a WebP, in percent. */
const QUALITY = 60;
/** Software adapters are slow. */
const PATIENCE_MS = 240_000;

/**
 * @typedef {object} Shot
 * @property {string} place on the site
 * @property {string} selector what is photographed, from its upper left corner on
 * @property {RegExp} ready what `#status` says when there is something to see
 * @property {string} [press] what is clicked first
 * @property {number} [wait] milliseconds until there is more to see
 * @property {boolean} [draws] whether a digit is drawn first
 * @property {number} [zoom] pixels of the picture for one of the page
 * @property {{ width: number, height: number }} [size] of the picture; default: that of a thumbnail
 */

/** @param {string} name @param {Partial<Shot>} [shot] @returns {Shot} */
const program = (name, shot) => ({
  place: `playground/index.html#program=${name}`,
  selector: '#output',
  ready: /^(?:Done|Running)$/,
  wait: 20_000,
  ...shot,
});

/** @type {Record<string, Shot>} */
const SHOTS = {
  'webgpu-app': {
    place: 'webgpu-app/index.html',
    selector: '#stage',
    ready: /frames/,
    wait: 30_000,
    zoom: 0.66,
  },
  gpt: program('gpt', { selector: '.text-field', wait: 90_000 }),
  digits: program('digits', { selector: '.drawing', ready: /^Done$/, draws: true }),
  field: program('field', { selector: '.pictures', wait: 90_000 }),
  spirals: program('spirals', { selector: '.pictures', ready: /^Done$/ }),
  style: program('style', { selector: '.pictures', wait: 60_000 }),
  kernel: program('kernel', { selector: '.pictures', ready: /^Done$/, wait: 3000 }),
  inspect: program('inspect', { selector: '.report', ready: /^Done$/, wait: 3000, zoom: 1.1 }),
  report: program('inspect', {
    selector: '.report',
    ready: /^Done$/,
    wait: 3000,
    size: { width: 582, height: 780 },
  }),
  'null-gradient': program('null-gradient', { selector: '.words', ready: /^Done$/, wait: 500 }),
  line: program('line', { ready: /^Done$/, wait: 500 }),
  // The others print, or draw at once.
  ...Object.fromEntries(
    [
      ...[
        'tensors',
        'shape-error',
        'memory',
        'gather-index',
        'derivatives',
        'each-example',
        'text',
        'forecast',
      ],
      ...[
        'early-stopping',
        'learning-rates',
        'bars',
        'adapter',
        'frozen',
        'save-and-load',
        'compiled',
        'nan',
      ],
    ].map((name) => [name, program(name, { ready: /^Done$/, wait: 800, zoom: 0.9 })]),
  ),
  notebook: {
    place: 'notebook/index.html',
    selector: '#cell-reconstruct',
    ready: /(?:)/,
    wait: 60_000,
    zoom: 0.6,
  },
  'fine-tune': {
    place: 'fine-tune/index.html',
    selector: '#learn-title',
    press: '#learn:enabled',
    ready: /^Done: loss/,
    zoom: 0.6,
  },
  'super-resolution': {
    place: 'super-resolution/index.html',
    selector: '#pictures',
    press: '#learn:enabled',
    ready: /^Done: /,
    zoom: 0.45,
  },
  tagger: {
    place: 'tagger/index.html',
    selector: '#text',
    press: '#learn:enabled',
    ready: /^Done: /,
    zoom: 0.6,
  },
  'perceptual-loss': {
    place: 'perceptual-loss/index.html',
    selector: '#pictures',
    press: 'button[type=submit]',
    ready: /dB by perceptual/,
    zoom: 0.55,
  },
  'gather-three-ways': {
    place: 'gather-three-ways/index.html',
    selector: '#result',
    ready: /^Done/,
    zoom: 0.6,
  },
  check: { place: 'check/index.html', selector: 'main', ready: /^Ready/, zoom: 0.7 },
  vanilla: { place: 'vanilla/index.html', selector: 'main svg', press: '#train', ready: /Epoch 1[45]\d/ },
  bench: { place: 'bench/index.html', selector: '#controls', ready: /(?:)/, wait: 1000, zoom: 0.6 },
};

/** @typedef {{ browser: import('./lib/browser.mjs').Browser, url: string }} Studio */

/** @param {Studio} studio @param {string} name @param {Shot} shot */
async function photograph(
  { browser, url },
  name,
  { place, selector, ready, press, wait = 0, draws, zoom = 1, size = THUMBNAIL },
) {
  const { page } = await openPage(browser, url + place, {
    prepare: (fresh) => fresh.setViewport({ width: 1280, height: 1000 }),
  });
  page.setDefaultTimeout(PATIENCE_MS);
  if (press) await (await page.waitForSelector(press))?.click();
  await page.waitForSelector(selector);
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#status')?.textContent ?? ''),
    {},
    ready.source,
  );
  await new Promise((resolve) => setTimeout(resolve, wait));
  if (draws) await drawSeven(page);
  for (const theme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    const corner = await page.$eval(selector, (element) => {
      const { left, top } = element.getBoundingClientRect();
      return { x: Math.max(0, left + scrollX - 14), y: Math.max(0, top + scrollY - 14) };
    });
    await page.screenshot({
      path: path.join(FOLDER, `${name}-${theme}.webp`),
      type: 'webp',
      quality: QUALITY,
      captureBeyondViewport: true,
      clip: { ...corner, width: size.width / zoom, height: size.height / zoom, scale: zoom },
    });
  }
  await page.close();
}

/** Draws a 7 into the field of the program. @param {import('./lib/browser.mjs').Page} page */
async function drawSeven(page) {
  const field = await page.$eval('.drawing canvas', (canvas) => {
    canvas.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return { left, top, width, height };
  });
  const [first, ...rest] = [
    [0.3, 0.25],
    [0.7, 0.25],
    [0.45, 0.8],
  ].map(
    ([x = 0, y = 0]) => /** @type {const} */ ([field.left + x * field.width, field.top + y * field.height]),
  );
  if (!first) return;
  await page.mouse.move(...first);
  await page.mouse.down();
  for (const point of rest) await page.mouse.move(...point, { steps: 20 });
  await page.mouse.up();
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

/** The landing page's first screen, as a PNG, which every service takes. @param {Studio} studio */
async function photographPreview({ browser, url }) {
  const { page } = await openPage(browser, `${url}index.html`, {
    prepare: async (fresh) => {
      await fresh.setViewport({ width: 1200, height: 630 });
      await fresh.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    },
  });
  await page.waitForFunction(
    () => Number(/step (\d+)/.exec(document.querySelector('#status')?.textContent ?? '')?.[1]) > 300,
    { timeout: PATIENCE_MS },
  );
  await page.screenshot({ path: path.join(ROOT, 'website', 'frame', 'preview.png') });
  await page.close();
}

await runMain(async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  const known = [...Object.keys(SHOTS), 'preview'];
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new SetupError(`There is no picture ${unknown.join(', ')}. Pictures: ${known.join(', ')}.`);
  const server = await serveFolder(path.join(ROOT, 'site'));
  const browser = await launchBrowser({ canvases: true });
  const studio = { browser, url: server.url };
  try {
    for (const name of wanted) {
      process.stdout.write(`${name} …\n`);
      const shot = SHOTS[name];
      if (shot) await photograph(studio, name, shot);
      else await photographPreview(studio);
    }
  } finally {
    await browser.close();
    await server.close();
  }
});
