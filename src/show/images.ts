/** @file images and featureMaps: tensors as pictures in a grid. */
import { describe } from '../core/describe.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { formatSpec } from '../core/spec.ts';
import { requireInteger } from '../core/shape.ts';
import type { Pixels } from '../tensor/pixels.ts';
import { Tensor } from '../tensor/tensor.ts';
import { shortened } from './barChart.ts';
import { Chart, type Drawing } from './chart.ts';
import { requireText, requireTexts } from './checks.ts';
import { type Markup, markup } from './markup.ts';
import { label, picture, rounded } from './picture.ts';
import { pngUrl } from './png.ts';

export interface ImagesOptions {
  /** The values shown as black and as white. Default [0, 1]. */
  range?: readonly [number, number];
  /** A text below each picture. Default: none. */
  captions?: readonly string[];
  /** Pictures side by side. Default: as many as have room. */
  columns?: number;
  /** The width of a picture in pixels. Default 96, or less if the columns have no room. */
  size?: number;
  /** What the pictures show, for screen readers. Default 'Pictures'. */
  title?: string;
}

const imagesOptionNames: OptionNames<ImagesOptions> = {
  range: false,
  captions: false,
  columns: false,
  size: false,
  title: false,
};

export interface FeatureMapsOptions extends Omit<ImagesOptions, 'range'> {
  /** Which example of the batch. Default 0. */
  index?: number;
  /** How many channels, at most. Default 32. */
  count?: number;
}

const mapsOptionNames: OptionNames<FeatureMapsOptions> = {
  index: false,
  count: false,
  captions: false,
  columns: false,
  size: false,
  title: false,
};

/**
 * Pictures in a grid: `(await images(batch)).show(element)`. Shapes: [n, h, w, c], or one picture [h, w, c] or [h, w]; c is 1 (grey), 3, or 4 (with
 * alpha). The values are read back once. Pixels aren't smoothed.
 * Errors: ShapeError for other shapes; ValueError for options; what `data()` rejects with.
 */
export async function images(batch: Tensor, options: ImagesOptions = {}): Promise<Chart<readonly Pixels[]>> {
  const op = 'images';
  checkOptions(op, options, imagesOptionNames);
  const [count, height, width, channels] = batchShape(op, batch);
  const [low, high] = rangeOf(op, options.range ?? [0, 1]);
  const layout = layoutOf(op, options, 'Pictures', count);
  const values = await batch.data();
  const size = height * width * channels;
  const scale = 255 / (high - low);
  const pictures = Array.from({ length: count }, (_, i) =>
    pixelsOf(width, height, (pixel, c) => {
      if (c === 3 && channels < 4) return 255;
      const value = values[i * size + channels * pixel + (channels === 1 ? 0 : c)] as number;
      return (value - low) * scale;
    }),
  );
  return gridOf(op, pictures, layout);
}

/**
 * The channels of what a layer returns, each as a grey picture from its least value to its largest: `(await featureMaps(layer.apply(x))).show(element)`.
 * Shapes: [n, h, w, c] or [h, w, c]. The values of one example are read back.
 * Errors: ShapeError for other shapes; ValueError for options; what `data()` rejects with.
 */
export async function featureMaps(
  output: Tensor,
  options: FeatureMapsOptions = {},
): Promise<Chart<readonly Pixels[]>> {
  const op = 'featureMaps';
  checkOptions(op, options, mapsOptionNames);
  const { index = 0, count = 32 } = options;
  const [examples, height, width, channels] = mapsShape(op, output);
  requireIndex(op, index, examples);
  requireInteger(op, 'count', count, 1);
  const shown = Math.min(count, channels);
  const layout = layoutOf(op, options, `Feature maps: ${shown} of ${channels} channels`, shown);
  const values = await output.data();
  const first = index * height * width * channels;
  const pictures = Array.from({ length: shown }, (_, channel) => {
    const valueAt = (pixel: number) => values[first + channels * pixel + channel] as number;
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let pixel = 0; pixel < height * width; pixel++) {
      min = Math.min(min, valueAt(pixel));
      max = Math.max(max, valueAt(pixel));
    }
    const scale = max > min ? 255 / (max - min) : 0;
    return pixelsOf(width, height, (pixel, c) => (c === 3 ? 255 : (valueAt(pixel) - min) * scale));
  });
  return gridOf(op, pictures, layout);
}

/** A Uint8ClampedArray rounds and clamps, and turns NaN to 0. */
function pixelsOf(
  width: number,
  height: number,
  valueAt: (pixel: number, channel: number) => number,
): Pixels {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < data.length; i++) data[i] = valueAt(i >> 2, i & 3);
  return { width, height, data };
}

interface Layout {
  readonly captions: readonly string[];
  readonly columns: number | null;
  readonly size: number;
  readonly title: string;
}

function layoutOf(
  op: string,
  { captions = [], columns, size = 96, title }: Omit<ImagesOptions, 'range'>,
  usualTitle: string,
  count: number,
): Layout {
  requireTexts(op, 'captions', captions);
  if (captions.length !== 0 && captions.length !== count) {
    throw new ShapeError({
      op,
      rule: 'each picture has a caption, or none has.',
      received: `${captions.length} captions, ${count} pictures`,
      hint: 'pass as many captions as pictures.',
    });
  }
  if (columns !== undefined) requireInteger(op, 'columns', columns, 1);
  requireInteger(op, 'size', size, 1);
  return { captions, columns: columns ?? null, size, title: requireText(op, 'title', title ?? usualTitle) };
}

const gap = 8;

function gridOf(op: string, pictures: readonly Pixels[], layout: Layout): Chart<readonly Pixels[]> {
  return new Chart(
    op,
    pictures,
    (given): Drawing =>
      (width, place) =>
        place === 'page' ? canvases(given, layout) : drawGrid(given, layout, width),
  );
}

/** Canvases, which follow the width by themselves. To a screen reader they are one picture. */
function canvases(pictures: readonly Pixels[], layout: Layout): Markup {
  const { captions, columns, size, title } = layout;
  const across = columns === null ? 'auto-fill' : String(columns);
  return {
    ...markup(
      'div',
      { role: 'img', 'aria-label': `${title}: ${descriptionOf(pictures, layout)}` },
      ...pictures.map((pixels, i) => {
        const canvas: Markup = {
          ...markup('canvas'),
          pixels,
          style: { display: 'block', width: '100%', 'image-rendering': 'pixelated' },
        };
        const caption = captions[i];
        return {
          ...markup('figure', {}, canvas, ...(caption ? [markup('figcaption', {}, caption)] : [])),
          style: { margin: '0', 'min-width': '0', 'font-size': '0.8rem', 'overflow-wrap': 'anywhere' },
        };
      }),
    ),
    style: {
      display: 'grid',
      gap: `${gap}px`,
      'grid-template-columns': `repeat(${across}, minmax(0, ${size}px))`,
    },
  };
}

function descriptionOf(pictures: readonly Pixels[], { captions }: Layout): string {
  const [first] = pictures;
  const size = `${pictures.length} of ${first?.width ?? 0} × ${first?.height ?? 0} pixels`;
  return captions.length > 0 ? `${size}: ${captions.join(', ')}` : size;
}

function drawGrid(pictures: readonly Pixels[], layout: Layout, width: number): Markup {
  const { captions, columns, size, title } = layout;
  const fitting = Math.max(1, Math.floor((width + gap) / (size + gap)));
  const across = Math.max(1, Math.min(columns ?? fitting, pictures.length));
  const side = Math.min(size, (width + gap) / across - gap);
  const [first] = pictures;
  const tall = first ? (side * first.height) / first.width : side;
  const rowHeight = tall + (captions.length > 0 ? 20 : 0) + gap;
  const rows = Math.ceil(pictures.length / across);
  return picture(
    {
      width,
      height: Math.max(1, Math.ceil(rows * rowHeight - gap)),
      title,
      description: descriptionOf(pictures, layout),
    },
    ...pictures.flatMap((pixels, i) => {
      const [x, y] = [(i % across) * (side + gap), Math.floor(i / across) * rowHeight];
      const caption = captions[i];
      return [
        markup('image', {
          href: pngUrl(pixels),
          x: rounded(x),
          y: rounded(y),
          width: rounded(side),
          height: rounded(tall),
          preserveAspectRatio: 'none',
          'image-rendering': 'pixelated',
        }),
        ...(caption ? [label(x, y + tall + 14, shortened(caption, side))] : []),
      ];
    }),
  );
}

function requireIndex(op: string, index: unknown, examples: number): void {
  if (Number.isInteger(index) && (index as number) >= 0 && (index as number) < examples) return;
  throw new ValueError({
    op,
    rule: `\`index\` is that of an example: an integer from 0 to ${examples - 1}.`,
    received: `index: ${describe(index)}`,
    hint: 'leave it out for the first example.',
  });
}

function requireTensor(op: string, value: unknown): Tensor {
  if (value instanceof Tensor) return value as Tensor;
  throw new ValueError({
    op,
    rule: 'it takes a tensor.',
    received: describe(value),
    hint: 'make one with tensor(values, { shape }), or with fromImage.',
  });
}

function batchShape(
  op: string,
  batch: unknown,
): [count: number, height: number, width: number, channels: number] {
  const { shape, size } = requireTensor(op, batch);
  const sizes = shape.length === 2 ? [1, ...shape, 1] : shape.length === 3 ? [1, ...shape] : [...shape];
  if (sizes.length === 4 && [1, 3, 4].includes(sizes[3] as number) && size > 0)
    return sizes as [number, number, number, number];
  throw new ShapeError({
    op,
    rule: 'pictures have shape [n, h, w, c], [h, w, c] or [h, w], with 1, 3 or 4 channels and at least one pixel.',
    received: formatSpec(batch as Tensor),
    hint: 'use reshape to give the values this shape; featureMaps shows any number of channels.',
  });
}

function mapsShape(
  op: string,
  output: unknown,
): [examples: number, height: number, width: number, channels: number] {
  const { shape, size } = requireTensor(op, output);
  const sizes = shape.length === 3 ? [1, ...shape] : [...shape];
  if (sizes.length === 4 && size > 0) return sizes as [number, number, number, number];
  throw new ShapeError({
    op,
    rule: 'feature maps have shape [n, h, w, c] or [h, w, c], with at least one value.',
    received: formatSpec(output as Tensor),
    hint: 'pass the output of a convolution or of pooling.',
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
