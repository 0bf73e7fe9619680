/**
 * @file Measures what a visitor waits for before a page responds. Times depend on the load of the machine, so this counts what
 * the parser waits for: scripts that block it, and the bytes of the document and of the files that block rendering.
 */
import { expect } from 'vitest';
import type { Page } from '../../scripts/lib/browser.mjs';

/** Half a second on a slow mobile connection (3.2 Mbit/s). The largest page has half as much. */
const maxBlockingBytes = 200_000;

export async function expectSoonInteractive(page: Page): Promise<void> {
  const { scripts, bytes } = await page.evaluate(() => {
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const blocking = resources.filter(
      (entry) => (entry as { renderBlockingStatus?: string }).renderBlockingStatus === 'blocking',
    );
    const loaded = [
      ...(performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]),
      ...blocking,
    ];
    const waitedFor = 'script[src]:not([type="module"], [async], [defer])';
    return {
      scripts: [...document.querySelectorAll<HTMLScriptElement>(waitedFor)].map(({ src }) => src),
      bytes: loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  });
  // A choice of light or dark must be known before the first paint.
  expect(scripts.filter((url) => !url.endsWith('/assets/theme.js'))).toEqual([]);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(maxBlockingBytes);
}
