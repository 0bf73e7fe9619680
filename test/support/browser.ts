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
import { endWithTests } from './endBrowsers.ts';

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
  /** Whether pages draw to canvases by WebGPU. Default false. */
  canvases?: boolean;
  /** Whether to start a Chromium that no other file uses, for tests that damage it. Default false. */
  own?: boolean;
}

export type BrowserKind = 'chromium' | 'chromium that draws to canvases' | 'firefox';

/** Every page may use the camera, which shows a drawing that moves. */
const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Browsers that test files share: to start one takes as much processor time as many a file's tests. */
const shared = new Map<BrowserKind, Browser>();

/** Returns the browser of a kind, which lives until all tests are done. The caller closes the pages that it opens. */
export async function sharedBrowser(kind: BrowserKind): Promise<Browser> {
  const known = shared.get(kind);
  if (known?.connected) return known;
  const browser = await (kind === 'firefox'
    ? launchFirefox()
    : launchBrowser({ canvases: kind === 'chromium that draws to canvases', args: FAKE_CAMERA }));
  endWithTests(browser);
  shared.set(kind, browser);
  return browser;
}

/** Closes what a file left open, except the page that the browser started with. */
async function closePages(browser: Browser): Promise<void> {
  const [, ...left] = await browser.pages();
  await Promise.all(left.map((page) => page.close()));
}

/**
 * A browser, which other files use before and after, and a server of this file. The server's address is new, so that files share
 * no storage.
 */
export function useBrowser(options: UseBrowserOptions = {}): BrowserFixture {
  const { browser: name = 'chromium', root = null, mounts = {}, canvases = false, own = false } = options;
  let browser: Browser | undefined;
  let server: StaticServer | undefined;
  beforeAll(async () => {
    server = await serveFolder(root, { mounts });
    const kind = name === 'chromium' && canvases ? 'chromium that draws to canvases' : name;
    browser = own ? await launchBrowser({ canvases }) : await sharedBrowser(kind);
  });
  afterAll(async () => {
    if (own) await browser?.close();
    else if (browser) await closePages(browser);
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
