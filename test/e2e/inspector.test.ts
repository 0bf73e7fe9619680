/** @file The page of a step report in Chromium: from one file, without network, at three widths. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { init, randomNormal, tensor, zeros } from '../../src/index.ts';
import { compareSteps, inspect, inspector, recordSteps, StepReport } from '../../src/inspect/index.ts';
import { initializers, input, layers, model } from '../../src/keras/index.ts';
import { openPage } from '../../scripts/lib/browser.mjs';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';
import { useBrowser } from '../support/browser.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { usePlainStacks } from '../support/plainStacks.ts';

usePlainStacks();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-report-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const lib = temporaryFolder('inspector');
await bundle({ entry: 'test/e2e/pages/inspector.ts', folder: lib });
const browser = useBrowser({ mounts: { '/lib/': lib } });

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

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

test('a report opens from a file, and says everything on a click', async () => {
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
  const details = await text('.details');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(details).toMatch(/fusedConv2d[\s\S]*Outputs[\s\S]*Launches/i);
  // Of the node: shapes, bytes, time, speed, launches, and which variants of kernels ran.
  for (const words of [
    /\[4, 8, 8, 4\]\s+4\.1 kB/,
    /time\s+\S+ (?:µs|ms)/,
    /launches\s+\d/,
    /moved\s+\S+ k?B/,
    /speed\s+\S+ GFLOP\/s/,
    /\d+ workgroups · \w+/,
    /mean \S+, zeros 100 %/,
  ])
    expect(details).toMatch(words);
  const opened = await page.$$eval('.node', (nodes) => nodes.length);
  expect(opened).toBeGreaterThan(8);
  await page.click('[data-direction="backward"]');
  expect(await page.$$eval('.node.call', (nodes) => nodes.length)).toBeGreaterThan(0);
  // By keyboard: the model closes.
  await page.click('[data-direction="forward"]');
  const before = await page.$$eval('.node', (nodes) => nodes.length);
  await page.$eval('.node.layer .face', (node) => (node as SVGElement).focus());
  await page.keyboard.press('Enter');
  expect(await page.$eval('.node.layer .face', (node) => node.getAttribute('aria-expanded'))).toBe('false');
  expect(await page.$$eval('.node', (nodes) => nodes.length)).toBeLessThan(before);

  const tabTexts: Record<string, RegExp> = {
    layers: /eye[\s\S]*Conv2D/,
    gradients: /dead\/kernel[\s\S]*zero/,
    memory: /The peak of .* is reached/,
    kernels: /Kernels and their variants/i,
    'feature-maps': /eye/,
  };
  for (const [tab, words] of Object.entries(tabTexts)) {
    await page.click(`#tab-${tab}`);
    expect(await text(`#panel-${tab}`), tab).toMatch(words);
    expect(await accessibilityFaults(page), tab).toEqual([]);
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
  expect(await accessibilityFaults(both.page)).toEqual([]);
  expect(both.errors).toEqual([]);
  await net.dispose();
});

/** The layers of VGG19, with few filters. */
function thinVgg19() {
  let image = input({ shape: [32, 32, 3] });
  const inputs = image;
  [2, 2, 4, 4, 4].forEach((count, block) => {
    for (let i = 1; i <= count; i++)
      image = layers
        .conv2d({
          filters: 4,
          kernelSize: 3,
          padding: 'same',
          activation: 'relu',
          name: `block${block + 1}_conv${i}`,
        })
        .apply(image);
    image = layers.maxPooling2d({ name: `block${block + 1}_pool` }).apply(image);
  });
  image = layers.flatten().apply(image);
  for (const name of ['fc1', 'fc2'])
    image = layers.dense({ units: 8, activation: 'relu', name }).apply(image);
  return model({
    inputs,
    outputs: layers.dense({ units: 3, name: 'predictions' }).apply(image),
    name: 'vgg19',
  });
}

/** Blocks of a transformer, each with two residual connections. */
function transformer(blocks: number) {
  const inputs = input({ shape: [6, 8] });
  let x = inputs;
  for (let block = 0; block < blocks; block++) {
    const seen = layers.layerNormalization({ name: `norm_${block}` }).apply(x);
    const attended = layers
      .multiHeadAttention({ numHeads: 2, keyDim: 4, name: `attention_${block}` })
      .apply([seen, seen]);
    x = layers.add({ name: `with_attention_${block}` }).apply([x, attended]);
    const wide = layers.dense({ units: 16, activation: 'gelu', name: `wide_${block}` }).apply(x);
    const narrow = layers.dense({ units: 8, name: `narrow_${block}` }).apply(wide);
    x = layers.add({ name: `with_dense_${block}` }).apply([x, narrow]);
  }
  return model({ inputs, outputs: layers.dense({ units: 3, name: 'words' }).apply(x), name: 'transformer' });
}

/** In the page: opens all layers; pairs of boxes that overlap, and the size of the smallest text in pixels. */
function drawn() {
  (document.querySelector('button[title="Open all layers"]') as HTMLElement).click();
  const boxes = [...document.querySelectorAll<SVGGElement>('.node')].map((node) => {
    const { x, y, width, height } = (node.querySelector('.body') as Element).getBoundingClientRect();
    return {
      level: node.parentElement,
      name: node.querySelector('.face')?.getAttribute('aria-label'),
      x,
      y,
      width,
      height,
    };
  });
  const overlaps = boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b) => {
      const isApart =
        a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
      return isApart || a.level !== b.level ? [] : [`${a.name} and ${b.name}`];
    }),
  );
  const svg = document.querySelector('.graph') as SVGSVGElement;
  const pixels = svg.clientWidth / svg.viewBox.baseVal.width;
  const texts = [...document.querySelectorAll('.node text')].map(
    (text) => pixels * Number.parseFloat(getComputedStyle(text).fontSize),
  );
  return { nodes: boxes.length, overlaps, min: Math.min(...texts) };
}

test('VGG19 and a transformer are drawn completely: every op, without overlaps, legible', async () => {
  for (const [net, x, y, min] of [
    [thinVgg19(), randomNormal([1, 32, 32, 3], { seed: 1 }), zeros([1, 3]), 45],
    [transformer(6), randomNormal([1, 6, 8], { seed: 1 }), zeros([1, 6, 3]), 80],
  ] as const) {
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const report = await inspector({ featureMaps: 0 })(net, x, y);
    const file = path.join(folder, `${net.name}.html`);
    await report.save(file);
    const { page, errors } = await openPage(browser.browser, pathToFileURL(file).href);
    await page.setViewport({ width: 1600, height: 1000 });
    await page.click('#tab-graph');
    const { nodes, overlaps, min: text } = await page.evaluate(drawn);
    expect(overlaps, net.name).toEqual([]);
    expect(nodes, net.name).toBeGreaterThan(min);
    expect(text, net.name).toBeGreaterThanOrEqual(9);
    // The last op, far down: it comes to the middle of the picture.
    const last = await page.evaluate(() => {
      const canvas = document.querySelector('.graph')?.getBoundingClientRect();
      const named = [...document.querySelectorAll<SVGGElement>('.node.call .face')].at(-1);
      named?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
      return { height: canvas?.height ?? 0, details: document.querySelector('.details')?.textContent };
    });
    expect(last.height).toBeGreaterThan(500);
    expect(last.details).toMatch(/Outputs/);
    expect(errors).toEqual([]);
    await page.close();
    net.dispose();
  }
});

test('in a page a report is shown next to the app, and a recorded step is replayed on a click', async () => {
  const shown = await browser.run('/', async () => {
    const { showReport, showRecording } = (await import(
      '/lib/inspector.js' as string
    )) as typeof import('./pages/inspector.ts');
    return { report: await showReport(), recording: await showRecording() };
  });
  expect(shown.report.findings).toMatch(/Dead relu/);
  expect(shown.report.isFixed).toBe(true);
  expect(shown.report.afterClose).toBe(false);
  expect(shown.recording.before).toMatch(/Step 5 of 6 · loss \d/);
  expect(shown.recording.offered).toBe('Replay and open step 3');
  expect(shown.recording.title).toMatch(/, step 3$/);
  expect(shown.recording.kept).toBe('Gradients');
});

test('a saved recording is scrubbed through from its file', async () => {
  const net = classifier();
  const recording = recordSteps(net, { name: 'training', checkpointEvery: 3 });
  const x = randomNormal([4, 8, 8, 3], { seed: 1 });
  const y = tensor([0, 1, 2, 0], { dtype: 'int32' });
  for (let step = 0; step < 5; step++) await recording.step(x, y);
  await recording.open(1);
  await recording.open(4);
  const file = path.join(folder, 'recording.html');
  await recording.save(file);
  const { page, errors } = await openPage(browser.browser, pathToFileURL(file).href);
  expect(await page.title()).toBe('training: recorded steps');
  const textOf = (selector: string) => page.$eval(selector, (found) => (found as HTMLElement).innerText);
  expect(await textOf('.status')).toMatch(/^Step 1 of 5 · loss/);
  expect(await textOf('.tiles')).toMatch(/loss/i);
  await page.focus('input[type="range"]');
  await page.keyboard.press('ArrowRight');
  expect(await textOf('.status')).toMatch(/^Step 2 of 5/);
  expect(await textOf('.note')).toMatch(/recording\.open\(2\) replays it/);
  await page.keyboard.press('End');
  expect(await page.$eval('.tiles', (found) => found.isConnected)).toBe(true);
  expect(
    await page.$$eval('h1, h2.title', (all) => all.map((title) => (title as HTMLElement).innerText)),
  ).toEqual(['training', 'training, step 4']);
  expect(await accessibilityFaults(page)).toEqual([]);
  for (const width of [320, 768, 1600]) {
    await page.setViewport({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  expect(errors).toEqual([]);
  recording.dispose();
  net.dispose();
});

test('a recording says what its curve shows, and draws a range of decades', async () => {
  const recording = recordSteps((step: number) => ({ loss: 2 ** step }), { name: 'growth', state: [] });
  for (let step = 0; step < 20; step++) await recording.step(step);
  const file = path.join(folder, 'growth.html');
  await recording.save(file);
  recording.dispose();
  const { page, errors } = await openPage(browser.browser, pathToFileURL(file).href);
  const textOf = (selector: string) => page.$eval(selector, (found) => (found as HTMLElement).innerText);
  expect(await textOf('.findings')).toMatch(/Error[\s\S]*The loss rises: from about 4 in the first steps to/);
  expect(await textOf('.steps')).toMatch(/loss: 1 to 5\.2e5, on a logarithmic scale/);
  // Twice the loss is always the same height.
  const heights = await page.$eval('.steps .curve', (curve) =>
    [...(curve.getAttribute('d') ?? '').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y)),
  );
  const falls = heights.slice(1).map((height, i) => (heights[i] as number) - height);
  expect(Math.max(...falls) - Math.min(...falls)).toBeLessThan(0.3);
  expect(errors).toEqual([]);
  await page.close();
});
