/** @file Training on the main thread of real pages: they stay responsive, can stop it, and hear what went wrong. */
import { describe, expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { type BrowserFixture, useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('training');
await bundle({ entry: 'test/e2e/pages/training.ts', folder });
const mounts = { '/lib/': folder };
type Page = typeof import('./pages/training.ts');

function describeTraining(browser: BrowserFixture): void {
  test('leaves the main thread its turns, shows how far it is, and learns', async () => {
    const { spans, loss, texts } = await browser.run('/', async () => {
      const { trainVisibly } = (await import('/lib/training.js' as string)) as Page;
      return trainVisibly(8);
    });
    // The first epoch compiles. On a busy machine another process may take the core from any task: what lies in our
    // hands comes back in every epoch.
    const later = spans.filter(({ name }) => name.startsWith('epoch')).slice(1);
    expect(later).toHaveLength(7);
    const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
    expect(median(later.map(({ longTask }) => longTask))).toBe(0);
    expect(median(later.map(({ gap }) => gap))).toBeLessThan(50);
    expect(median(later.map(({ frames }) => frames))).toBeGreaterThan(0);
    expect(loss.at(-1)).toBeLessThan((loss[0] as number) / 2);
    expect(texts).toContainEqual(expect.stringMatching(/^Epoch [1-8]\/8 · [1-8]\/8 · .*\/step/));
    expect(texts.at(-1)).toMatch(/^Epoch 8\/8 · 8\/8 .* · val_loss \d/);
  });
}

describe('in Chromium', () => {
  const chromium = useBrowser({ mounts });
  describeTraining(chromium);

  test('a button stops it within two steps', async () => {
    const stopped = await chromium.run('/', async () => {
      const { stopByButton } = (await import('/lib/training.js' as string)) as Page;
      return stopByButton();
    });
    expect(stopped).toMatchObject({ name: 'AbortError', again: [0] });
    expect(stopped.later).toBeLessThanOrEqual(2);
  });

  test('a token out of range is reported with layer, position, epoch and batch; the device goes on', async () => {
    const found = await chromium.run('/', async () => {
      const { meetBadToken } = (await import('/lib/training.js' as string)) as Page;
      return meetBadToken();
    });
    expect(found).toMatchObject({
      isTyped: true,
      fault: { layer: 'words', position: [5, 4], index: 20, limit: 20 },
      done: 2,
    });
    // Steps are launched ahead: a fault is reported with those of its fence.
    const [, from, to = from] =
      /during: epoch 3 of 5, batch(?:es)? (\d)(?: to (\d))?$/.exec(found.message) ?? [];
    expect([Number(from) <= 2, Number(to) >= 2]).toEqual([true, true]);
    expect(found.losses).toHaveLength(2);
  });

  test('a device that is lost is reported as such; training is set up again from saved weights', async () => {
    const found = await chromium.run('/', async () => {
      const { loseDevice } = (await import('/lib/training.js' as string)) as Page;
      return loseDevice();
    });
    expect(found).toMatchObject({ isTyped: true, staysTyped: true, isNew: true });
    expect(found.message).toMatch(/lost, destroyed[\s\S]*hint: call init\(\) again/);
    expect(found.after).toBe(found.before);
    expect(found.history[0]).toBeLessThan(found.before * 1.5);
    expect(found.history[2]).toBeLessThan(found.history[0] as number);
  });
});

describe('in Firefox', () => {
  describeTraining(useBrowser({ browser: 'firefox', mounts }));
});
