/**
 * @file The demo as a user runs it, on a small picture: what it writes, what it prints, how it fails.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { afterAll, describe, expect, test } from 'vitest';
import { writeSafetensors } from '../../src/formats/safetensors/index.ts';
import type { HostTensor } from '../../src/formats/hostTensor.ts';
import { openPage, serveFolder } from '../../scripts/lib/browser.mjs';
import { sharedBrowser } from '../support/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-demo-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function demo(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/demo.mjs', ...args], { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Values that differ, about 0. */
function filled(shape: number[]): HostTensor {
  const size = shape.reduce((product, n) => product * n, 1);
  const data = Float32Array.from({ length: size }, (_, i) => (((i * 37) % 101) - 50) / 1000);
  return { shape, dtype: 'float32', data };
}

function writePicture(width: number, height: number): string {
  const png = new PNG({ width, height });
  for (let i = 0; i < png.data.length; i += 4) {
    const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
    png.data.set([(x * 37) % 256, (y * 53) % 256, (x ^ y) & 1 ? 220 : 40, 255], i);
  }
  const file = path.join(folder, 'picture.png');
  fs.writeFileSync(file, PNG.sync.write(png));
  return file;
}

describe('npm run demo', () => {
  test('reconstructs a picture of any size, and writes picture, curves and summary', async () => {
    const out = path.join(folder, 'results');
    const layers = 'block1_conv2,block2_conv1';
    const args = ['--size', '16', '--steps', '30', '--layers', layers, '--image', writePicture(50, 31)];
    const { code, stdout, stderr } = await demo(...args, '--out', out, '--json');
    expect(stderr).toMatch(/perceptual +█+ 30\/30 {2}loss/);
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect(JSON.parse(fs.readFileSync(path.join(out, 'summary.json'), 'utf8'))).toEqual(summary);
    const keys = 'adapter engine size steps stepsPerSecond pixel perceptual submitsPerStep peakBytes';
    expect(Object.keys(summary)).toEqual(keys.split(' '));
    expect(Object.keys(summary.pixel)).toEqual(['first', 'last', 'psnr']);
    expect(Object.keys(summary.perceptual)).toEqual(['first', 'last', 'psnr', 'layers']);
    expect(summary).toMatchObject({ size: 16, steps: 30, perceptual: { layers: layers.split(',') } });
    for (const run of [summary.pixel, summary.perceptual]) {
      expect(run.last).toBeLessThan(run.first / 20);
      expect(run.psnr).toBeGreaterThan(20);
    }
    expect(summary.submitsPerStep).toBeLessThan(2);
    const sheet = PNG.sync.read(fs.readFileSync(path.join(out, 'perceptual-loss.png')));
    expect(sheet.width).toBeGreaterThan(4 * 16);
    expect(new Set(sheet.data).size).toBeGreaterThan(50);
    expect(fs.readFileSync(path.join(out, 'loss.svg'), 'utf8')).toMatch(
      /^<svg[\s\S]*(<path[\s\S]*){2}<\/svg>\s*$/,
    );
  });

  test('has a page that shows both runs live, and can be stopped', async () => {
    const server = await serveFolder(path.join(root, 'site'));
    const { page, errors } = await openPage(await sharedBrowser('chromium'), `${server.url}perceptual-loss/`);
    try {
      const status = (words: string) =>
        page.waitForFunction(
          (text) => document.querySelector('#status')?.textContent?.includes(text),
          {},
          words,
        );
      const fill = async (name: string, value: number) => {
        await page.$eval(`input[name=${name}]`, (field) => {
          field.value = '';
        });
        await page.type(`input[name=${name}]`, String(value));
      };
      await fill('size', 16);
      await fill('steps', 4);
      await page.click('button[type=submit]');
      await status('dB by perceptual loss');
      expect(await page.$$eval('#curves path.line', (lines) => lines.length)).toBe(2);
      await fill('steps', 2000);
      await page.click('button[type=submit]');
      await status('step 4 of 2000');
      await page.click('#stop');
      await status('Stopped.');
      expect(errors).toEqual([]);
    } finally {
      await page.close();
      await server.close();
    }
  });

  test('reports a bad argument in a sentence, with exit code 2', async () => {
    const { code, stdout, stderr } = await demo('--layers', 'block7_conv1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^--layers: VGG19 has no layer 'block7_conv1'/);
  });

  test('takes trained weights, and says which network they are', async () => {
    const file = path.join(folder, 'some.weights');
    const kernels = Object.entries({ 0: [3, 64], 2: [64, 64], 5: [64, 128], 7: [128, 128], 10: [128, 256] });
    for (const index of [12, 14]) kernels.push([String(index), [256, 256]]);
    kernels.push(['17', [256, 512]]);
    for (const index of [19, 21, 24, 26, 28]) kernels.push([String(index), [512, 512]]);
    const tensors = kernels.flatMap(([index, [from, to]]): [string, HostTensor][] => [
      [`features.${index}.weight`, filled([to as number, from as number, 3, 3])],
      [`features.${index}.bias`, filled([to as number])],
    ]);
    fs.writeFileSync(file, writeSafetensors(new Map(tensors)));
    const args = ['--size', '16', '--steps', '2', '--layers', 'block1_conv2', '--weights', file];
    const { code, stdout } = await demo(...args, '--out', path.join(folder, 'trained'), '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect([summary.network, summary.weights]).toEqual(['VGG16', 'weights of torchvision from some.weights']);
    expect(summary.perceptual.last).toBeGreaterThan(0);
  });

  test('says how weights do not fit, with exit code 2', async () => {
    const other = path.join(root, 'test/fixtures/models/mlp_classifier/model.weights.h5');
    const { code, stdout, stderr } = await demo('--size', '16', '--weights', other);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--weights: model\.weights\.h5: the file must have the weights of VGG16 or VGG19/);
    expect(stderr).toMatch(/none for 'block1_conv1\/kernel'/);
  });

  test('reports a picture that cannot be decoded', async () => {
    const damaged = path.join(folder, 'damaged.png');
    fs.writeFileSync(damaged, fs.readFileSync(writePicture(8, 8)).subarray(0, 40));
    const { code, stderr } = await demo('--size', '16', '--image', damaged);
    expect(stderr).toMatch(/--image: the file is damaged.*damaged\.png/);
    expect(code).toBe(2);
  });
});
