// @ts-check
/**
 * @file A model that travels: trained in a headless page, saved as `.keras`, trained further by Keras on eight devices,
 * brought back and trained further here. Its curve is the same as that of a model that never left the page. Needs Python
 * (scripts/lib/keras-python.mjs).
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluateIn, launchBrowser, openPage, serveFolder } from '../../scripts/lib/browser.mjs';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { findKerasPython } from '../../scripts/lib/keras-python.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Epochs of each of the three parts. */
const epochs = 5;
/** Largest relative difference of the curves: sums in another order round differently. */
const tolerance = 1e-4;

/** @typedef {typeof import('./page.ts')} Page */

/** @param {(line: string) => void} print */
export async function run(print) {
  const python = findKerasPython();
  const folder = temporaryFolder('travel');
  const file = path.basename(await bundle({ entry: 'examples/travel/page.ts', folder }));
  const server = await serveFolder(folder);
  const browser = await launchBrowser();
  /**
   * Calls a function of page.ts in a fresh page.
   *
   * @param {keyof Page} name
   * @param {unknown[]} args
   */
  const inPage = async (name, ...args) =>
    evaluateIn(await openPage(browser, server.url), call, `/${file}`, name, args);
  try {
    const begun = await inPage('depart', epochs);
    print(`In the page: ${epochs} epochs, loss ${numbers(begun.curve)}`);
    fs.writeFileSync(path.join(folder, 'from-page.keras'), Buffer.from(begun.model, 'base64'));
    fs.writeFileSync(path.join(folder, 'data.json'), JSON.stringify(begun.data));

    const keras = continueInKeras(python, folder);
    const { version, backend, devices } = keras;
    print(
      `In Keras ${version} on ${backend}, ${devices} devices: ${epochs} epochs, loss ${numbers(keras.curve)}`,
    );

    const brought = fs.readFileSync(path.join(folder, 'from-keras.keras')).toString('base64');
    const ended = await inPage('arrive', brought, epochs);
    print(
      `Back in the page: ${epochs} epochs, loss ${numbers(ended.curve)}; ${ended.steps} steps of Adam in all`,
    );
    const home = await inPage('stayHome', 3 * epochs);
    report(print, [...begun.curve, ...keras.curve, ...ended.curve], home.curve);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page. @param {string} url @param {string} name @param {unknown[]} args */
async function call(url, name, args) {
  const module = await import(url);
  return module[name](...args);
}

/** @param {string} python @param {string} folder */
function continueInKeras(python, folder) {
  const args = [path.join(here, 'continue_training.py'), folder, String(epochs)];
  const { status, stderr } = spawnSync(python, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Keras's part failed:\n${stderr}`);
  return JSON.parse(fs.readFileSync(path.join(folder, 'keras.json'), 'utf8'));
}

/** @param {(line: string) => void} print @param {number[]} travelled @param {number[]} home */
function report(print, travelled, home) {
  const apart = Math.max(...travelled.map((loss, i) => Math.abs(loss / /** @type {number} */ (home[i]) - 1)));
  print(`In one run: ${travelled.length} epochs, loss ${numbers(home)}`);
  print(`The curves are at most ${apart.toExponential(1)} of the loss apart.`);
  if (!(apart <= tolerance) || travelled.length !== home.length)
    throw new Error(`The curves must agree to ${tolerance} of the loss. Received: ${apart}.`);
}

/** @param {readonly number[]} curve */
function numbers(curve) {
  return curve.map((loss) => loss.toFixed(4)).join(' ');
}
