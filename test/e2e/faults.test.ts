/** @file Training while Chromium's GPU process is killed, and in a page that is closed: the same curve afterwards. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { openPage, useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('faults');
await bundle({ entry: 'test/e2e/pages/faults.ts', folder });
const chromium = useBrowser({ own: true, mounts: { '/lib/': folder } });

type Outcome = Awaited<ReturnType<typeof import('./pages/faults.ts').train>>;

/** Calls a function of the page's module. The address is an argument: Vitest rewrites `import()` of strings. */
async function call(name: string, ...args: string[]): Promise<Outcome> {
  const module = await import('/lib/faults.js' as string);
  return module[name](...args);
}

const open = () =>
  openPage(chromium.browser, chromium.url, {
    prepare: (page) =>
      page.evaluateOnNewDocument('globalThis.__vite_ssr_dynamic_import__ = (url) => import(url);'),
  });

test('the GPU process is killed: one typed error, and the same curve; so in a page that is opened again', async () => {
  const { page, errors } = await open();
  const whole = await page.evaluate(call, 'train', 'whole');
  expect(whole.error).toBeNull();
  expect(whole.curve).toHaveLength(5);

  await page.evaluate(call, 'begin', 'killed');
  const session = await chromium.browser.target().createCDPSession();
  await session.send('Browser.crashGpuProcess' as never).catch(() => {});
  expect(await page.evaluate(call, 'end')).toMatchObject({ error: 'DeviceLostError' });
  const resumed = await page.evaluate(call, 'train', 'killed');
  expect(resumed.error).toBeNull();
  expect(whole.curve.slice(2)).toEqual(resumed.curve);
  expect(resumed.weights).toEqual(whole.weights);

  await page.evaluate(call, 'begin', 'closed');
  expect(errors).toEqual([]);
  await page.close();
  const again = await (await open()).page.evaluate(call, 'train', 'closed');
  expect(again.curve).toEqual(whole.curve.slice(2));
  expect(again.weights).toEqual(whole.weights);
});
