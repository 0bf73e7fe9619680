/**
 * @file The code of those pages of the guide that need a browser, run as it is printed (test/docs/guide.test.ts has the others): the `ts` blocks of a page of docs/guide are one program, those with a
 * file's name files next to it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openPage } from '../../scripts/lib/browser.mjs';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';
import { filesOf, needsBrowser, needsCamera } from '../support/guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder('guide');
const chromium = useBrowser({ root: folder });
const drawing = useBrowser({ root: folder, canvases: true });

/** Writes the program of a page, and the files next to it; its path from the repository. */
function programOf(page: string): string {
  const { name } = path.parse(page);
  const source = path.join(folder, 'source', name);
  const text = fs.readFileSync(path.join(root, 'docs/guide', page), 'utf8');
  const files = new Map<string, string>();
  for (const [, file = `${name}.ts`, code = ''] of text.matchAll(/^```ts(?: (\S+))?\n([\s\S]*?)^```$/gm)) {
    files.set(file, (files.get(file) ?? '') + code);
  }
  fs.mkdirSync(source, { recursive: true });
  for (const [file, from] of Object.entries(filesOf[page] ?? {})) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(root, 'test/fixtures', from), path.join(folder, file));
  }
  for (const [file, code] of files) fs.writeFileSync(path.join(source, file), code);
  return path.relative(root, path.join(source, `${name}.ts`));
}

test.each(needsBrowser)('the code of %s runs', async (page) => {
  const program = await bundle({ entry: programOf(page), folder });
  const browser = page === 'tutorial-drawing.md' ? drawing : chromium;
  const printed = await browser.run(
    '/',
    async (url) => {
      document.body.innerHTML = '<div id="progress"></div>';
      const lines: string[] = [];
      const log = console.log;
      console.log = (...values: unknown[]) => {
        lines.push(
          values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
        );
      };
      await import(url);
      console.log = log;
      return lines;
    },
    `/${path.basename(program)}`,
  );
  expect(printed.length).toBeGreaterThan(0);
});

test('the tutorial of the webcam learns from what a camera shows', async () => {
  const program = await bundle({ entry: programOf(needsCamera), folder });
  const { page, errors } = await openPage(chromium.browser, chromium.url);
  await page.addScriptTag({ type: 'module', url: `/${path.basename(program)}` });
  await page.waitForFunction(() => document.querySelectorAll('div').length === 2, { timeout: 60_000 });
  const pressed = await page.$$eval('button', (buttons) => {
    for (let i = 0; i < 3; i++) for (const button of buttons.slice(0, 2)) button.click();
    buttons[2]?.click();
    return buttons.map(({ textContent }) => textContent);
  });
  expect(pressed).toEqual(['This is nothing', 'This is a cup', 'Learn']);
  const waitFor = (words: RegExp) =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.body.textContent ?? ''),
      { timeout: 60_000 },
      words.source,
    );
  await waitFor(/loss \d.* → \d[\s\S]*nothing[\s\S]*a cup/);
  // What a folder need not have is asked for, too.
  expect(errors.filter((error) => /^(?:exception|crash)/.test(error))).toEqual([]);
  await page.close();
});
