/**
 * @file The notebook as a visitor meets it, built, under its own Content-Security-Policy as a header of every file, and below
 * a path: what it shows, what its controls do, each way of breaking it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, openPage, type StaticServer, serveFolder } from '../../scripts/lib/browser.mjs';
import { buildLibrary, buildPage } from '../../scripts/lib/pages.mjs';
import { accessibilityFaults } from '../support/accessibility.ts';
import { sharedBrowser } from '../support/browser.ts';
import { Notebook, smallPicture, torchWeightsOf, weightsOf } from './pages/notebook.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const policy =
  "default-src 'none'; script-src 'self' blob:; worker-src 'self' blob:; connect-src 'self'; style-src 'self'; img-src 'self' data:";

let server: StaticServer;
beforeAll(async () => {
  buildLibrary({}, () => {});
  buildPage('notebook', {}, () => {});
  server = await serveFolder(null, {
    mounts: { '/a/b/': path.join(root, 'site') },
    headers: { 'Content-Security-Policy': policy },
  });
});
afterAll(() => server.close());

async function open(browser: Browser): Promise<Notebook> {
  const { page, errors } = await openPage(browser, `${server.url}a/b/notebook/`);
  await page.setViewport({ width: 1280, height: 900 });
  // Long enough for a busy machine; what never comes fails all the same.
  page.setDefaultTimeout(120_000);
  return new Notebook(page, errors);
}

describe('in Chromium', () => {
  let browser: Browser;
  let notebook: Notebook;
  const openSettled = async () => {
    notebook = await open(browser);
    await notebook.settled('reconstruct');
  };
  beforeAll(async () => {
    browser = await sharedBrowser('chromium');
  });
  afterEach(async ({ task }) => {
    const { page, errors } = notebook;
    // What a failed test left running must not fail the next ones.
    if (task.result?.state === 'fail' || errors.length > 0) {
      await page.close();
      await openSettled();
    }
    expect(errors).toEqual([]);
  });

  // Opening a page compiles the kernels of all its cells, so tests whose cells leave the others alone share one.
  describe('one page', () => {
    beforeAll(openSettled);
    afterAll(() => notebook.page.close());

    test('opens with the adapter, a picture and what the run will start from', async () => {
      expect(await notebook.text('#cell-adapter table')).toMatch(/adapter[\s\S]*MiB/);
      expect(await notebook.page.$$eval('#cell-reconstruct canvas', (all) => all.length)).toBe(3);
      const colours = new Set(await notebook.pixels('picture', 0));
      expect(colours.size).toBeGreaterThan(50);
    });

    test('shows what an earlier run showed, until a cell runs', async () => {
      const { page } = notebook;
      const waiting = await page.$$eval('.cell:not(.support)[data-state=idle]', (all) =>
        all.map(({ id }) => id.replace('cell-', '')),
      );
      expect(waiting.length).toBeGreaterThan(8);
      for (const cell of waiting) await page.waitForSelector(`#cell-${cell} .output > *`);
      expect(await page.$$eval('#cell-readBack .edge.disconnected', (all) => all.length)).toBe(1);
      await notebook.report('Dead relu');
      expect(await accessibilityFaults(page)).toEqual([]);
      const stateOf = (cell: string) => notebook.text(`#cell-${cell} .state`);
      expect(await stateOf('gathers')).toBe('shown from an earlier run');
      expect(await notebook.text('#cell-gathers table')).toMatch(/validated[\s\S]*unchecked[\s\S]*fresh/);
      expect(new Set(await notebook.pixels('style', 0)).size).toBeGreaterThan(50);
      await notebook.run('badIndex');
      expect(await stateOf('badIndex')).toBe('done');
    });

    const disconnections = {
      readBack: /null[\s\S]*disconnected at tensor\(\)[\s\S]*read back to the host/,
      identity: /null[\s\S]*identity layer can’t reconnect/,
      stopped: /null[\s\S]*stopGradient stops the gradient on purpose/,
    };
    test.each(Object.entries(disconnections))(
      'breaks by %s, says why, and is corrected',
      async (cell, words) => {
        await notebook.run(cell);
        expect(await notebook.text(`#cell-${cell} .output`)).toMatch(words);
        expect(await notebook.page.$$eval(`#cell-${cell} .edge.disconnected`, (all) => all.length)).toBe(1);
        await notebook.run(cell, 'fix');
        expect(await notebook.text(`#cell-${cell} .output`)).toMatch(
          /The gradient is there[\s\S]*connected:/,
        );
        expect(await notebook.page.$$eval(`#cell-${cell} .edge.disconnected`, (all) => all.length)).toBe(0);
        await notebook.run(cell, 'revert');
        expect(await notebook.text(`#cell-${cell} .output`)).toMatch(words);
      },
    );

    test('names a bad index where it is validated, and shows the silence where it is not', async () => {
      await notebook.run('badIndex');
      expect(await notebook.text('#cell-badIndex .output')).toMatch(
        /rejected[\s\S]*index 9 at position \[1\][\s\S]*silently[\s\S]*0\.00 {2}0\.00/,
      );
      await notebook.run('badIndex', 'fix');
      expect(await notebook.text('#cell-badIndex .output')).toMatch(/Both rows are there/);
    });

    test('draws the graph: layers open by keyboard, nodes tell what they hold', async () => {
      await notebook.run('graph');
      const nodes = () => notebook.page.$$eval('#cell-graph .node', (all) => all.length);
      const closed = await nodes();
      await notebook.focus('#cell-graph [role=button]');
      expect(await notebook.text('#cell-graph .detail')).toMatch(
        /vgg19 \(layer\): float32\[1, 16, 16, 64\].*KiB; the gradient passes/,
      );
      await notebook.page.keyboard.press('Enter');
      expect(await nodes()).toBeGreaterThan(closed + 5);
      expect(await notebook.page.$$eval('#cell-graph .edge.lit', (all) => all.length)).toBeGreaterThan(8);
      await notebook.page.hover('#cell-graph .node.leaf .face');
      expect(await notebook.text('#cell-graph .detail')).toMatch(/\(tensor\): float32/);
      await notebook.focus('#cell-graph [role=button]');
      await notebook.page.keyboard.press('Enter');
      expect(await nodes()).toBe(closed);
    });

    test('compares three gathers on this device', async () => {
      await notebook.run('gathers');
      expect(await notebook.text('#cell-gathers table')).toMatch(
        /validated\s+gather\s+there\s+yes[\s\S]*unchecked\s+gather\s+there\s+yes[\s\S]*fresh\s+none: fresh\s+null/,
      );
      expect(await notebook.page.$$eval('#cell-gathers .bars .bar', (all) => all.length)).toBeGreaterThan(2);
    });

    test('inspects a step, and shows its report', async () => {
      await notebook.run('inside');
      await notebook.report('Dead relu');
      await notebook.page.evaluate(() => {
        const { shadowRoot } = document.querySelector('#cell-inside .report > div') as Element;
        shadowRoot?.querySelector<HTMLElement>('#tab-layers')?.click();
      });
      await notebook.report('Conv2D');
      expect(await accessibilityFaults(notebook.page)).toEqual([]);
    });

    test('takes a picture of the visitor, and says it plainly where a file is none', async () => {
      await notebook.drop('picture', 'notes.txt', Buffer.from('not a picture'));
      await notebook.page.waitForFunction(() => document.querySelector('#cell-picture .fault strong'));
      expect(await notebook.text('#cell-picture .fault')).toMatch(/'notes.txt' is not a picture/);
      const before = await notebook.pixels('picture', 0);
      await notebook.drop('picture', 'green.png', smallPicture());
      await notebook.page.waitForFunction(
        () => document.querySelector('#cell-picture .title')?.textContent === 'green.png',
      );
      expect(await notebook.text('#cell-picture .fault')).toBe('');
      expect(await notebook.pixels('picture', 0)).not.toEqual(before);
      await notebook.page.click('#cell-picture .file .quiet');
      await notebook.page.waitForFunction(() =>
        document.querySelector('#cell-picture .title')?.textContent?.includes('bay'),
      );
    });

    test.each(['style', 'superResolution'])('trains %s', async (cell) => {
      await notebook.run(cell);
      if (cell === 'style') {
        await notebook.drop(cell, 'notes.txt', Buffer.from('not a picture'));
        await notebook.waitForText(cell, "'notes.txt' is not a picture", '.fault');
        await notebook.drop(cell, 'stripes.png', smallPicture());
        await notebook.page.waitForSelector(`#cell-${cell}[data-state=done] .fault[hidden]`);
        await notebook.move(cell, 'style', 2);
      }
      await notebook.press(cell, 'start');
      await notebook.step(cell, 8);
      await notebook.fallen(cell);
      await notebook.press(cell, 'start');
    });

    test.each([320, 768, 1600])('fits a screen of %i pixels, and every control has a name', async (width) => {
      await notebook.page.setViewport({ width, height: 900 });
      expect(await notebook.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await notebook.page.click('#chapters a[href="#break"]');
      expect(await notebook.page.evaluate(() => scrollY)).toBeGreaterThan(0);
      const nameless = await notebook.page.$$eval(
        'button, input, textarea, summary, canvas, [role=img]',
        (all) =>
          all
            .filter((element) => {
              const label = (element as HTMLInputElement).labels?.[0]?.textContent;
              return !(label || element.textContent || element.getAttribute('aria-label'));
            })
            .map((element) => element.outerHTML),
      );
      expect(nameless.filter((html) => !html.startsWith('<textarea'))).toEqual([]);
    });
  });

  // The next two sets share a page each, too: every test leaves its cells stopped.
  describe('a page whose reconstruction runs', () => {
    beforeAll(openSettled);
    afterAll(() => notebook.page.close());

    test('trains: both losses fall, the pictures change, and no task of the page is long', async () => {
      await notebook.move('reconstruct', 'size', 32);
      const before = await notebook.pixels('reconstruct', 2);
      await notebook.press('reconstruct', 'start');
      await notebook.step('reconstruct', 2);
      expect(await notebook.longestTask(() => notebook.step('reconstruct', 12))).toBeLessThan(50);
      expect(await notebook.text('#cell-reconstruct .status span')).toMatch(/\d steps\/s/);
      await notebook.fallen('reconstruct', 3);
      expect(await notebook.pixels('reconstruct', 2)).not.toEqual(before);
      await notebook.press('reconstruct', 'start');
      await notebook.label('reconstruct', 'start', 'Resume');
      const paused = await notebook.stepNow('reconstruct');
      await notebook.press('reconstruct', 'start');
      await notebook.step('reconstruct', paused + 2);
      await notebook.reset('reconstruct');
    });

    test('follows its sliders while it runs', async () => {
      await notebook.move('reconstruct', 'size', 16);
      await notebook.press('reconstruct', 'start');
      await notebook.step('reconstruct', 3);
      const before = await notebook.stepNow('reconstruct');
      await notebook.move('reconstruct', 'learningRate', 150);
      await notebook.move('reconstruct', 'block1_conv2', 0.5);
      await notebook.move('reconstruct', 'block2_conv2', 0);
      await notebook.move('reconstruct', 'block3_conv2', 0.5);
      await notebook.step('reconstruct', before + 3);
      await notebook.restarted('reconstruct', () => notebook.move('reconstruct', 'size', 32));
      expect(
        await notebook.page.$eval(
          '#cell-reconstruct canvas',
          (canvas) => (canvas as HTMLCanvasElement).width,
        ),
      ).toBe(32);
      await notebook.step('reconstruct', 5);
      await notebook.restarted('reconstruct', () => notebook.move('reconstruct', 'seed', 7));
      for (const layer of ['block1_conv2', 'block3_conv2']) await notebook.move('reconstruct', layer, 0);
      await notebook.waitForText('reconstruct', 'Give at least one layer a weight above 0.', '.fault');
      await notebook.move('reconstruct', 'block1_conv2', 1);
      await notebook.page.waitForSelector('#cell-reconstruct[data-state=done] .fault[hidden]');
      await notebook.step('reconstruct', (await notebook.stepNow('reconstruct')) + 2);
      await notebook.reset('reconstruct');
    });

    test('goes on from the last step shown when the device is lost', async () => {
      await notebook.move('reconstruct', 'size', 16);
      await notebook.press('reconstruct', 'start');
      await notebook.step('reconstruct', 4);
      await notebook.run('lostDevice');
      const lost = await notebook.stepNow('reconstruct');
      await notebook.step('reconstruct', lost + 3);
      await notebook.fallen('reconstruct');
      // Lost while nothing runs: whatever is tried next opens another.
      await notebook.press('reconstruct', 'start');
      await notebook.label('reconstruct', 'start', 'Resume');
      await notebook.run('lostDevice');
      await notebook.move('reconstruct', 'seed', 3);
      await notebook.waitForText('reconstruct', 'Back at the start.');
      await notebook.run('lostDevice');
      await notebook.run('readBack');
      expect(await notebook.text('#cell-readBack .output')).toMatch(/The gradient is null/);
      await notebook.run('lostDevice', 'fix');
      expect(await notebook.text('#cell-lostDevice .output')).toMatch(/A device is open/);
    });

    test('takes trained weights, and says what is wrong with a file', async () => {
      await notebook.drop('features', 'vgg.safetensors', Buffer.from('no such file'));
      await notebook.page.waitForFunction(() => document.querySelector('#cell-features .fault strong'));
      expect(await notebook.text('#cell-features .fault')).toMatch(/FormatError/);
      await notebook.drop('features', 'part.safetensors', weightsOf([['block1_conv1', 3, 64]]));
      await notebook.page.waitForFunction(() =>
        document
          .querySelector('#cell-features .output')
          ?.textContent?.includes('2 tensors of part.safetensors'),
      );
      await notebook.move('reconstruct', 'size', 16);
      await notebook.move('reconstruct', 'block2_conv2', 0);
      await notebook.press('reconstruct', 'start');
      await notebook.waitForText('reconstruct', 'Stopped');
      expect(await notebook.text('#cell-reconstruct .fault')).toMatch(
        /no weights for 'block1_conv2\/kernel'/,
      );
      const whole = weightsOf([
        ['block1_conv1', 3, 64],
        ['block1_conv2', 64, 64],
      ]);
      await notebook.drop('features', 'whole.safetensors', whole);
      await notebook.page.waitForFunction(() =>
        document
          .querySelector('#cell-features .output')
          ?.textContent?.includes('4 tensors of whole.safetensors'),
      );
      await notebook.press('reconstruct', 'start');
      await notebook.page.waitForSelector('#cell-reconstruct .fault[hidden]');
      await notebook.step('reconstruct', 2);
      expect(await notebook.text('#cell-features .output')).toMatch(
        /VGG19 as far as block1_conv2, weights of Keras, 38,720 parameters/,
      );
      // A file of another network, and one of torchvision, by the button.
      const other = fs.readFileSync(path.join(root, 'test/fixtures/models/mlp_classifier/model.weights.h5'));
      await notebook.drop('features', 'mine.h5', other);
      await notebook.waitForText('features', 'This file can’t be used.', '.fault');
      expect(await notebook.text('#cell-features .fault')).toMatch(
        /the file must have the weights of VGG16 or VGG19[\s\S]*none for 'block1_conv1\/kernel'/,
      );
      await notebook.choose('features', 'vgg.pth', torchWeightsOf([[3, 64]]));
      await notebook.waitForText(
        'features',
        '2 tensors of vgg.pth: VGG19 as far as block1_conv1, weights of torchvision',
        '.output',
      );
    });
  });

  describe('a page that is edited', () => {
    beforeAll(openSettled);
    afterAll(() => notebook.page.close());

    test('runs edited code, and the cells that use it; says what is wrong with it', async () => {
      await notebook.edit('picture', (source) => source.replace('A bay, drawn by the page', 'Edited'));
      await notebook.settled('reconstruct');
      expect(await notebook.text('#cell-picture .title')).toBe('Edited');
      await notebook.edit('badIndex', () => "import { nothing } from './nowhere.js';");
      expect(await notebook.text('#cell-badIndex .fault')).toMatch(/no cell 'nowhere'/);
      await notebook.edit('badIndex', () => '\n\nthrow new Error("on purpose");');
      expect(await notebook.text('#cell-badIndex .fault')).toMatch(/\(line 3\)[\s\S]*on purpose/);
      await notebook.edit('badIndex', () => 'const = 1;');
      expect(await notebook.text('#cell-badIndex .fault')).toMatch(/SyntaxError/);
      await notebook.edit(
        'badIndex',
        () => "import { zeros } from 'retrograd';\nawait zeros([2 ** 16, 2 ** 16]).data();",
      );
      expect(await notebook.text('#cell-badIndex .fault')).toMatch(/no memory left[\s\S]*smaller size/);
      await notebook.run('badIndex', 'revert');
      expect(await notebook.text('#cell-badIndex .fault')).toBe('');
    });

    test('stops a cell that never ends', async () => {
      await notebook.edit('badIndex', () => 'for (;;) {}', { wait: false });
      await notebook.page.click('#restart');
      await notebook.settled('reconstruct');
      expect(await notebook.text('#cell-adapter .state')).toBe('done');
    });
  });
});

test('says what to do where there is no WebGPU', async () => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-notebook-'));
  fs.cpSync(path.join(root, 'site', 'notebook'), copy, { recursive: true });
  const name = fs.readdirSync(path.join(copy, 'assets')).find((file) => /^kernel-.*\.js$/.test(file));
  const kernel = path.join(copy, 'assets', name as string);
  const without = "Object.defineProperty(navigator, 'gpu', { value: undefined });";
  fs.writeFileSync(kernel, `${without}\n${fs.readFileSync(kernel, 'utf8')}`);
  const served = await serveFolder(path.join(root, 'site'), { mounts: { '/without/': copy } });
  const { page, errors } = await openPage(await sharedBrowser('chromium'), `${served.url}without/`);
  try {
    const notebook = new Notebook(page, errors);
    await notebook.settled('reconstruct');
    expect(await notebook.text('#cell-adapter .fault')).toMatch(
      /no WebGPU[\s\S]*Chrome[\s\S]*Safari[\s\S]*Firefox/,
    );
    expect(await notebook.text('#cell-reconstruct .fault')).toMatch(/needs 'adapter'/);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
    await served.close();
    fs.rmSync(copy, { recursive: true });
  }
});

test('the main path in Firefox', async () => {
  const notebook = await open(await sharedBrowser('firefox'));
  try {
    await notebook.settled('reconstruct');
    expect(await notebook.text('#cell-adapter .fault')).toBe('');
    await notebook.move('reconstruct', 'size', 16);
    await notebook.press('reconstruct', 'start');
    await notebook.step('reconstruct', 6);
    await notebook.fallen('reconstruct');
    await notebook.press('reconstruct', 'start');
    await notebook.run('readBack');
    expect(await notebook.text('#cell-readBack .output')).toMatch(/null[\s\S]*disconnected at tensor\(\)/);
    await notebook.run('badIndex');
    expect(await notebook.text('#cell-badIndex .output')).toMatch(/index 9 at position \[1\]/);
    expect(notebook.errors).toEqual([]);
  } finally {
    await notebook.page.close();
  }
});
