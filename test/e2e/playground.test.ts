/**
 * @file The playground as a visitor has it, under its Content-Security-Policy as a header: it runs programs, completes names from the
 * types, names the line of an error, and shares a program by its address alone.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElementHandle } from 'puppeteer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Browser,
  launchBrowser,
  openPage,
  type Page,
  type StaticServer,
  serveFolder,
} from '../../scripts/lib/browser.mjs';
import { buildLibrary, buildPage } from '../../scripts/lib/pages.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';
import { expectSoonInteractive } from '../support/interactive.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const policy =
  "default-src 'none'; script-src 'self' blob:; worker-src 'self' blob:; connect-src 'self'; style-src 'self'; img-src 'self' data:";

let server: StaticServer;
let browser: Browser;
let page: Page;
let errors: string[];
const requests: string[] = [];

beforeAll(async () => {
  buildLibrary({}, () => {});
  buildPage('playground', {}, () => {});
  server = await serveFolder(null, {
    mounts: { '/a/': path.join(root, 'site') },
    headers: { 'Content-Security-Policy': policy },
  });
  browser = await launchBrowser({
    args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  });
  ({ page, errors } = await openPage(browser, `${server.url}a/playground/`, {
    prepare: async (fresh) => {
      fresh.on('request', (request) => void requests.push(request.url()));
      await fresh.setViewport({ width: 1280, height: 900 });
    },
  }));
  page.setDefaultTimeout(120_000);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const waitForText = (selector: string, words: RegExp) =>
  page.waitForFunction(
    (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent ?? ''),
    {},
    selector,
    words.source,
  );

/** An element of the editor's shadow root, once it is there. */
async function inEditor(selector: string): Promise<ElementHandle<HTMLElement>> {
  const found = await page.waitForFunction(
    (place) => document.querySelector('#editor')?.shadowRoot?.querySelector<HTMLElement>(place) ?? null,
    {},
    selector,
  );
  const element = found.asElement();
  if (!element) throw new Error(`the editor lacks ${selector}`);
  return element as ElementHandle<HTMLElement>;
}

/** Replaces the program, as a paste over all of it does. */
async function write(source: string): Promise<void> {
  const content = await inEditor('.cm-content');
  await content.focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await content.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, source);
  await page.waitForFunction(
    (text) =>
      document
        .querySelector('#editor')
        ?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
        ?.innerText.trimEnd()
        .endsWith(text),
    {},
    source.trimEnd().split('\n').at(-1) ?? '',
  );
}

async function run(): Promise<void> {
  await page.keyboard.down('Shift');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Shift');
}

test('the first program runs when the page opens, and draws a plot and a table', async () => {
  await waitForText('.shown .state', /^Done$/);
  expect(await page.$eval('#output .curves', (plot) => plot.querySelectorAll('path').length)).toBeGreaterThan(
    0,
  );
  await waitForText('#output table', /weight[\s\S]*(?:2\.9|3\.0)/);
  await expectSoonInteractive(page);
});

test('names are completed from the types, with their docstrings', async () => {
  await write("import { layers } from 'retrograd/keras';\nlayers.sepa");
  await page.keyboard.down('Control');
  await page.keyboard.press(' ');
  await page.keyboard.up('Control');
  const first = await inEditor('.cm-tooltip-autocomplete li[aria-selected]');
  expect(await first.evaluate((item) => item.textContent)).toMatch(/separableConv/);
  const words = await inEditor('.documentation');
  expect(await words.evaluate((box) => box.textContent)).toMatch(/separableConv\w+\(options/);
  await page.keyboard.press('Escape');
});

test('a factory is completed with a call of named parameters and the documentation of its layer', async () => {
  await write("import { layers } from 'retrograd/keras';\nlayers.dense");
  await page.keyboard.down('Control');
  await page.keyboard.press(' ');
  await page.keyboard.up('Control');
  const words = await (await inEditor('.documentation')).evaluate((box) => box.textContent);
  expect(words).toMatch(/dense\(options: (?:layers\.)?DenseOptions\): (?:layers\.)?Dense/);
  expect(words).toMatch(/fully connected layer/);
  await page.keyboard.press('Escape');
});

test('types are checked, and taken away for the browser; an error has the line of the program', async () => {
  await write(`import { init, matMul, type Tensor } from 'retrograd';

interface Pair {
  a: Tensor;
}
await init();
console.log('values', new Float32Array([0.1, 2]));
const wrong: number = 'words';
matMul([[1, 2]], [[1, 2]]);`);
  await run();
  await waitForText('#fault', /ShapeError \(line 9\)/);
  await waitForText('#output', /values Float32Array \[0\.1, 2\]/);
  const mark = await inEditor('.cm-lintRange-error');
  expect(await mark.evaluate((range) => range.textContent)).toBe('wrong');
});

test('a program with a syntax error does not run, and its line is named', async () => {
  await write(
    "import { text } from 'playground';\ntext('ran');\nconst broken = (1;\n// end of the broken one",
  );
  await run();
  await waitForText('#fault', /SyntaxError \(line 3\)/);
  expect(await page.$eval('#output', (output) => output.textContent)).toBe('');
});

test('a promise that nobody awaits is shown, and so is why it failed; a name that a module lacks', async () => {
  await write(
    "import { init, tensor } from 'retrograd';\nawait init();\nconsole.log('item', tensor([1, 2]).item());",
  );
  await run();
  await waitForText('#output', /item a promise: await it/);
  await waitForText('#fault', /ShapeError[\s\S]*exactly one element/);
  await write("import { layer } from 'retrograd/keras';\nconsole.log(layer);\n// end of the wrong name");
  await run();
  await waitForText('#fault', /SyntaxError[\s\S]*'retrograd\/keras'[\s\S]*'layer'/);
});

test('a program without init learns that it needs one', async () => {
  await write("import { ones } from 'retrograd';\nones([2]);\n// end without init");
  await run();
  await waitForText('#fault', /needs `await init\(\)` first/);
});

test('logs show the values of tensors, tables, and the progress of fit', async () => {
  await write(`import { init, ones, tensor } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';
await init();
console.log('weights', tensor([[1, 2], [3, 4]]));
console.table([{ name: 'a', loss: 0.5 }]);
const net = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
net.compile({ optimizer: 'sgd', loss: 'mse' });
await net.fit(ones([8, 2]), ones([8, 1]), { epochs: 2, batchSize: 4 });
// end of the logs`);
  await run();
  await waitForText('.shown .state', /^Done$/);
  const printed = await page.$eval('#output', (output) => (output as HTMLElement).innerText);
  expect(printed).toMatch(
    /weights float32\[2, 2\] \[\[1, 2\], \[3, 4\]\][\s\S]*name\s+loss\s+0\s+a\s+0\.5[\s\S]*Epoch 2\/2\s+2\/2 .*loss: /,
  );
});

test('a program is done when all of its output is to be seen', async () => {
  await write(`import { init, tensor, square } from 'retrograd';
import { inspect } from 'retrograd/inspect';
import { curves, report } from 'playground';
await init();
report(await inspect(() => square(tensor([1, 2]))));
curves([{ name: 'error', points: [[1, 1], [2, 0.5]] }], { axis: 'epoch' });
console.log('last words');`);
  await page.evaluate(() => {
    const status = document.querySelector('#status') as HTMLElement;
    const look = new MutationObserver(() => {
      if (status.textContent !== 'Done') return;
      look.disconnect();
      const output = document.querySelector('#output') as HTMLElement;
      const report = output.querySelector('.report')?.firstElementChild;
      const plot = output.querySelector('.curves svg');
      const log = output.querySelector('[data-tone="library"]');
      status.dataset.seen = JSON.stringify({
        report: /Findings/.test(report?.shadowRoot?.textContent ?? report?.textContent ?? ''),
        plot: plot?.textContent ?? '',
        log: log?.textContent ?? '',
      });
    });
    look.observe(status, { childList: true, characterData: true, subtree: true });
  });
  await run();
  const seen = await page.waitForFunction(() => document.querySelector<HTMLElement>('#status')?.dataset.seen);
  const { report, plot, log } = JSON.parse(String(await seen.jsonValue()));
  expect(report).toBe(true);
  expect(plot).toMatch(/epoch/);
  expect(log).toBe('last words');
});

test('an endless program can be stopped', async () => {
  await write('for (;;) {}');
  await run();
  await waitForText('.shown .state', /^Running$/);
  await page.click('#stop');
  await waitForText('.shown .state', /^Stopped$/);
});

test('a picture of the camera reaches the program', async () => {
  await write(`import { picker, text } from 'playground';
picker({ label: 'Your picture', camera: true }, async (file) => {
  const { width, height } = await createImageBitmap(file as File);
  text(\`\${file?.type} \${width === height && width > 99}\`);
});`);
  await run();
  await waitForText('#output', /Use the camera/);
  await page.click('.camera button');
  await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
  await page.click('.finder .primary');
  await waitForText('#output', /image\/png true/);
  expect(await page.$eval('.finder', (finder) => (finder as HTMLElement).hidden)).toBe(true);
});

test('a link carries the program, which waits for its reader to run it', async () => {
  const source = "import { show } from 'playground';\nawait show([1, 2, 'ü']);\n";
  await write(source);
  await page.click('#share');
  await waitForText('.shown .state', /[Ll]ink (?:copied|is)/);
  const address = page.url();
  expect(address).toMatch(/#code=[\w-]+$/);
  const { page: other, errors: itsErrors } = await openPage(browser, address);
  await other.waitForFunction(() => /from a link/.test(document.querySelector('#status')?.textContent ?? ''));
  expect(await other.$eval('#output', (output) => output.textContent)).toBe('');
  await other.click('#run');
  await other.waitForFunction(() => document.querySelector('#output')?.textContent === '[1, 2, ü]');
  expect(itsErrors).toEqual([]);
  await other.close();
});

test('it fits every width, passes the checks of accessibility, and asks nothing of other servers', async () => {
  for (const [width, value] of [
    [320, 'light'],
    [768, 'dark'],
    [1600, 'dark'],
  ] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await page.setViewport({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  expect(requests.filter((url) => !url.startsWith(server.url) && !/^(?:blob|data):/.test(url))).toEqual([]);
  expect(errors).toEqual([]);
});
