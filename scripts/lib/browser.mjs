// @ts-check
/**
 * @file Starts a headless Chromium with WebGPU and runs functions in its pages. Used by
 * the tests, the demo and the benchmark.
 *
 * A page's errors are collected, never dropped: console errors, exceptions, failed requests, uncaptured GPU
 * errors. Needs the installed packages (see ../setup.mjs).
 */
import process from 'node:process';
import puppeteer from 'puppeteer';
import { findBrowser } from './find-browser.mjs';
import { hasGpuNode } from './node-gpu.mjs';
import { serveFolder } from './static-server.mjs';

export { serveFolder };

/** @typedef {import('puppeteer').Browser} Browser */
/** @typedef {import('puppeteer').Page} Page */
/** @typedef {import('./static-server.mjs').StaticServer} StaticServer */

/** A page may compute for a long time on a software adapter; puppeteer's own limit is 3 minutes. */
const PROTOCOL_TIMEOUT_MS = 60 * 60_000;
const PROBE_TIMEOUT_MS = 20_000;

/**
 * Pages that Chromium loads at its start: the lists below its address bar. They take 2 s of processor time (Chromium 156, 2
 * cores) from the page that is measured or tested.
 */
const PRELOADED = [
  'PreloadTopChromeWebUI',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

const COMMON_ARGS = [
  `--disable-features=${PRELOADED.join(',')}`,
  '--enable-unsafe-webgpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  // A long dispatch on a software adapter is slow, not hung.
  '--disable-gpu-watchdog',
];
const SOFTWARE_ARGS = ['--use-webgpu-adapter=swiftshader'];
/** The software adapter can draw to a page's canvas only if the page is composited by it, too. */
const SOFTWARE_CANVAS_ARGS = [
  '--use-vulkan=swiftshader',
  '--enable-features=Vulkan',
  '--use-angle=swiftshader',
  '--ignore-gpu-blocklist',
];
/** Headless Chromium on Linux reaches a real GPU through Vulkan only. */
const LINUX_GPU_ARGS = ['--enable-features=Vulkan', '--use-angle=vulkan', '--disable-vulkan-surface'];

/**
 * @typedef {object} LaunchOptions
 * @property {string} [executable] the browser; default: the one found on this machine
 * @property {string[]} [args] further flags
 * @property {boolean} [headless] default true
 * @property {boolean} [canvases] whether pages draw to canvases by WebGPU; such a browser is slower to start. Default false
 * @property {'auto' | 'swiftshader' | 'gpu'} [adapter] default: RETROGRAD_ADAPTER, else `auto`: a real GPU where
 *   the browser gives one, else the software adapter
 */

/**
 * Starts a browser that has a WebGPU adapter.
 *
 * @param {LaunchOptions} [options]
 * @returns {Promise<Browser>}
 */
export async function launchBrowser(options = {}) {
  const executable = options.executable ?? findBrowser();
  if (!executable) {
    throw new Error(
      'A Chrome or Chromium is needed. Received: none was found. Hint: `node scripts/setup.mjs` installs one, ' +
        'or set RETROGRAD_CHROME to its full path.',
    );
  }
  const wish = options.adapter ?? process.env.RETROGRAD_ADAPTER ?? 'auto';
  /** @param {string[]} adapterArgs */
  const start = (adapterArgs) =>
    startSandboxed((sandboxArgs) =>
      puppeteer.launch({
        executablePath: executable,
        headless: options.headless ?? true,
        args: [...COMMON_ARGS, ...sandboxArgs, ...adapterArgs, ...(options.args ?? [])],
        protocolTimeout: PROTOCOL_TIMEOUT_MS,
      }),
    );
  const software = [...SOFTWARE_ARGS, ...(options.canvases ? SOFTWARE_CANVAS_ARGS : [])];
  if (wish === 'swiftshader') return start(software);
  if (process.platform !== 'linux') return start([]);
  if (wish === 'gpu') return start(LINUX_GPU_ARGS);
  if (!hasGpuNode()) return start(software);
  const browser = await start(LINUX_GPU_ARGS);
  if (await hasAdapter(browser)) return browser;
  await browser.close();
  return start(software);
}

/**
 * Chromium refuses to run with its sandbox as root, and in containers that give it no user namespaces. Here it runs only our
 * own code from localhost, so it may run without.
 *
 * @param {(sandboxArgs: string[]) => Promise<Browser>} start
 */
async function startSandboxed(start) {
  const without = ['--no-sandbox'];
  if (process.getuid?.() === 0) return start(without);
  try {
    return await start([]);
  } catch (error) {
    if (!/no usable sandbox/i.test(String(error))) throw error;
    return start(without);
  }
}

/**
 * Returns whether pages of `browser` get a WebGPU adapter and a device from it. A broken driver may hang: a timeout means no.
 *
 * @param {Browser} browser
 */
async function hasAdapter(browser) {
  const server = await serveFolder(null);
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const answer = page.evaluate(async () => {
      const adapter = await navigator.gpu?.requestAdapter();
      const device = await adapter?.requestDevice().catch(() => null);
      device?.destroy();
      return Boolean(device);
    });
    answer.catch(() => {});
    return await Promise.race([answer, delay(PROBE_TIMEOUT_MS).then(() => false)]);
  } catch {
    return false;
  } finally {
    await server.close();
  }
}

/** @param {number} ms */
function delay(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** @typedef {{ page: Page, errors: string[] }} OpenPage `errors` fills while the page lives */

/**
 * Opens `url` in a new page that collects all errors.
 *
 * @param {Browser} browser
 * @param {string} url
 * @param {{ prepare?: (page: Page) => Promise<unknown>, offline?: boolean }} [options] `prepare` is called before the page is loaded;
 *   with `offline`, a service worker may keep the site
 * @returns {Promise<OpenPage>}
 */
export async function openPage(browser, url, { prepare, offline = false } = {}) {
  const page = await browser.newPage();
  waitByClock(page);
  /** @type {string[]} */
  const errors = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => {
    errors.push(`exception: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  });
  page.on('requestfailed', (request) => {
    errors.push(`request: ${request.url()} ${request.failure()?.errorText ?? ''}`);
  });
  page.on('error', (error) => errors.push(`crash: ${error.message}`));
  await page.evaluateOnNewDocument(reportUncapturedGpuErrors);
  // It would answer for a server of another test at the same address, and load what isn't measured.
  if (!offline)
    await page.evaluateOnNewDocument(() => void Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await prepare?.(page);
  await page.goto(url, { waitUntil: 'load' });
  return { page, errors };
}

const POLL_MS = 50;

/**
 * Has `waitForFunction` look every 50 ms. Puppeteer looks in each animation frame, and so has an idle page drawn sixty times a
 * second: on a software adapter, that takes a tenth of a core.
 *
 * @param {Page} page
 */
function waitByClock(page) {
  const waitForFunction = page.waitForFunction.bind(page);
  page.waitForFunction = (body, options, ...args) =>
    waitForFunction(body, { polling: POLL_MS, ...options }, ...args);
}

/** Runs in the page: Chromium reports uncaptured GPU errors as warnings, which would be overlooked. */
function reportUncapturedGpuErrors() {
  if (typeof GPUAdapter === 'undefined') return;
  const { requestDevice } = GPUAdapter.prototype;
  /** @param {GPUDeviceDescriptor} [descriptor] */
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    device.addEventListener('uncapturederror', (event) => {
      console.error(`Uncaptured GPU error: ${event.error.message}`);
    });
    return device;
  };
}

/**
 * Runs `body` in an open page, returns its value (JSON-like) and closes the page.
 *
 * @template T
 * @template {unknown[]} A
 * @param {OpenPage} open
 * @param {(...args: A) => T | Promise<T>} body sent to the page as source: it can use only its arguments
 * @param {A} args
 * @returns {Promise<T>}
 * @throws if the body throws, or the page collected an error
 */
export async function evaluateIn({ page, errors }, body, ...args) {
  try {
    const value = await page.evaluate(/** @type {any} */ (body), ...args);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0))); // Lets late errors arrive.
    if (errors.length > 0) throw new Error(`The page reported:\n${errors.join('\n')}`);
    return value;
  } finally {
    await page.close();
  }
}

/**
 * Runs `body` in a new page at `url`; see `evaluateIn`.
 *
 * @template T
 * @template {unknown[]} A
 * @param {Browser} browser
 * @param {string} url
 * @param {(...args: A) => T | Promise<T>} body
 * @param {A} args
 * @returns {Promise<T>}
 */
export async function runInPage(browser, url, body, ...args) {
  return evaluateIn(await openPage(browser, url), body, ...args);
}
