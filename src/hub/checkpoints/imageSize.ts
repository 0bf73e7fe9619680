/**
 * @file Networks for images of another size than they were trained on: the vectors of positions are interpolated, as by `interpolate_pos_encoding`
 * of transformers.
 */
import { FormatError, ValueError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import { readWhole, type StoredTensor } from '../../formats/storedTensor.ts';
import { isObject, type JsonObject } from '../../keras/json/document.ts';
import { writeSize } from './imageConfig.ts';

/** What a family of networks of images says of positions. */
export interface ImageFields<Options> {
  /** The fields in a configuration with the size of images; null for those of the whole. */
  readonly section: string | null;
  /** The end of the name of the tensor of positions: that of the whole image, then those of patches row by row. */
  readonly positions: string;
  /** The numbers of patches along both sides. */
  grid(options: Options): readonly [number, number];
}

/** A configuration with another size of images. Errors: ValueError for a size that is none, and for networks of other inputs. */
export function withImageSize(
  json: JsonObject,
  images: ImageFields<never> | undefined,
  size: unknown,
): JsonObject {
  if (!images) {
    throw new ValueError({
      op: 'fromPretrained',
      rule: '`imageSize` is for networks of images.',
      received: `imageSize for '${json.model_type}'`,
      hint: 'leave it out.',
    });
  }
  const image_size = writeSize(perAxis('fromPretrained', 'imageSize', size, 2));
  const { section } = images;
  if (section === null) return { ...json, image_size };
  // Older files have a second object, whose fields count.
  const { [section]: fields, [`${section}_dict`]: older } = json;
  return {
    ...json,
    [section]: { ...(isObject(fields) ? fields : {}), image_size },
    ...(isObject(older) && { [`${section}_dict`]: { ...older, image_size } }),
  };
}

/** The tensors of a checkpoint, with positions for a grid of patches. */
export function withPositions(
  tensors: ReadonlyMap<string, StoredTensor>,
  positions: string,
  grid: readonly [number, number],
): ReadonlyMap<string, StoredTensor> {
  const resized = [...tensors].map(([name, stored]) =>
    name.endsWith(positions)
      ? ([name, resizedPositions(name, stored, grid)] as const)
      : ([name, stored] as const),
  );
  return new Map(resized);
}

/** Errors: FormatError for positions that aren't those of a square, whose sides files don't have. */
function resizedPositions(
  name: string,
  stored: StoredTensor,
  [down, across]: readonly [number, number],
): StoredTensor {
  const [count = 0, features = 0] = stored.shape.slice(-2);
  const side = Math.sqrt(count - 1);
  if (stored.shape.length < 2 || !Number.isInteger(side) || side === 0) {
    throw new FormatError({
      op: 'fromPretrained',
      rule: 'images of another size are for networks that were trained on squares.',
      received: `'${name}' ${formatShape(stored.shape)}`,
      hint: 'leave `imageSize` out.',
    });
  }
  if (down === side && across === side) return stored;
  let made: Promise<Float32Array> | null = null;
  const read = async (begin: number, end: number) => {
    made ??= readWhole(stored).then(({ data }) =>
      interpolated(data as Float32Array, { side, down, across, features }),
    );
    return (await made).slice(begin, end);
  };
  const { bits: _, ...others } = stored;
  return { ...others, shape: [...stored.shape.slice(0, -2), 1 + down * across, features], read };
}

interface Sizes {
  readonly side: number;
  readonly down: number;
  readonly across: number;
  readonly features: number;
}

/** The first vector as it is, then those of a grid that is resized along both sides. */
function interpolated(values: Float32Array, { side, down, across, features }: Sizes): Float32Array {
  const made = new Float32Array((1 + down * across) * features);
  made.set(values.subarray(0, features));
  const [rows, columns] = [taps(side, down), taps(side, across)];
  let at = features;
  for (const row of rows)
    for (const column of columns) {
      for (const [r, ofRow] of row)
        for (const [c, ofColumn] of column) {
          const from = (1 + r * side + c) * features;
          for (let i = 0; i < features; i++)
            made[at + i] = (made[at + i] as number) + ofRow * ofColumn * (values[from + i] as number);
        }
      at += features;
    }
  return made;
}

/**
 * Four of `size` pixels for each of `count` results, with their weights: PyTorch's cubic interpolation, where pixels beyond an edge are
 * those at it.
 */
function taps(size: number, count: number): (readonly [pixel: number, weight: number])[][] {
  return Array.from({ length: count }, (_, i) => {
    const centre = ((i + 0.5) * size) / count - 0.5;
    return [-1, 0, 1, 2].map((step) => {
      const pixel = Math.floor(centre) + step;
      return [Math.min(Math.max(pixel, 0), size - 1), cubic(Math.abs(centre - pixel))] as const;
    });
  });
}

/** Source: R. Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -3/4. */
function cubic(x: number): number {
  return x < 1 ? (1.25 * x - 2.25) * x * x + 1 : ((-0.75 * x + 3.75) * x - 6) * x + 3;
}
