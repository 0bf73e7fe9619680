/** @file Crops, pads and resizes images to a size, keeping their aspect ratio. */
import { resizeBilinear } from '../../../../ops/images/resize.ts';
import { pad } from '../../../../ops/arrangement/pad.ts';
import { slice } from '../../../../ops/arrangement/slice.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats } from './imageLayer.ts';
import type { ImageSize } from './imageOptions.ts';

/** Height and width of a batch. */
export const sizeOf = (images: Tensor): ImageSize => ({
  height: images.shape[1] as number,
  width: images.shape[2] as number,
});

/** The part of `images` in the middle, of that size. */
export function centered(images: Tensor, { height, width }: ImageSize): Tensor {
  const given = sizeOf(images);
  const begin = [0, Math.trunc((given.height - height) / 2), Math.trunc((given.width - width) / 2), 0];
  return slice(images, { begin, size: [-1, height, width, -1] });
}

/** The largest part in the middle with the aspect ratio of `size`. */
export function withRatio(images: Tensor, size: ImageSize): Tensor {
  const { height, width } = sizeOf(images);
  const within = (n: number, max: number) => Math.max(1, Math.min(max, Math.trunc(n)));
  return centered(images, {
    height: within((width * size.height) / size.width, height),
    width: within((height * size.width) / size.height, width),
  });
}

/** The images cropped to the aspect ratio of `size`, then resized. */
export function smartlyResized(images: Tensor, size: ImageSize): Tensor {
  return resizeBilinear(withRatio(asFloats(images), size), { size: [size.height, size.width] });
}

/** The images padded on all sides to the aspect ratio of `size`. */
export function padded(images: Tensor, size: ImageSize, constantValue: number): Tensor {
  const { height, width } = sizeOf(images);
  const rows = Math.max(height, Math.trunc((width * size.height) / size.width)) - height;
  const columns = Math.max(width, Math.trunc((height * size.width) / size.height)) - width;
  // As in Keras, the same on both sides: of an odd number, one is left out.
  const around = (n: number): [number, number] => [Math.trunc(n / 2), Math.trunc(n / 2)];
  return pad(images, { paddings: [[0, 0], around(rows), around(columns), [0, 0]], constantValue });
}
