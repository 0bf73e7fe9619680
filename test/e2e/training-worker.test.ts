/** @file The whole library in a dedicated worker of a real page. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('training-worker');
await bundle({ entry: 'test/e2e/pages/trainingWorker.ts', folder });
await bundle({ entry: 'test/e2e/pages/workerHost.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

test('trains, evaluates, predicts and saves in a worker; the page hears of it and is free', async () => {
  const { spans, heard, trained, stopped, here } = await chromium.run('/', async () => {
    const { trainInWorker } = (await import(
      '/lib/workerHost.js' as string
    )) as typeof import('./pages/workerHost.ts');
    return trainInWorker('/lib/trainingWorker.js', 6);
  });
  expect(heard.map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(heard.map(({ logs }) => logs.loss)).toEqual(trained.loss);
  expect(Object.keys(heard[0]?.logs ?? {})).toEqual(['accuracy', 'loss', 'val_accuracy', 'val_loss']);
  expect(trained.loss.at(-1)).toBeLessThan((trained.loss[0] as number) / 2);
  expect(trained.tensors).toContain('sequential/conv2d/kernel');
  // Compiling included. On a busy machine another process may take the core from any task.
  expect(spans.filter(({ longTask, gap }) => longTask > 0 || gap > 50).length).toBeLessThan(spans.length / 2);
  expect(stopped).toMatchObject({ type: 'stopped', reason: 'Error: the page has had enough' });
  // What was trained there is the same here.
  expect(here.probabilities).toEqual(trained.probabilities);
  expect(here.measured).toEqual(trained.measured);
  expect(here.bytes).toBeGreaterThan(1000);
});
