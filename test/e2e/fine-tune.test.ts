/** @file The page examples/fine-tune in Chromium: its network learns a text, is saved, and is exchanged for another one. */
import { expect, test } from 'vitest';
import { openPage, type Page } from '../../scripts/lib/browser.mjs';
import { useBrowser } from '../support/browser.ts';
import { buildExamplePage } from '../support/examplePages.ts';

const chromium = useBrowser({ mounts: { '/': await buildExamplePage('fine-tune') } });

async function waitForText(page: Page, words: RegExp): Promise<string> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#status')?.textContent ?? ''),
    { timeout: 150_000 },
    words.source,
  );
  return text(page, '#status');
}

const text = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent ?? '');
const isDisabled = (page: Page, selector: string) =>
  page.$eval(selector, (button) => (button as HTMLButtonElement).disabled);

/** Types into the fields of the page. */
const fill = (page: Page, values: Record<string, string>) =>
  page.evaluate((given) => {
    for (const [id, value] of Object.entries(given))
      (document.querySelector(`#${id}`) as HTMLInputElement).value = value;
  }, values);

test('its network learns a text, writes with and without it, is saved, and forgets', async () => {
  const { page, errors } = await openPage(chromium.browser, chromium.url);
  await waitForText(page, /^Ready/);
  expect(await text(page, '#network')).toMatch(/^llama · 2\.1 MB of weights/);
  expect(await isDisabled(page, '#save-adapter')).toBe(true);
  const line = 'Whales sing to whales, and whales sing back. ';
  await fill(page, { text: line.repeat(4), prompt: 'Whales sing', temperature: '0', passes: '12' });
  await page.click('#learn');
  const done = await waitForText(page, /^Done: loss/);
  // The text repeats itself: what it has learned, it knows by heart.
  expect(Number(/loss (\S+)/.exec(done)?.[1])).toBeLessThan(1);
  const [before, after] = [await text(page, '#before'), await text(page, '#after')];
  expect(before).toMatch(/^Whales sing/);
  expect(before).not.toContain('whales sing back');
  expect(after).toContain('to whales, and whales sing back');
  await page.click('#write');
  await waitForText(page, /^Done\.$/);
  // The network as it was writes as before: its weights haven't changed.
  expect((await text(page, '#before')).startsWith(before)).toBe(true);
  expect((await text(page, '#after')).startsWith(after)).toBe(true);
  for (const [button, names] of [
    ['#save-adapter', ['adapter_model.safetensors', 'adapter_config.json']],
    ['#save-keras', ['network.keras']],
    ['#save-network', ['model.safetensors', 'config.json']],
  ] as const) {
    await page.click(button);
    await waitForText(page, new RegExp(`^Saved ${names[0]}`));
    const saved = await page.$$eval('#files a', (links) =>
      links.map((link) => (link as HTMLAnchorElement).download),
    );
    expect(saved).toEqual(names);
  }
  await page.click('#forget');
  await waitForText(page, /^Forgotten/);
  expect(await isDisabled(page, '#save-adapter')).toBe(true);
  expect(errors).toEqual([]);
  await page.close();
});

test('it opens the files that are dropped, and says what is missing', async () => {
  const { page, errors } = await openPage(chromium.browser, chromium.url);
  await waitForText(page, /^Ready/);
  const drop = (names: readonly string[]) =>
    page.evaluate(async (wanted) => {
      const dropped = new DataTransfer();
      for (const name of wanted)
        dropped.items.add(new File([await (await fetch(`./model/${name}`)).blob()], name));
      document
        .querySelector('#drop')
        ?.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, cancelable: true }));
    }, names);
  await drop(['config.json', 'tokenizer.json']);
  expect(await waitForText(page, /model\.safetensors/)).toMatch(/fromPretrained/);
  await drop(['config.json', 'model.safetensors', 'tokenizer.json']);
  await waitForText(page, /^Ready/);
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
  await page.click('#learn');
  await page.waitForFunction(() => document.querySelector('#learn')?.textContent === 'Stop');
  await page.click('#learn');
  await waitForText(page, /^Stopped/);
  expect(await isDisabled(page, '#learn')).toBe(false);
  expect(errors).toEqual([]);
  await page.close();
});
