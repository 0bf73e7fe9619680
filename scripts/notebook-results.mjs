// @ts-check
/**
 * @file `node scripts/notebook-results.mjs`: runs the cells of the built notebook that wait for a button, and records what they
 * show in examples/notebook/results.json. The page shows it until a visitor runs a cell. Record it again when a cell shows something else.
 */
import fs from 'node:fs';
import path from 'node:path';
import { launchBrowser, openPage, serveFolder } from './lib/browser.mjs';
import { ROOT, runMain, SetupError } from './setup.mjs';

const FILE = path.join(ROOT, 'examples', 'notebook', 'results.json');
/** Software adapters are slow. */
const PATIENCE_MS = 240_000;
/** How long the cells train that have a button for it. */
const TRAINING_MS = 60_000;
/** What a visitor can't use before the cell has run isn't shown. */
const INTERACTIVE = ['controls', 'buttons', 'file', 'textField', 'drawing'];

/** @typedef {import('./lib/browser.mjs').Page} Page */

/** Notes the outputs that the cells send to the page, and makes text of their pixels. Runs in the page, before its scripts. */
function noteOutputs() {
  /** @type {Record<string, Map<number, any>>} */
  const shown = {};
  Object.assign(globalThis, { shownByCells: shown });
  const NativeWorker = globalThis.Worker;
  globalThis.Worker = class extends NativeWorker {
    /** @param {ConstructorParameters<typeof NativeWorker>} args */
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data: { type, cell, slot, output } }) => {
        if (type === 'clear') shown[cell] = new Map();
        if (type === 'show') shown[cell]?.set(slot, output);
      });
    }
  };
}

/** @param {readonly string[]} interactive @returns {Record<string, readonly (readonly [slot: number, output: object])[]>} */
function notedOutputs(interactive) {
  const shown = /** @type {{ shownByCells: Record<string, Map<number, any>> }} */ (
    /** @type {unknown} */ (globalThis)
  ).shownByCells;
  /** @param {any} output */
  const storable = (output) =>
    output.kind !== 'pictures'
      ? output
      : {
          ...output,
          pictures: output.pictures.map((/** @type {any} */ { pixels, ...picture }) => ({
            ...picture,
            pixels: {
              ...pixels,
              data: btoa(Array.from(pixels.data, (byte) => String.fromCharCode(byte)).join('')),
            },
          })),
        };
  return Object.fromEntries(
    Object.entries(shown).map(([cell, outputs]) => [
      cell,
      [...outputs]
        .filter(([, { kind }]) => !interactive.includes(kind))
        .sort(([a], [b]) => a - b)
        .map(([slot, output]) => [slot, storable(output)]),
    ]),
  );
}

/** Waits until a cell has run. @param {Page} page @param {string} cell */
async function settled(page, cell) {
  await page.waitForFunction(
    (id) =>
      /done|failed/.test(document.querySelector(/** @type {any} */ (id))?.getAttribute('data-state') ?? ''),
    {},
    `#${cell}`,
  );
}

/** @param {Page} page @param {string} cell */
async function runCell(page, cell) {
  await page.click(`#${cell} .bar .run`);
  await settled(page, cell);
  if (!(await page.$(`#${cell} .buttons button[name=start]`))) return;
  await page.click(`#${cell} .buttons button[name=start]`);
  await new Promise((resolve) => setTimeout(resolve, TRAINING_MS));
  await page.click(`#${cell} .buttons button[name=start]`);
}

await runMain(async () => {
  const site = path.join(ROOT, 'site');
  if (!fs.existsSync(path.join(site, 'notebook', 'index.html')))
    throw new SetupError('The notebook must be built. Hint: `npm run build:pages` builds it.');
  const server = await serveFolder(site);
  const browser = await launchBrowser();
  try {
    const { page } = await openPage(browser, `${server.url}notebook/index.html`, {
      prepare: async (fresh) => {
        await fresh.setViewport({ width: 1280, height: 900 });
        await fresh.evaluateOnNewDocument(noteOutputs);
      },
    });
    page.setDefaultTimeout(PATIENCE_MS);
    await settled(page, 'cell-reconstruct');
    // The others run when the page is opened.
    const waiting = await page.$$eval('.cell:not(.support)[data-state=idle]', (all) =>
      all.map(({ id }) => id),
    );
    for (const cell of waiting) {
      process.stdout.write(`${cell} …\n`);
      await runCell(page, cell);
    }
    const noted = await page.evaluate(notedOutputs, INTERACTIVE);
    const results = Object.entries(noted).filter(([cell]) => waiting.includes(`cell-${cell}`));
    const lines = results.map(([cell, outputs]) => `  ${JSON.stringify(cell)}: ${JSON.stringify(outputs)}`);
    fs.writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
    for (const line of lines) process.stdout.write(`${line.slice(0, 30)} ${line.length}\n`);
  } finally {
    await browser.close();
    await server.close();
  }
});
