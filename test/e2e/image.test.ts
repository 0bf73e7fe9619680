/** @file Images in a real page: what it can draw becomes a tensor, and a tensor is shown on a canvas. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('image');
await bundle({ entry: 'src/index.ts', folder });
const chromium = useBrowser({ mounts: { '/lib/': folder } });

type Library = typeof import('../../src/index.ts');

test('whatever a page can draw becomes the same tensor', async () => {
  const values = await chromium.run('/', async () => {
    const { init, fromImage } = (await import('/lib/index.js' as string)) as Library;
    await init();
    const data = new ImageData(new Uint8ClampedArray([255, 128, 0, 255, 10, 20, 200, 255]), 2, 1);
    const canvas = Object.assign(document.createElement('canvas'), { width: 2, height: 1 });
    canvas.getContext('2d')?.putImageData(data, 0, 0);
    const offscreen = new OffscreenCanvas(2, 1);
    offscreen.getContext('2d')?.putImageData(data, 0, 0);
    const element = new Image();
    element.src = canvas.toDataURL('image/png');
    await element.decode();
    const sources = {
      ImageData: data,
      ImageBitmap: await createImageBitmap(data),
      HTMLCanvasElement: canvas,
      OffscreenCanvas: offscreen,
      HTMLImageElement: element,
      VideoFrame: new VideoFrame(canvas, { timestamp: 0 }),
    };
    const found: Record<string, unknown> = {};
    for (const [name, source] of Object.entries(sources)) {
      const image = fromImage(source);
      found[name] = { shape: image.shape, values: [...(await image.data())] };
    }
    sources.VideoFrame.close();
    return found;
  });
  const expected = { shape: [1, 2, 3], values: [255, 128, 0, 10, 20, 200] };
  for (const name of Object.keys(values)) expect(values[name], name).toEqual(expected);
  expect(Object.keys(values)).toHaveLength(6);
});

test('a tensor is shown on a canvas', async () => {
  const shown = await chromium.run('/', async () => {
    const { init, tensor, toCanvas } = (await import('/lib/index.js' as string)) as Library;
    await init();
    const image = tensor([1, 0.5, 0, 0, 0, 1], { shape: [2, 1, 3] });
    const pixels: number[][] = [];
    for (const canvas of [document.createElement('canvas'), new OffscreenCanvas(9, 9)]) {
      await toCanvas(image, canvas, { range: [0, 1] });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      pixels.push([...context.getImageData(0, 0, canvas.width, canvas.height).data]);
    }
    return pixels;
  });
  const expected = [255, 128, 0, 255, 0, 0, 255, 255];
  expect(shown).toEqual([expected, expected]);
});

test('an image that is not there yet, or that has no 2D canvas, is rejected', async () => {
  const messages = await chromium.run('/', async () => {
    const { init, tensor, fromImage, toCanvas } = (await import('/lib/index.js' as string)) as Library;
    await init();
    const taken = document.createElement('canvas');
    taken.getContext('bitmaprenderer');
    const closed = await createImageBitmap(new ImageData(1, 1));
    closed.close();
    const calls = [
      () => fromImage(new Image()),
      () => fromImage(closed),
      () => toCanvas(tensor([[1]]), taken),
    ];
    const thrown: string[] = [];
    for (const call of calls) {
      try {
        await call();
      } catch (error) {
        thrown.push(`${(error as Error).name}: ${(error as Error).message}`);
      }
    }
    return thrown;
  });
  expect(messages).toHaveLength(3);
  expect(messages[0]).toMatch(/ValueError.*loaded[\s\S]*decode/);
  expect(messages[1]).toMatch(/ValueError.*loaded/);
  expect(messages[2]).toMatch(/ValueError.*2D context/);
});
