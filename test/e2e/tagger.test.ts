/** @file The page examples/tagger in Chromium: its encoder learns what names are, marks them, and shows which part was trained. */
import { expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { useBrowser } from '../support/browser.ts';
import { buildExamplePage } from '../support/examplePages.ts';

const chromium = useBrowser({ mounts: { '/': await buildExamplePage('tagger') } });

const text = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent ?? '');
const isDisabled = (page: Page, selector: string) =>
  page.$eval(selector, (button) => (button as HTMLButtonElement).disabled);

async function waitForText(page: Page, words: RegExp): Promise<string> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#status')?.textContent ?? ''),
    { timeout: 150_000 },
    words.source,
  );
  return text(page, '#status');
}

/** The marked words of the visitor's text, with their labels. */
const marks = (page: Page) =>
  page.$$eval('#tagged mark', (found) =>
    found.map((mark) => [mark.textContent, (mark as HTMLElement).dataset.label]),
  );

/** What the table says of each part: how many values learn, and where they come from. */
const parts = (page: Page) =>
  page.$$eval('#parts tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent ?? '')),
  );

test('it learns what names are, and shows which part was trained', async () => {
  const { page, errors } = await openPage(chromium.browser, chromium.url);
  await waitForText(page, /^Ready/);
  expect(await marks(page)).toEqual([]);
  expect(await isDisabled(page, '#inspect')).toBe(true);
  await page.evaluate(() => {
    for (const [id, value] of Object.entries({ passes: '3', count: '96' }))
      (document.querySelector(`#${id}`) as HTMLInputElement).value = value;
  });
  await page.click('#learn');
  const done = await waitForText(page, /^Done: /);
  // Guesses among four labels would be right for few.
  expect(Number(/(\d+) %/.exec(done)?.[1])).toBeGreaterThan(20);
  const found = await marks(page);
  expect(found.length).toBeGreaterThan(2);
  expect(found).not.toContainEqual(['for', expect.anything()]);
  const rows = await parts(page);
  expect(rows.map(([name]) => name)).toEqual(['embeddings', 'layer 1', 'layer 2', 'layer 3', 'head']);
  expect(rows[0]?.[2]).toBe('0');
  expect(rows[1]?.[3]).toMatch(/loaded from/);
  expect(rows[4]?.[2]).toBe(rows[4]?.[1]);
  await page.click('#inspect');
  expect(await waitForText(page, /^Inspected/)).toMatch(/launches/);
  expect(await page.$eval('#report', ({ childElementCount }) => childElementCount)).toBeGreaterThan(0);
  await page.click('#forget');
  await waitForText(page, /^Ready/);
  expect(await marks(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

test('it fits every width, and can be stopped', async () => {
  const { page, errors } = await openPage(chromium.browser, chromium.url);
  await waitForText(page, /^Ready/);
  for (const width of [320, 768, 1440]) {
    await page.setViewport({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await page.select('#part', 'head');
  await page.$eval('#passes', (field) => {
    (field as HTMLInputElement).value = '100';
  });
  await page.click('#learn');
  await page.waitForFunction(() => document.querySelector('#learn')?.textContent === 'Stop');
  await page.click('#learn');
  await waitForText(page, /^Stopped/);
  expect(await isDisabled(page, '#learn')).toBe(false);
  expect(errors).toEqual([]);
  await page.close();
});
