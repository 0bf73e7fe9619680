// @ts-check
/**
 * @file Runs the benchmark's rows in a browser. Rows of a family share a page. A contender that crashes or hangs the page is
 * recorded as failed, and the row is run again without it on a new page, so that one row never affects another.
 */
import path from 'node:path';
import { build } from 'vite';
import { ROOT } from '../setup.mjs';

/** @typedef {import('puppeteer').Browser} Browser */
/** @typedef {import('puppeteer').Page} Page */
/** @typedef {import('../../bench/job.ts').Library} Library */
/** @typedef {import('../../bench/main.ts').Listed} Listed */
/** @typedef {import('../../bench/run.ts').RunOptions} RunOptions */
/** @typedef {import('../../bench/result.ts').BenchResult} BenchResult */
/** @typedef {import('../../bench/result.ts').RowResult} RowResult */
/** @typedef {import('../../bench/result.ts').ComparisonResult} ComparisonResult */
/** @typedef {Pick<RunOptions, 'budget' | 'limits' | 'without'>} PageOptions options that can be sent to a page */

const CONFIG = path.join(ROOT, 'vite.config.ts');

/** A row that reports nothing for this long is considered hung, even on a software adapter. */
const SILENCE_MS = 240_000;
const COLD_MS = 120_000;
/** How often a row is run again without the contenders that failed. */
const ATTEMPTS = 4;

/** Builds the benchmark's pages, and in `cold/` those of the cold start. @param {string} folder */
export async function buildPages(folder) {
  const shared = /** @type {const} */ ({ configFile: CONFIG, logLevel: 'error' });
  await build({ ...shared, mode: 'bench', build: { outDir: folder } });
  await build({ ...shared, mode: 'bench-cold', build: { outDir: path.join(folder, 'cold') } });
}

export class BenchBrowser {
  /** @type {() => Promise<Browser>} */
  #launch;
  /** @type {Browser | null} */
  #browser = null;
  #url;
  /** @type {RunnerPage | null} */
  #page = null;
  #family = '';

  /** @param {() => Promise<Browser>} launch called again if the browser itself is lost @param {string} url of the pages */
  constructor(launch, url) {
    this.#launch = launch;
    this.#url = url;
  }

  async close() {
    await this.#browser?.close();
  }

  /** @param {string} filter @returns {Promise<Listed[]>} */
  async list(filter) {
    const page = await this.#freshPage();
    return page.call((bench, given) => bench.listRows(given), filter);
  }

  /** Returns a result without rows, with the limits of the adapter. @returns {Promise<BenchResult>} */
  async start() {
    const page = await this.#freshPage();
    return page.call(
      async (bench) => ({ ...(await bench.emptyResult()), limits: await bench.limitsHere() }),
      null,
    );
  }

  /**
   * @param {Listed} row
   * @param {PageOptions} options
   * @returns {Promise<RowResult | ComparisonResult>}
   * @throws where the row fails again and again
   */
  async run(row, options) {
    /** @type {Partial<Record<Library, string>>} */
    const without = { ...options.without };
    for (let attempt = 1; ; attempt++) {
      if (this.#family !== row.family) await this.#forget();
      const page = this.#page ?? (await this.#freshPage());
      this.#family = row.family;
      try {
        const given = { name: row.name, kind: row.kind, options: { ...options, without } };
        const result = await page.call(runInPage, given);
        const faults = /** @type {[Library, string][]} */ (Object.entries(page.faults));
        // A failure may have broken the page's devices, …
        if (faults.length > 0) await this.#forget();
        // … and if several were lost, the first one caused the loss of the others.
        const lost = faults.filter(([, fault]) => /\blost\b/.test(fault)).length > 1;
        if (!lost || attempt === ATTEMPTS) return result;
        const [[first, fault]] = /** @type {[[Library, string]]} */ (/** @type {unknown} */ (faults));
        without[first] = fault;
      } catch (error) {
        const { faults, current } = page;
        await this.#forget();
        const message = error instanceof Error ? error.message : String(error);
        if (Object.keys(faults).length > 0) Object.assign(without, faults);
        else if (current) without[current] = `failed: ${message.split('\n')[0]}`;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Measures a cold start on a new page, in milliseconds.
   *
   * @param {Library} library
   * @returns {Promise<import('../../bench/cold/cold.ts').ColdStart>}
   */
  async coldStart(library) {
    await this.#forget();
    const page = await (await this.#connected()).newPage();
    try {
      await page.goto(new URL(`cold/cold.html?library=${library}`, this.#url).href);
      await page.waitForFunction(() => globalThis.coldStart !== undefined, { timeout: COLD_MS });
      return /** @type {any} */ (await page.evaluate(() => globalThis.coldStart));
    } catch (error) {
      return { library, fault: `failed: ${error instanceof Error ? error.message : error}` };
    } finally {
      await page.close().catch(() => {});
    }
  }

  async #freshPage() {
    await this.#forget();
    this.#page = await RunnerPage.open(await this.#connected(), this.#url);
    return this.#page;
  }

  async #connected() {
    if (!this.#browser?.connected) this.#browser = await this.#launch();
    return this.#browser;
  }

  async #forget() {
    const page = this.#page;
    this.#page = null;
    this.#family = '';
    await page?.close();
  }
}

/**
 * Runs in the page.
 *
 * @param {typeof import('../../bench/main.ts')} bench
 * @param {{ name: string, kind: Listed['kind'], options: PageOptions }} given
 * @returns {Promise<RowResult | ComparisonResult>}
 */
function runInPage(bench, { name, kind, options }) {
  const stage = (/** @type {string | null} */ library, /** @type {string} */ doing) =>
    /** @type {any} */ (globalThis).benchStage(library, doing);
  return kind === 'comparison'
    ? bench.runNamedComparison(name, options)
    : bench.runNamed(name, { ...options, stage });
}

/** A page that reports which contender is running. */
class RunnerPage {
  /** @type {Page} */
  #page;
  /** @type {Partial<Record<Library, string>>} */
  faults = {};
  /** @type {Library | null} */
  current = null;
  #heard = Date.now();
  /** @type {Promise<never>} */
  #crash;

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    this.#crash = new Promise((_, reject) => {
      page.once('error', (error) => reject(new Error(`the page crashed: ${error.message}`)));
    });
    this.#crash.catch(() => {});
  }

  /** @param {Browser} browser @param {string} url */
  static async open(browser, url) {
    const page = await browser.newPage();
    const runner = new RunnerPage(page);
    await page.exposeFunction(
      'benchStage',
      (/** @type {Library | null} */ library, /** @type {string} */ doing) => {
        runner.#heard = Date.now();
        runner.current = library;
        if (library && doing.startsWith('failed')) runner.faults[library] = doing;
      },
    );
    const failure = new Promise((_, reject) => page.once('pageerror', reject));
    failure.catch(() => {});
    await page.goto(new URL('runner.html', url).href, { waitUntil: 'load' });
    await Promise.race([page.waitForFunction(() => 'retrogradBench' in globalThis), failure]);
    return runner;
  }

  /**
   * Runs `body` in the page, with the benchmark's module.
   *
   * @template T, A
   * @param {(bench: typeof import('../../bench/main.ts'), given: A) => T | Promise<T>} body
   * @param {A} given
   * @returns {Promise<T>}
   */
  async call(body, given) {
    this.faults = {};
    this.current = null;
    this.#heard = Date.now();
    const source = `(${body})(globalThis.retrogradBench, ${JSON.stringify(given)})`;
    const silence = this.#silence();
    try {
      const running = this.#page.evaluate(source);
      running.catch(() => {});
      return /** @type {T} */ (await Promise.race([running, this.#crash, silence.promise]));
    } finally {
      silence.stop();
    }
  }

  #silence() {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    /** @type {Promise<never>} */
    const promise = new Promise((_, reject) => {
      timer = setInterval(() => {
        if (Date.now() - this.#heard < SILENCE_MS) return;
        reject(new Error(`nothing was heard for ${SILENCE_MS / 1000} s`));
      }, 1000);
    });
    promise.catch(() => {});
    return { promise, stop: () => clearInterval(timer) };
  }

  async close() {
    await this.#page.close().catch(() => {}); // A crashed page can't be closed.
  }
}
