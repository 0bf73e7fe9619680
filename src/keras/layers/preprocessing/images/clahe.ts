/** @file ContrastLimitedAdaptiveHistogramEqualization: replaces values by their ranks in the neighbourhood. */
import { ValueError } from '../../../../core/errors.ts';
import { isListOf } from '../../../../core/lists.ts';
import { describe } from '../../../../core/shape.ts';
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { bincount } from '../../../../ops/indexing/bincount.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { greater } from '../../../../ops/elementwise/comparison.ts';
import { cumsum } from '../../../../ops/reductions/cumsum.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';
import { slice } from '../../../../ops/arrangement/slice.ts';
import { sum } from '../../../../ops/reductions/sum.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { tensor } from '../../../../tensor/create.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats, type ImageChanges, ImageLayer, type ImageLayerOptions, imageTable } from './imageLayer.ts';
import { type Bounds, valueRange } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { checked, factoryOf, layer, number } from '../../base/declare.ts';

/** An axis of images, divided into tiles of equal size, and where its pixels are between the tiles' centres. */
interface Tiling {
  readonly count: number;
  /** Pixels of a tile. */
  readonly size: number;
  /** The pixels of the axis, mirrored beyond its end until the last tile is full. */
  readonly mirrored: readonly number[];
  /** The tile of each pixel in `mirrored`. */
  readonly own: readonly number[];
  /**
   * For each pixel of the axis, the tiles whose centres are before and after it, and its relative position between them
   * (`shares`).
   */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly shares: readonly number[];
}

/** An axis of `length` pixels in `count` tiles. */
function tilingOf(length: number, count: number): Tiling {
  const size = Math.ceil(length / count);
  const padded = Array.from({ length: size * count }, (_, i) => i);
  const position = padded.slice(0, length).map((i) => (i - size / 2) / size);
  const limited = (tile: number) => Math.min(Math.max(tile, 0), count - 1);
  return {
    count,
    size,
    mirrored: padded.map((i) => Math.min(i % (2 * length), 2 * length - 1 - (i % (2 * length)))),
    own: padded.map((i) => Math.floor(i / size)),
    before: position.map((p) => limited(Math.floor(p))),
    after: position.map((p) => limited(Math.floor(p) + 1)),
    shares: position.map((p) => p - Math.floor(p)),
  };
}

export interface ContrastLimitedAdaptiveHistogramEqualizationOptions extends ImageLayerOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
  /**
   * The limit of a histogram bin, as a multiple of the average; the excess is spread over all bins. 0 for no
   * limit. Default 4.
   */
  clipLimit?: number;
  /** Number of tiles of an image, down and across. Default [8, 8]. */
  tileGridSize?: readonly [number, number];
}

const bins = 256;

export class ContrastLimitedAdaptiveHistogramEqualization extends /* @__PURE__ */ layer<
  ContrastLimitedAdaptiveHistogramEqualizationOptions,
  ImageLayer
>(
  'ContrastLimitedAdaptiveHistogramEqualization',
  () => ({
    valueRange: valueRange(),
    clipLimit: number({ default: 4 }),
    tileGridSize: checked(gridOf, [8, 8]),
    ...imageTable(),
  }),
  ImageLayer,
) {
  transformImages(images: Tensor): Tensor {
    const bytes = rescaled(asFloats(images), this.valueRange, [0, 255]);
    return rescaled(this.#equalized(bytes), [0, 255], this.valueRange);
  }

  protected override changes(): ImageChanges {
    return { images: (x) => this.transformImages(x) };
  }

  #equalized(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const [down, across] = [tilingOf(height, this.tileGridSize[0]), tilingOf(width, this.tileGridSize[1])];
    const values = cast(clip(images, { min: 0, max: bins - 1 }), 'int32');
    const ranks = reshape(this.#ranks(values, down, across), { shape: [-1] });
    const rankIn = (rows: readonly number[], columns: readonly number[]) =>
      gather(ranks, binsOf(values, [rows, columns], [down.count, across.count]), {
        axis: 0,
        validateIndices: false,
      });
    const shareAcross = share(across, [1, 1, width, 1]);
    const ranksAt = (rows: readonly number[]) =>
      between(rankIn(rows, across.before), rankIn(rows, across.after), shareAcross);
    return between(ranksAt(down.before), ranksAt(down.after), share(down, [1, height, 1, 1]));
  }

  /** Returns the value in [0, 255] of each bin of each tile and channel, [batch · rows · columns · channels, bins]. */
  #ranks(values: Tensor, down: Tiling, across: Tiling): Tensor {
    const [batch, , , channels] = values.shape as [number, number, number, number];
    const inRows = gather(values, int32(down.mirrored), { axis: 1, validateIndices: false });
    const padded = gather(inRows, int32(across.mirrored), { axis: 2, validateIndices: false });
    const place = binsOf(padded, [down.own, across.own], [down.count, across.count]);
    const tiles = batch * down.count * across.count * channels;
    const counts = bincount(reshape(place, { shape: [-1] }), null, { size: tiles * bins });
    const pixels = down.size * across.size;
    const limited = this.#limited(reshape(cast(counts, 'float32'), { shape: [tiles, bins] }), pixels);
    const below = cumsum(limited, { axis: 1 });
    const first = slice(below, { begin: [0, 0], size: [tiles, 1] });
    const others = sub(pixels, first);
    const ranks = div(mul(sub(below, first), 255), where(greater(others, 0), others, 1));
    return clip(ranks, { min: 0, max: 255 });
  }

  #limited(counts: Tensor, pixels: number): Tensor {
    if (this.clipLimit <= 0) return counts;
    const kept = clip(counts, { min: 0, max: (this.clipLimit * pixels) / bins });
    return add(kept, mul(sum(sub(counts, kept), { axis: 1, keepDims: true }), 1 / bins));
  }
}

const int32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor(Int32Array.from(values), { shape });

const share = ({ shares }: Tiling, shape: readonly number[]): Tensor =>
  tensor(Float32Array.from(shares), { shape });

const between = (a: Tensor, b: Tensor, share: Tensor): Tensor => add(mul(a, sub(1, share)), mul(b, share));

/**
 * Returns the index of each pixel's bin among the bins of all tiles, from its tile's row and column, its channel and its value.
 */
function binsOf(
  values: Tensor,
  [rows, columns]: readonly [readonly number[], readonly number[]],
  [rowCount, columnCount]: readonly [number, number],
): Tensor {
  const [batch, height, width, channels] = values.shape as [number, number, number, number];
  const strides = { channel: bins, column: bins * channels, row: bins * channels * columnCount };
  const image = strides.row * rowCount;
  const count = (n: number, stride: number) => Array.from({ length: n }, (_, i) => i * stride);
  const scaled = (places: readonly number[], stride: number) => places.map((place) => place * stride);
  const down = int32(scaled(rows, strides.row), [1, height, 1, 1]);
  const across = int32(scaled(columns, strides.column), [1, 1, width, 1]);
  const channel = int32(count(channels, strides.channel), [1, 1, 1, channels]);
  const images = int32(count(batch, image), [batch, 1, 1, 1]);
  return add(add(add(images, down), add(across, channel)), values);
}

function gridOf(op: string, what: string, given: unknown): readonly [number, number] {
  const isCount = (n: unknown): n is number => Number.isInteger(n) && (n as number) > 0;
  if (isListOf(given, isCount, 2) && given.length === 2) return given as readonly [number, number];
  throw new ValueError({
    op,
    rule: `\`${what}\` is how many tiles there are down and across.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass [8, 8].',
  });
}

/**
 * Replaces values by their ranks within the surrounding tile, interpolated between tiles. A tile's histogram is clipped so
 * that noise isn't amplified. Shapes: [batch, height, width, channels], or without a batch, as the input. float32, without a
 * gradient.
 * Source: K. Zuiderveld, "Contrast Limited Adaptive Histogram Equalization", 1994.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const contrastLimitedAdaptiveHistogramEqualization = /* @__PURE__ */ factoryOf(
  ContrastLimitedAdaptiveHistogramEqualization,
  ['valueRange', 'clipLimit', 'tileGridSize', 'dataFormat'],
);
