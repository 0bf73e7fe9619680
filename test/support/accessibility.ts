/** @file What axe finds in a page: faults that keep people with a screen reader or a keyboard from using it. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '../../scripts/lib/browser.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the rules that the page breaks, each with the first places. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  // As text: the page's own global.
  return (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'best-practice'], resultTypes: ['violations'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target }) => target.flat().join(' ')).join(', ')))`,
  )) as string[];
}
