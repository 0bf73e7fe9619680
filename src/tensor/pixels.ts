/**
 * @file Pixels of images: objects { width, height, data } anywhere, and whatever a page can draw.
 */
import { ShapeError, ValueError } from '../core/errors.ts';
import { describe, requireInteger } from '../core/shape.ts';

/** RGBA bytes in row-major order, as in ImageData and in most decoders of image files. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** What `fromImage` takes pixels from. */
export type ImageSource =
  | Pixels
  | ImageData
  | ImageBitmap
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | VideoFrame;

/**
 * The sources that a page can draw, by class name, with the properties that hold their size. Names instead of classes:
 * they also match objects of another frame, and don't require that the class exists.
 */
const drawable: Readonly<Record<string, readonly [width: string, height: string]>> = {
  ImageBitmap: ['width', 'height'],
  HTMLImageElement: ['naturalWidth', 'naturalHeight'],
  HTMLVideoElement: ['videoWidth', 'videoHeight'],
  HTMLCanvasElement: ['width', 'height'],
  OffscreenCanvas: ['width', 'height'],
  VideoFrame: ['displayWidth', 'displayHeight'],
};

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice('[object '.length, -1);

/** Returns the pixels of `source`, which is drawn on a canvas unless it has them itself. */
export function pixelsOf(op: string, source: ImageSource): Pixels {
  const name = tagOf(source);
  const size = drawable[name];
  if (size) {
    const [width, height] = size.map((property) => (source as unknown as Record<string, number>)[property]);
    return draw(op, name, source as CanvasImageSource, width ?? 0, height ?? 0);
  }
  checkPixels(op, source);
  return source;
}

function draw(op: string, name: string, source: CanvasImageSource, width: number, height: number): Pixels {
  if (width === 0 || height === 0) {
    throw new ValueError({
      op,
      rule: 'an image must be loaded before its pixels can be read.',
      received: `${name} of size ${width} × ${height}`,
      hint: 'await image.decode() first; wait for loadeddata on a video; a closed bitmap or frame has no pixels.',
    });
  }
  try {
    // Its pixels are read back immediately, which is faster from main memory than from the GPU.
    const context = newCanvas(width, height).getContext('2d', {
      willReadFrequently: true,
    }) as CanvasRenderingContext2D;
    context.drawImage(source, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  } catch (cause) {
    throw new ValueError({
      op,
      rule: 'the page must be allowed to read the pixels of an image.',
      received: `${name} of size ${width} × ${height}: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "serve the image from the page's own origin, or with CORS headers and crossOrigin = 'anonymous'.",
      cause,
    });
  }
}

function newCanvas(width: number, height: number): HTMLCanvasElement | OffscreenCanvas {
  if (typeof OffscreenCanvas !== 'undefined') return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement('canvas'), { width, height });
}

function checkPixels(op: string, source: unknown): asserts source is Pixels {
  const { width, height, data } = (source ?? {}) as Partial<Pixels>;
  if (data === undefined || !['Uint8Array', 'Uint8ClampedArray'].includes(tagOf(data))) {
    throw new ValueError({
      op,
      rule: 'an image is an object { width, height, data } with RGBA bytes, or something that a page can draw.',
      received: data === undefined ? describe(source) : `data: ${describe(data)}`,
      hint: 'decode the file first, with createImageBitmap(blob) in a page or with a PNG reader in Node.',
    });
  }
  requireInteger(op, 'width', width, 1);
  requireInteger(op, 'height', height, 1);
  if (data.length === 4 * width * height) return;
  throw new ShapeError({
    op,
    rule: 'the data of an image are four bytes per pixel: red, green, blue, alpha.',
    received: `${data.length} bytes for ${width} × ${height} pixels`,
    hint: `pass ${4 * width * height} bytes; for other layouts use tensor(data, { shape }).`,
  });
}
