/** @file The page examples/super-resolution in Chromium: its network learns from a picture, and comes nearer to it. */
import { expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { useBrowser } from '../support/browser.ts';
import { buildExamplePage } from '../support/examplePages.ts';

const chromium = useBrowser({ mounts: { '/': await buildExamplePage('super-resolution') } });

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

/** Opens the page, and chooses the smallest picture. */
async function openSmall() {
  const opened = await openPage(chromium.browser, chromium.url);
  await waitForText(opened.page, /^Ready/);
  await opened.page.select('#size', '64');
  await waitForText(opened.page, /^Ready/);
  return opened;
}

const decibelsIn = (words: string) => Number(/(-?[\d.]+) dB/.exec(words)?.[1]);

test('its network learns, is saved, and forgets', async () => {
  const { page, errors } = await openSmall();
  const before = decibelsIn(await text(page, '#before-words'));
  expect(before).toBeGreaterThan(15);
  expect(await text(page, '#after-words')).toBe(`it hasn’t learned yet: ${before.toFixed(2)} dB`);
  await page.$eval('#steps', (field) => {
    (field as HTMLInputElement).value = '30';
  });
  await page.click('#learn');
  await waitForText(page, /^Done/);
  const words = await text(page, '#after-words');
  expect(words).toMatch(/^after 30 steps/);
  expect(decibelsIn(words)).toBeGreaterThan(before + 0.1);
  await page.click('#save');
  await waitForText(page, /^Saved enlarge\.keras/);
  await page.click('#forget');
  expect(decibelsIn(await waitForText(page, /^Ready/))).toBe(before);
  expect(await isDisabled(page, '#forget')).toBe(true);
  expect(errors).toEqual([]);
  await page.close();
});

test('it fits every width, and can be stopped', async () => {
  const { page, errors } = await openSmall();
  for (const width of [320, 768, 1440]) {
    await page.setViewport({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await page.click('#learn');
  await waitForText(page, /^Step/);
  expect(await text(page, '#learn')).toBe('Stop');
  await page.click('#learn');
  await waitForText(page, /^Stopped/);
  expect(await isDisabled(page, '#learn')).toBe(false);
  expect(errors).toEqual([]);
  await page.close();
});
