/**
 * @file Images to tensors and back: fromImage, toPixels, toCanvas.
 */
import { type DType, requireDType } from '../core/dtype.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { fromHost } from './create.ts';
import { type ImageSource, type Pixels, pixelsOf } from './pixels.ts';
import { Tensor } from './tensor.ts';

export interface FromImageOptions<D extends DType = DType> {
  /** 3: red, green, blue (the default); 4: with alpha; 1: luminance. */
  channels?: 1 | 3 | 4;
  /** float32 (the default), int32 or uint32. */
  dtype?: D;
  /** A name for histories and error messages. Default: none. */
  name?: string;
}

const imageOptionNames: OptionNames<FromImageOptions> = { channels: false, dtype: false, name: false };

/**
 * Converts an image to a tensor [height, width, channels] with values from 0 to 255. Colours are sRGB as they are stored, not
 * premultiplied; alpha is dropped with 3 channels. Luminance weighs red, green and blue as ITU-R BT.601 does, rounded
 * to integers: Keras's `grayscale`.
 *
 * In a page it takes anything that can be drawn, at its natural size; everywhere, it takes objects { width, height, data }
 * of RGBA bytes.
 * Errors: ValueError for an image that isn't loaded or may not be read, or another kind of source; ShapeError if the
 * data don't fit the size; DTypeError.
 */
export function fromImage<D extends DType = 'float32'>(
  source: ImageSource,
  options: FromImageOptions<D> = {},
): Tensor<D> {
  checkOptions('fromImage', options, imageOptionNames);
  const { channels = 3, dtype = 'float32' as D, name } = options;
  if (channels !== 1 && channels !== 3 && channels !== 4) {
    throw new ValueError({
      op: 'fromImage',
      rule: '`channels` must be 1, 3 or 4.',
      received: `channels: ${describe(channels)}`,
      hint: 'pass 3 for colours, 4 for colours and alpha, 1 for luminance.',
    });
  }
  requireDType('fromImage', 'the image', dtype, ['float32', 'int32', 'uint32']);
  const { width, height, data } = pixelsOf('fromImage', source);
  const values = new (dtype === 'float32' ? Float32Array : dtype === 'int32' ? Int32Array : Uint32Array)(
    width * height * channels,
  );
  for (let pixel = 0; pixel < width * height; pixel++) {
    if (channels === 1) values[pixel] = luminance(data, 4 * pixel);
    else for (let c = 0; c < channels; c++) values[channels * pixel + c] = data[4 * pixel + c] as number;
  }
  return fromHost('fromImage', values, {
    shape: [height, width, channels],
    dtype,
    ...(name === undefined ? {} : { name }),
  }) as Tensor<D>;
}

/** 0.299 red + 0.587 green + 0.114 blue in 16-bit fractions, rounded, as Pillow computes it for Keras. */
function luminance(data: ArrayLike<number>, at: number): number {
  const [red, green, blue] = [data[at], data[at + 1], data[at + 2]] as [number, number, number];
  return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
}

export interface ToPixelsOptions {
  /** The values shown as black and as white. Default [0, 255]; for bools [0, 1]. */
  range?: readonly [number, number];
}

const pixelOptionNames: OptionNames<ToPixelsOptions> = { range: false };

/**
 * Reads an image back as RGBA bytes. Shapes: [h, w] or [h, w, 1] (grey), [h, w, 3], [h, w, 4] (with alpha). Values are
 * scaled from `range`, rounded and clamped; NaN becomes 0.
 * Errors: ShapeError for other shapes; ValueError for `range`; what `data()` rejects with.
 */
export async function toPixels(image: Tensor, options: ToPixelsOptions = {}): Promise<Pixels> {
  return readPixels('toPixels', image, options);
}

/**
 * Shows an image on a canvas, which is resized to the image. See `toPixels` for shapes and `range`.
 * Errors: those of `toPixels`; ValueError for anything that isn't a canvas or has no 2D context.
 */
export async function toCanvas(
  image: Tensor,
  canvas: HTMLCanvasElement | OffscreenCanvas,
  options: ToPixelsOptions = {},
): Promise<void> {
  const context = contextOf(canvas);
  const { width, height, data } = await readPixels('toCanvas', image, options);
  canvas.width = width;
  canvas.height = height;
  const shown = context.createImageData(width, height);
  shown.data.set(data);
  context.putImageData(shown, 0, 0);
}

async function readPixels(op: string, image: Tensor, options: ToPixelsOptions): Promise<Pixels> {
  checkOptions(op, options, pixelOptionNames);
  const [height, width, channels] = imageShape(op, image);
  const [low, high] = rangeOf(op, options.range ?? (image.dtype === 'bool' ? [0, 1] : [0, 255]));
  const values = await image.data();
  const data = new Uint8ClampedArray(4 * width * height);
  const scale = 255 / (high - low);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let c = 0; c < 4; c++) {
      // Grey goes to all three colours.
      const from = channels === 1 ? 0 : c;
      const value = values[channels * pixel + from] as number;
      // A Uint8ClampedArray rounds and clamps, and turns NaN to 0.
      data[4 * pixel + c] = c === 3 && channels < 4 ? 255 : (value - low) * scale;
    }
  }
  return { width, height, data };
}

function imageShape(op: string, image: Tensor): [height: number, width: number, channels: number] {
  if (!(image instanceof Tensor)) {
    throw new ValueError({
      op,
      rule: 'it takes a tensor.',
      received: describe(image),
      hint: 'pass the tensor first, then the canvas.',
    });
  }
  const [height = 0, width = 0, channels = 1] = image.shape;
  const fits = image.rank === 2 || (image.rank === 3 && [1, 3, 4].includes(channels));
  if (fits && image.size > 0) return [height, width, channels];
  throw new ShapeError({
    op,
    rule: 'an image has shape [h, w] or [h, w, c], with 1, 3 or 4 channels and at least one pixel.',
    received: formatSpec(image),
    hint: 'take one image out of a batch by slicing or reshaping.',
  });
}

function rangeOf(op: string, range: unknown): readonly [number, number] {
  if (Array.isArray(range) && range.length === 2 && range.every(Number.isFinite) && range[0] < range[1])
    return range as [number, number];
  throw new ValueError({
    op,
    rule: '`range` is a pair of finite numbers, the lower one first.',
    received: `range: ${describe(range)}`,
    hint: 'pass [0, 1] or [0, 255].',
  });
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

function contextOf(canvas: HTMLCanvasElement | OffscreenCanvas): Context {
  const context =
    typeof canvas?.getContext === 'function' ? (canvas.getContext('2d') as Context | null) : undefined;
  if (context) return context;
  throw new ValueError({
    op: 'toCanvas',
    rule: 'it draws on a canvas with a 2D context.',
    received: context === null ? 'a canvas that has a context of another kind' : describe(canvas),
    hint: "pass a <canvas> or an OffscreenCanvas of its own; canvases of 'webgl' or 'webgpu' can't be shared.",
  });
}
