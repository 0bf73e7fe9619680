/** @file imageDatasetFromDirectory: the images of a directory, as in keras.utils. */
import { ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe, oneOf, requireBoolean } from '../core/shape.ts';
import { perAxis } from '../core/windows.ts';
import { reshape } from '../ops/arrangement/reshape.ts';
import { pad } from '../ops/arrangement/pad.ts';
import { type Interpolation, interpolations, resizeImages } from '../ops/images/resizeImages.ts';
import type { DirectorySource } from '../storage/directories.ts';
import { fromImage } from '../tensor/image.ts';
import { type ImageSource, type Pixels, pixelsOf } from '../tensor/pixels.ts';
import type { Tensor } from '../tensor/tensor.ts';
import {
  bytesOf,
  type DirectoryDataset,
  directoryDataset,
  type DirectoryOptions,
  directoryOptionNames,
} from './labelledFiles.ts';

/** Options of `imageDatasetFromDirectory`. */
export interface ImageDirectoryOptions extends DirectoryOptions {
  /** The channels: 'rgb' (3, the default), 'rgba' (4), or 'grayscale' (1). */
  colorMode?: 'rgb' | 'rgba' | 'grayscale';
  /** Height and width that all images are resized to. Default [256, 256]; a number is both. */
  imageSize?: number | readonly [height: number, width: number];
  /** How they are resized, without filtering of smaller images. Default 'bilinear'. */
  interpolation?: Interpolation;
  /** Whether the largest part in the middle that has the ratio of `imageSize` is resized, so that images aren't distorted. Default false. */
  cropToAspectRatio?: boolean;
  /** Whether images keep their ratio, with black borders. Default false. */
  padToAspectRatio?: boolean;
  /**
   * Returns the pixels of a file: { width, height, data } of RGBA bytes, or anything that `fromImage` takes. Default: the browser's
   * decoder. Node has none, so that it needs this option.
   */
  decode?: (bytes: Uint8Array<ArrayBuffer>, path: string) => ImageSource | Promise<ImageSource>;
}

const optionNames: OptionNames<ImageDirectoryOptions> = {
  ...directoryOptionNames,
  colorMode: false,
  imageSize: false,
  interpolation: false,
  cropToAspectRatio: false,
  padToAspectRatio: false,
  decode: false,
};

const op = 'imageDatasetFromDirectory';

const channelsOf = { rgb: 3, rgba: 4, grayscale: 1 } as const;

/**
 * The images of a directory, in batches [images, labels]: images [batch, height, width, channels] as float32 from 0 to 255, and the
 * labels as `labelMode` says; images alone without labels. It reads the files that end with .bmp, .gif, .jpeg, .jpg and .png, those of
 * each class in a directory with its name. Resolves to a dataset with `classNames` and `filePaths`; to two of them for
 * `subset: 'both'`.
 *
 *     const [training, validation] = await imageDatasetFromDirectory(await showDirectoryPicker(), {
 *       imageSize: 64, validationSplit: 0.2, subset: 'both', seed: 1,
 *     });
 *
 * Errors: ValueError for options, and for a directory without such files; FormatError for one that can't be read; in a pass, what
 * the decoder throws.
 */
export function imageDatasetFromDirectory(
  directory: DirectorySource,
  options: ImageDirectoryOptions & { subset: 'both' },
): Promise<[training: DirectoryDataset<LabelledImages>, validation: DirectoryDataset<LabelledImages>]>;
export function imageDatasetFromDirectory(
  directory: DirectorySource,
  options: ImageDirectoryOptions & ({ labels: null } | { labelMode: null }),
): Promise<DirectoryDataset<Tensor>>;
export function imageDatasetFromDirectory(
  directory: DirectorySource,
  options?: ImageDirectoryOptions,
): Promise<DirectoryDataset<LabelledImages>>;
export async function imageDatasetFromDirectory(
  directory: DirectorySource,
  options: ImageDirectoryOptions = {},
): Promise<unknown> {
  checkOptions(op, options, optionNames);
  const fit = fitOf(options);
  const decode = decoderOf(options.decode);
  return directoryDataset(op, directory, options, {
    formats: ['.bmp', '.gif', '.jpeg', '.jpg', '.png'],
    read: async (source, path) => {
      const decoded = await decode(await bytesOf(source), path);
      const pixels = pixelsOf(op, decoded);
      (decoded as { close?: () => void }).close?.();
      return fit.crop ? cropped(pixels, fit.size) : pixels;
    },
    finish: (pixels) => resized(pixels, fit),
  });
}

type LabelledImages = readonly [x: Tensor, y: Tensor];

/** How images become those of the dataset. */
interface Fit {
  readonly channels: 1 | 3 | 4;
  readonly size: readonly [height: number, width: number];
  readonly interpolation: Interpolation;
  readonly crop: boolean;
  readonly pad: boolean;
}

function fitOf(options: ImageDirectoryOptions): Fit {
  const { colorMode = 'rgb', imageSize = 256, cropToAspectRatio = false, padToAspectRatio = false } = options;
  requireBoolean(op, 'cropToAspectRatio', cropToAspectRatio);
  requireBoolean(op, 'padToAspectRatio', padToAspectRatio);
  if (cropToAspectRatio && padToAspectRatio) {
    throw new ValueError({
      op,
      rule: 'images are cropped, or padded, to the ratio.',
      received: 'cropToAspectRatio: true, padToAspectRatio: true',
      hint: 'leave out one of them.',
    });
  }
  return {
    channels: channelsOf[oneOf(op, 'colorMode', colorMode, ['rgb', 'rgba', 'grayscale'])],
    size: perAxis(op, 'imageSize', imageSize, 2),
    interpolation: oneOf(op, 'interpolation', options.interpolation ?? 'bilinear', interpolations),
    crop: cropToAspectRatio,
    pad: padToAspectRatio,
  };
}

function decoderOf(given: ImageDirectoryOptions['decode']): NonNullable<ImageDirectoryOptions['decode']> {
  if (typeof given === 'function') return given;
  if (given === undefined && typeof createImageBitmap === 'function') {
    // As TensorFlow decodes: the stored colours, in the stored orientation.
    const stored = {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
      imageOrientation: 'none',
    } as const;
    return (bytes) => createImageBitmap(new Blob([bytes]), stored as ImageBitmapOptions);
  }
  throw new ValueError({
    op,
    rule: '`decode` is a function from the bytes of a file to its pixels; only browsers have a decoder of their own.',
    received: `decode: ${describe(given)}`,
    hint: 'pass decode: (bytes) => ({ width, height, data }), by a package that reads images.',
  });
}

/** The largest part in the middle with the ratio of `size`. Keras computes it in float32. */
function cropped({ width, height, data }: Pixels, [down, across]: readonly [number, number]): Pixels {
  const ratio = (product: number, by: number) =>
    Math.max(Math.trunc(Math.fround(Math.fround(product) / by)), 1);
  const rows = Math.min(height, ratio(width * down, across));
  const columns = Math.min(width, ratio(height * across, down));
  const [top, left] = [Math.trunc((height - rows) / 2), Math.trunc((width - columns) / 2)];
  const part = new Uint8ClampedArray(4 * rows * columns);
  for (let row = 0; row < rows; row++) {
    const from = 4 * ((top + row) * width + left);
    for (let i = 0; i < 4 * columns; i++) part[4 * row * columns + i] = data[from + i] as number;
  }
  return { width: columns, height: rows, data: part };
}

function resized(pixels: Pixels, { channels, size, interpolation, ...fit }: Fit): Tensor {
  const image = fromImage(pixels, { channels });
  const images = reshape(image, { shape: [1, ...image.shape] });
  const target = fit.pad ? paddedSize(pixels, size) : null;
  const made = resizeImages(images, { size: [...(target?.inner ?? size)], interpolation });
  const complete = target ? pad(made, { paddings: [[0, 0], ...target.borders, [0, 0]] }) : made;
  return reshape(complete, { shape: [...size, channels] });
}

/** The size of an image that keeps its ratio, and its borders. Source: TensorFlow's `resize_with_pad`, which computes in float32. */
function paddedSize({ width, height }: Pixels, size: readonly [number, number]) {
  const { fround, floor, max } = Math;
  const ratio = max(fround(width / size[1]), fround(height / size[0]));
  const along = [height, width].map((length, i) => {
    const exact = fround(length / ratio);
    const inner = floor(exact);
    const before = max(0, floor(fround((size[i] as number) - exact) / 2));
    return { inner, border: [before, (size[i] as number) - before - inner] as const };
  });
  return {
    inner: along.map(({ inner }) => inner) as [number, number],
    borders: along.map(({ border }) => border),
  };
}
