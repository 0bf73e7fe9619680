/**
 * @file The page: shows both reconstructions while they run. The command `npm run demo` drives the same page through
 * `perceptualLossDemo`.
 */
import { FormatError } from 'retrograd';
import { lineChart } from 'retrograd/show';
import {
  type DemoEvents,
  type DemoResult,
  type DemoSettings,
  imageData,
  type RunName,
  runDemo,
} from './demo.ts';
import { drawPicture } from './picture.ts';
import { drawSheet } from './sheet.ts';

const defaultLayers = ['block1_conv2', 'block2_conv2', 'block3_conv2', 'block4_conv2'];

/** The command's request and its results: pictures are passed as data URLs, weights in the form's file field. */
interface Order extends Omit<DemoSettings, 'image' | 'weights'> {
  image: string | null;
}

interface Report {
  run: RunName;
  /** 0: the run is being prepared. */
  step: number;
  steps: number;
  loss: number;
  stepsPerSecond: number;
}

declare global {
  var perceptualLossDemo: {
    run(
      order: Order,
    ): Promise<{ result: Omit<DemoResult, 'target' | 'start'>; sheet: string; curves: string }>;
  };
  /** Defined by the command. */
  var reportProgress: ((report: Report) => Promise<void>) | undefined;
}

const element = <T extends Element>(id: string) => document.querySelector(`#${id}`) as unknown as T;
const status = element<HTMLElement>('status');
const stop = element<HTMLButtonElement>('stop');
const form = element<HTMLFormElement>('settings');

function show(id: string, pixels: ImageData): void {
  const canvas = element<HTMLCanvasElement>(id);
  canvas.width = pixels.width;
  canvas.height = pixels.height;
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}

const curvesOf = (losses: Readonly<Record<RunName, readonly number[]>>) => ({
  'pixel loss': losses.pixel,
  'perceptual loss': losses.perceptual,
});

const curves = lineChart({}, { scale: 'log', yLabel: 'loss', title: 'Loss by step' });

/** Runs the demonstration and shows its progress. */
async function runOnPage(settings: DemoSettings, events: DemoEvents = {}): Promise<DemoResult> {
  const shown: Record<RunName, number[]> = { pixel: [], perceptual: [] };
  curves.show(element('curves'));
  const result = await runDemo(settings, {
    ...events,
    onWeights: async (loaded, total) => {
      status.textContent = `Loading weights: ${Math.round((100 * loaded) / total)} %`;
      await events.onWeights?.(loaded, total);
    },
    onStart: (target, start) => {
      for (const id of ['start', 'pixel', 'perceptual']) show(id, start);
      show('target', target);
    },
    onRun: async (run) => {
      status.textContent = `${run} loss: preparing …`;
      await events.onRun?.(run);
    },
    onProgress: async (run, progress) => {
      const { step, steps, loss, stepsPerSecond, losses, picture } = progress;
      shown[run] = losses;
      status.textContent = `${run} loss: step ${step} of ${steps}, loss ${loss.toPrecision(3)}, ${stepsPerSecond.toFixed(1)} steps/s`;
      curves.update(curvesOf(shown));
      show(run, await imageData(picture));
      await events.onProgress?.(run, progress);
    },
  });
  for (const run of ['pixel', 'perceptual'] as const) show(run, result[run].pixels);
  const decibels = (run: RunName) => result[run].psnr.toFixed(1);
  status.textContent = `Done on ${result.adapter}, ${result.network} with ${result.weights}: ${decibels('pixel')} dB by pixel loss, ${decibels('perceptual')} dB by perceptual loss.`;
  return result;
}

function settingsOf(form: HTMLFormElement): DemoSettings {
  const data = new FormData(form);
  const image = data.get('image');
  return {
    size: Number(data.get('size')),
    steps: Number(data.get('steps')),
    seed: Number(data.get('seed')),
    layers: defaultLayers,
    image: image instanceof File && image.size > 0 ? image : null,
    weights: chosenWeights(),
  };
}

function chosenWeights(): File | null {
  return form.querySelector<HTMLInputElement>('input[name=weights]')?.files?.[0] ?? null;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const controller = new AbortController();
  const button = form.querySelector('button[type=submit]') as HTMLButtonElement;
  button.disabled = true;
  stop.disabled = false;
  stop.onclick = () => controller.abort();
  status.textContent = 'Preparing …';
  try {
    await runOnPage(settingsOf(form), { signal: controller.signal });
  } catch (error) {
    status.textContent = controller.signal.aborted ? 'Stopped.' : String(error);
  } finally {
    button.disabled = false;
    stop.disabled = true;
  }
});

/** Before the first run, the page shows what it is going to reconstruct. */
const drawing = drawPicture(settingsOf(form).size);
const drawn = drawing.getContext('2d')?.getImageData(0, 0, drawing.width, drawing.height);
if (drawn) show('target', drawn);

globalThis.perceptualLossDemo = {
  async run({ image, ...settings }) {
    const picture = image === null ? null : await (await fetch(image)).blob();
    const result = await runOnPage(
      { ...settings, image: picture, weights: chosenWeights() },
      {
        onRun: (run) =>
          globalThis.reportProgress?.({ run, step: 0, steps: settings.steps, loss: 0, stepsPerSecond: 0 }),
        onProgress: (run, { step, steps, loss, stepsPerSecond }) =>
          globalThis.reportProgress?.({ run, step, steps, loss, stepsPerSecond }),
      },
    ).catch(rejectWeights);
    const { target, start, ...rest } = result;
    const sheet = drawSheet(
      `Reconstructed from noise in ${settings.steps} steps`,
      `${result.network} with ${result.weights} at ${settings.layers.join(', ')}. ${result.adapter}.`,
      [
        { title: 'Target', caption: `${target.width} × ${target.height} pixels`, pixels: target },
        { title: 'Start', caption: `noise, ${start.psnr.toFixed(1)} dB`, pixels: start.pixels },
        {
          title: 'By pixel loss',
          caption: `${result.pixel.psnr.toFixed(1)} dB PSNR`,
          pixels: result.pixel.pixels,
        },
        {
          title: 'By perceptual loss',
          caption: `${result.perceptual.psnr.toFixed(1)} dB PSNR`,
          pixels: result.perceptual.pixels,
        },
      ],
    );
    curves.update(curvesOf({ pixel: rest.pixel.losses, perceptual: rest.perceptual.losses }));
    return { result: rest, sheet: await dataUrl(sheet), curves: curves.svg };
  },
};

/** Classes have other names in a built page, so the command recognizes by the message that its option is invalid. */
function rejectWeights(error: unknown): never {
  throw error instanceof FormatError ? new Error(`--weights: ${error.message}`) : error;
}

async function dataUrl(canvas: OffscreenCanvas): Promise<string> {
  const reader = new FileReader();
  reader.readAsDataURL(await canvas.convertToBlob({ type: 'image/png' }));
  await new Promise((resolve) => reader.addEventListener('load', resolve, { once: true }));
  return reader.result as string;
}
