/**
 * @file A part of a row of the image that an invocation holds as vectors: what the windows of adjacent pixels cover. For kernels
 * that read the image from workgroup memory (patches.ts, patchFilterGrad.ts).
 */
import { components, each, range } from '../lib/text.ts';

export type PatchAxis = { window: number; stride: number };

type ImageRow = { channels: number; columns: PatchAxis };

/** Pixels of an invocation, next to each other in a row of the result. */
export const adjacentPixels = 4;

/** Vectors of the image's row that the windows of the pixels cover. */
export const rowVectors = ({ channels, columns }: ImageRow): number =>
  Math.ceil((((adjacentPixels - 1) * columns.stride + columns.window) * channels) / 4);

/** Returns WGSL that reads the vectors from `start` on, an index of `image_tile`. */
export const readRow = (row: ImageRow, start: string): string =>
  each(range(rowVectors(row)), (i) => `let image_${i} = image_tile[${start} + ${i}u];`);

/** Returns the element that a pixel multiplies by step `k` of the kernel's row. */
export function rowElement({ channels, columns }: ImageRow, pixel: number, k: number): string {
  const at = pixel * columns.stride * channels + k;
  return `image_${at >> 2}.${components[at & 3]}`;
}
