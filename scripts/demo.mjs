// @ts-check
/**
 * @file `npm run demo`: from a fresh clone to a picture reconstructed from noise, twice. Installs what is missing, builds
 * the library and the page, opens the page in headless Chromium, and writes its results to out/.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { HELP, mimeType, OptionError, parseOptions } from './lib/demo-options.mjs';
import { buildLibrary, buildPage } from './lib/pages.mjs';
import { Progress } from './lib/progress.mjs';
import { ROOT, runMain, setup } from './setup.mjs';

/** @typedef {import('./lib/demo-options.mjs').DemoOptions} DemoOptions */
/** @typedef {{ losses: number[], psnr: number }} Run */
/**
 * @typedef {object} Outcome the results of the page
 * @property {{ adapter: string, pixel: Run, perceptual: Run, stepsPerSecond: number, submitsPerStep: number, peakBytes: number, network: string, weights: string }} result
 * @property {string} sheet a data URL
 * @property {string} curves an SVG
 */

const SITE = path.join(ROOT, 'site');

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const progress = new Progress();
  const { env } = setup({ browser: !options.serve });
  const say = (/** @type {string} */ line) => progress.say(line);
  buildLibrary(env, say);
  buildPage('perceptual-loss', env, say);
  if (options.serve) return serve();
  const outcome = await reconstruct(options, progress);
  report(options, outcome, progress);
}

/**
 * @param {DemoOptions} options
 * @param {Progress} progress
 * @returns {Promise<Outcome & { engine: string }>}
 */
async function reconstruct({ size, steps, seed, layers, image, weights }, progress) {
  const { launchBrowser, openPage, serveFolder } = await import('./lib/browser.mjs');
  const server = await serveFolder(SITE);
  const browser = await launchBrowser();
  try {
    const engine = await browser.version();
    progress.say(`${engine}, ${size} × ${size} pixels, ${steps} steps each.`);
    const { page, errors } = await openPage(browser, `${server.url}perceptual-loss/`, {
      prepare: (fresh) =>
        fresh.exposeFunction('reportProgress', (/** @type {any} */ state) => show(progress, state)),
    });
    if (weights !== null) await chooseFile(page, 'input[name=weights]', weights);
    const order = { size, steps, seed, layers, image: image === null ? null : dataUrl(image) };
    const outcome = await page
      .evaluate((given) => globalThis.perceptualLossDemo.run(given), order)
      .catch((error) => {
        throw explained(error, { image, weights });
      });
    if (errors.length > 0) throw new Error(`The page reported:\n${errors.join('\n')}`);
    return { ...outcome, engine };
  } finally {
    await browser.close();
    await server.close();
  }
}

/**
 * Selects a file in the page's form, as a user would; the page reads the parts that it needs.
 *
 * @param {import('puppeteer').Page} page
 * @param {string} selector
 * @param {string} file
 */
async function chooseFile(page, selector, file) {
  const field = /** @type {import('puppeteer').ElementHandle<HTMLInputElement> | null} */ (
    await page.$(selector)
  );
  await field?.uploadFile(file);
}

/** @param {Progress} progress @param {{ run: string, step: number, steps: number, loss: number, stepsPerSecond: number }} state */
function show(progress, { run, step, steps, loss, stepsPerSecond }) {
  if (step === 0) return progress.note(`${run} loss: preparing …`);
  progress.update({
    label: run,
    done: step,
    total: steps,
    note: `loss ${loss.toExponential(2)}`,
    stepsPerSecond,
  });
}

/** @param {string} file */
function dataUrl(file) {
  const bytes = fs.readFileSync(file);
  return `data:${mimeType(bytes)};base64,${bytes.toString('base64')}`;
}

/**
 * Turns errors of pictures that the browser can't decode, and of weights that don't fit, into errors of arguments.
 *
 * @param {unknown} error
 * @param {{ image: string | null, weights: string | null }} files
 */
function explained(error, { image, weights }) {
  const message = error instanceof Error ? error.message : String(error);
  if (weights !== null && message.startsWith('--weights: ')) return new OptionError(message);
  if (image === null || !/could not be decoded|InvalidStateError/.test(message)) return error;
  return new OptionError(
    `--image: the file is damaged: it can't be decoded: ${image}. Hint: save it again as a PNG or JPEG.`,
  );
}

/** @param {DemoOptions} options @param {Outcome & { engine: string }} outcome @param {Progress} progress */
function report(
  { size, steps, layers, weights: file, json, out },
  { result, sheet, curves, engine },
  progress,
) {
  const { adapter, pixel, perceptual, stepsPerSecond, submitsPerStep, peakBytes, network, weights } = result;
  /** @param {Run} run */
  const numbers = ({ losses, psnr }) => ({ first: losses[0], last: losses.at(-1), psnr });
  const summary = {
    adapter,
    engine,
    size,
    steps,
    stepsPerSecond,
    pixel: numbers(pixel),
    perceptual: { ...numbers(perceptual), layers },
    submitsPerStep,
    peakBytes,
    ...(file === null ? {} : { network, weights }),
  };
  fs.mkdirSync(out, { recursive: true });
  const text = `${JSON.stringify(summary, null, 2)}\n`;
  fs.writeFileSync(
    path.join(out, 'perceptual-loss.png'),
    Buffer.from(sheet.slice(sheet.indexOf(',') + 1), 'base64'),
  );
  fs.writeFileSync(path.join(out, 'loss.svg'), curves);
  fs.writeFileSync(path.join(out, 'summary.json'), text);
  if (json) {
    process.stdout.write(text);
    return;
  }
  progress.say(`\nOn ${adapter}, ${network} with ${weights}:`);
  for (const [name, { losses, psnr }] of Object.entries({ pixel, perceptual })) {
    const [first = 0, last = 0] = [losses[0], losses.at(-1)];
    progress.say(
      `  ${name.padEnd(10)} loss ${first.toExponential(2)} → ${last.toExponential(2)} (${(first / last).toFixed(0)} times less), picture ${psnr.toFixed(1)} dB`,
    );
  }
  const names = ['perceptual-loss.png', 'loss.svg', 'summary.json'];
  const folder = out.startsWith(process.cwd()) ? path.relative('', out) : out;
  progress.say(`\nWritten: ${names.map((name) => path.join(folder, name)).join(', ')}`);
}

async function serve() {
  const { serveFolder } = await import('./lib/browser.mjs');
  const { url } = await serveFolder(SITE);
  process.stdout.write(`${url} — open it in a browser with WebGPU; Ctrl-C ends.\n`);
}

await runMain(async () => {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
});
