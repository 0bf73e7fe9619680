/**
 * @file A real Chromium, or Firefox, for tests under `test/e2e/`. The launcher itself is shared with the demo and the benchmark.
 */
import { afterAll, beforeAll } from 'vitest';
import {
  type Browser,
  evaluateIn,
  launchBrowser,
  openPage,
  type Page,
  type StaticServer,
  serveFolder,
} from '../../scripts/lib/browser.mjs';
import { launchFirefox } from '../../scripts/lib/firefox.mjs';

export { launchBrowser, openPage, runInPage, serveFolder } from '../../scripts/lib/browser.mjs';

export interface BrowserFixture {
  /** The browser of the test file; throws before `beforeAll` has run. */
  readonly browser: Browser;
  /** Address of the served folder, with a trailing slash. */
  readonly url: string;
  /**
   * Runs `body` in a new page at `url + path`; fails on any error that the page reports. `body` may import served files:
   * `import('/dist/index.js' as string)`.
   */
  run<T, A extends unknown[]>(path: string, body: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
}

export interface UseBrowserOptions {
  /** The browser. Default: Chromium. */
  browser?: 'chromium' | 'firefox';
  root?: string | null;
  mounts?: Record<string, string>;
  args?: string[];
  /** Whether pages draw to canvases by WebGPU. Default false. */
  canvases?: boolean;
}

/** One browser and one server for all tests of a file, closed at its end. */
export function useBrowser(options: UseBrowserOptions = {}): BrowserFixture {
  let browser: Browser | undefined;
  let server: StaticServer | undefined;
  beforeAll(async () => {
    server = await serveFolder(options.root ?? null, { mounts: options.mounts ?? {} });
    browser =
      options.browser === 'firefox'
        ? await launchFirefox()
        : await launchBrowser({ args: options.args ?? [], canvases: options.canvases ?? false });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  const started = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error('The browser is started in beforeAll: use it inside of a test.');
    return thing;
  };
  return {
    get browser() {
      return started(browser);
    },
    get url() {
      return started(server).url;
    },
    run: async (path, body, ...args) => {
      const url = new URL(path, started(server).url).href;
      return evaluateIn(
        await openPage(started(browser), url, { prepare: allowDynamicImport }),
        body,
        ...args,
      );
    },
  };
}

/** Vitest rewrites `import()` in a test's functions to a helper of its own, which a page does not have. */
function allowDynamicImport(page: Page): Promise<unknown> {
  return page.evaluateOnNewDocument('globalThis.__vite_ssr_dynamic_import__ = (url) => import(url);');
}
