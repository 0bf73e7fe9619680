/** @file The page of a step report in Chromium: from one file, without network, at three widths. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { init, tensor } from '../../src/index.ts';
import { compareSteps, inspect, inspector, StepReport } from '../../src/inspect/index.ts';
import { initializers, input, layers, model } from '../../src/keras/index.ts';
import { openPage } from '../../scripts/lib/browser.mjs';
import { useBrowser } from '../support/browser.ts';
import { installNodeGpu } from '../support/gpu.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-report-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const browser = useBrowser();

/** A classifier with a dead relu and a residual connection. */
function classifier() {
  const image = input({ shape: [8, 8, 3] });
  const seen = layers
    .conv2d({ filters: 4, kernelSize: 3, padding: 'same', activation: 'relu', name: 'eye' })
    .apply(image);
  const biasInitializer = initializers.constant({ value: -20 });
  const dead = layers
    .conv2d({ filters: 4, kernelSize: 3, padding: 'same', activation: 'relu', name: 'dead', biasInitializer })
    .apply(seen);
  const both = layers
    .globalAveragePooling2d({ name: 'pool' })
    .apply(layers.add({ name: 'sum' }).apply([seen, dead]));
  const net = model({
    inputs: image,
    outputs: layers.dense({ units: 3, activation: 'softmax', name: 'head' }).apply(both),
    name: 'net',
  });
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
  return net;
}

test('a report opens from a file, and says everything on a click', async () => {
  await installNodeGpu();
  await init();
  const net = classifier();
  const x = tensor(
    Array.from({ length: 4 * 192 }, (_, i) => Math.sin(i)),
    { shape: [4, 8, 8, 3] },
  );
  const y = tensor([0, 1, 2, 0], { dtype: 'int32' });
  const first = await inspector({ name: '</script><b>net' })(net, x, y);
  const second = await inspect(net, x, y);
  await first.save(path.join(folder, 'step.html'));
  await first.save(path.join(folder, 'step.json'));
  const read = new StepReport(JSON.parse(fs.readFileSync(path.join(folder, 'step.json'), 'utf8')));
  await compareSteps(read, second).save(path.join(folder, 'both.html'));

  const requests: string[] = [];
  const { page, errors } = await openPage(
    browser.browser,
    pathToFileURL(path.join(folder, 'step.html')).href,
    {
      prepare: async (opened) => {
        opened.on('request', (request) => void requests.push(request.url()));
      },
    },
  );
  const text = (selector: string) => page.$eval(selector, (element) => (element as HTMLElement).innerText);
  expect(await text('h1')).toBe('</script><b>net');
  expect(await text('.finding')).toMatch(/Dead relu: all 1024 outputs .*dead/);

  // From the finding to the call in the graph.
  await page.click('.finding .link');
  await page.waitForSelector('.node.call.selected');
  expect(await text('.details')).toMatch(/fusedConv2d[\s\S]*Outputs[\s\S]*Launches/i);
  const opened = await page.$$eval('.node', (nodes) => nodes.length);
  expect(opened).toBeGreaterThan(8);
  await page.click('[data-direction="backward"]');
  expect(await page.$$eval('.node.call', (nodes) => nodes.length)).toBeGreaterThan(0);
  // By keyboard: the model closes.
  await page.click('[data-direction="forward"]');
  const before = await page.$$eval('.node', (nodes) => nodes.length);
  await page.$eval('.node.layer', (node) => (node as SVGElement).focus());
  await page.keyboard.press('Enter');
  expect(await page.$eval('.node.layer', (node) => node.getAttribute('aria-expanded'))).toBe('false');
  expect(await page.$$eval('.node', (nodes) => nodes.length)).toBeLessThan(before);

  const says: Record<string, RegExp> = {
    layers: /eye[\s\S]*Conv2D/,
    gradients: /dead\/kernel[\s\S]*zero/,
    memory: /The peak of .* is reached/,
    kernels: /Kernels and their variants/i,
    'feature-maps': /eye/,
  };
  for (const [tab, words] of Object.entries(says)) {
    await page.click(`#tab-${tab}`);
    expect(await text(`#panel-${tab}`), tab).toMatch(words);
    for (const width of [320, 768, 1600]) {
      await page.setViewport({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${tab} at ${width}`).toBe(
        width,
      );
    }
  }
  expect(await page.$$eval('canvas', (maps) => maps.length)).toBeGreaterThan(8);
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  expect(errors).toEqual([]);

  const both = await openPage(browser.browser, pathToFileURL(path.join(folder, 'both.html')).href);
  expect(await both.page.$eval('#panel-comparison', (panel) => (panel as HTMLElement).innerText)).toMatch(
    /loss[\s\S]*still: Dead relu[\s\S]*eye/,
  );
  expect(both.errors).toEqual([]);
  await net.dispose();
});
