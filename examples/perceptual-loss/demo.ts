/**
 * @file The whole demonstration, for both the page and the command: a picture is reconstructed from noise twice, with a pixel
 * loss and with a perceptual loss.
 */
import { getDevice, init, memory, resetPeakMemory, squeeze, type Tensor, tidy, toPixels } from 'retrograd';
import { type Loss, perceptualLoss, pixelLoss } from './losses.ts';
import { cropToSquare, drawPicture, noise, pictureOf } from './picture.ts';
import { type Progress, reconstruct } from './reconstruct.ts';
import { loadVgg, randomVgg, type Vgg, type VggName } from './vgg.ts';

export interface DemoSettings {
  size: number;
  steps: number;
  seed: number;
  layers: readonly string[];
  /** A PNG or JPEG; null for the generated picture. */
  image: Blob | null;
  /** A file with the weights of VGG16 or VGG19; null for random weights. */
  weights: File | null;
}

export type RunName = 'pixel' | 'perceptual';

export interface RunResult {
  losses: number[];
  psnr: number;
  pixels: ImageData;
}

export interface DemoResult {
  adapter: string;
  target: ImageData;
  start: { pixels: ImageData; psnr: number };
  pixel: RunResult;
  perceptual: RunResult;
  network: VggName;
  /** A description of the source of its weights. */
  weights: string;
  /** Steps per second of the perceptual run. */
  stepsPerSecond: number;
  submitsPerStep: number;
  peakBytes: number;
}

export interface DemoEvents {
  /** Called with the target and the noise before the first step. */
  onStart?: (target: ImageData, start: ImageData) => unknown;
  /** Called before a run, before its loss is created and its kernels are compiled. */
  onRun?: (run: RunName) => unknown;
  /** Called while a file of weights is loaded, with bytes of values. */
  onWeights?: (loaded: number, total: number) => unknown;
  /** Called every few steps. */
  onProgress?: (run: RunName, progress: Progress) => unknown;
  signal?: AbortSignal;
}

/** Weight of the total variation in the perceptual loss: enough to smooth what the features don't see. */
const smoothness = 1e-3;

export async function runDemo(settings: DemoSettings, events: DemoEvents = {}): Promise<DemoResult> {
  const device = await init();
  resetPeakMemory();
  const { size, steps, seed, layers, image } = settings;
  using vgg = await openVgg(settings, events);
  const features = vgg.features(layers);
  using target = pictureOf(image ? await cropToSquare(image, size) : drawPicture(size));
  using start = noise(size, seed);
  const [targetPixels, startPixels] = [await imageData(target), await imageData(start)];
  await events.onStart?.(targetPixels, startPixels);

  const run = async (name: RunName, makeLoss: () => Loss) => {
    await events.onRun?.(name);
    using loss = makeLoss();
    const {
      picture: made,
      losses,
      ...rates
    } = await reconstruct({
      loss,
      start,
      steps,
      signal: events.signal,
      onProgress: (progress) => events.onProgress?.(name, progress),
    });
    using picture = made;
    const result = { losses, psnr: await psnr(picture, target), pixels: await imageData(picture) };
    return { result, rates };
  };
  const pixel = await run('pixel', () => pixelLoss(target));
  const perceptual = await run('perceptual', () => perceptualLoss(target, features, smoothness));
  const { vendor, architecture, description } = device.adapter;
  return {
    adapter: [vendor, architecture, description].filter(Boolean).join(' ') || 'unknown',
    target: targetPixels,
    start: { pixels: startPixels, psnr: await psnr(start, target) },
    pixel: pixel.result,
    perceptual: perceptual.result,
    network: vgg.name,
    weights: vgg.weights,
    ...perceptual.rates,
    peakBytes: memory(getDevice()).peakBytes,
  };
}

function openVgg({ weights, seed }: DemoSettings, { onWeights, signal }: DemoEvents): Promise<Vgg> | Vgg {
  if (!weights) return randomVgg(seed);
  return loadVgg(weights, {
    onProgress: ({ loaded, total }) => onWeights?.(loaded, total),
    signal,
  });
}

/** A picture [1, size, size, 3] from 0 to 1 as bytes. */
export async function imageData(picture: Tensor): Promise<ImageData> {
  const [, size] = picture.shape as [number, number, number, number];
  const image = tidy(() => squeeze(picture, { axis: 0 }));
  const { data } = await toPixels(image, { range: [0, 1] });
  image.dispose();
  return new ImageData(new Uint8ClampedArray(data), size, size);
}

/** Peak signal-to-noise ratio in decibels, for values from 0 to 1. */
async function psnr(picture: Tensor, target: Tensor): Promise<number> {
  const [a, b] = [await picture.data(), await target.data()];
  let total = 0;
  for (let i = 0; i < a.length; i++) total += ((a[i] as number) - (b[i] as number)) ** 2;
  return 10 * Math.log10(a.length / total);
}
