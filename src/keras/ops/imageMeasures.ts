/** @file Edges and similarity of images: sobelEdges, ssim. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireFinite, requireInteger } from '../../core/shape.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { conv2d } from '../../ops/convolution/conv2d.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { square } from '../../ops/elementwise/unary.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats, composeThroughFloats } from './composites.ts';

/** Differences down and across, both as a filter of one convolution: [3, 3, 1, 2]. */
const sobel = [-1, -1, -2, 0, -1, 1, 0, -2, 0, 0, 0, 2, 1, -1, 2, 0, 1, 1];

/**
 * The gradients of images down and across, by the kernels of Sobel; beyond the border are zeros. float32. Shapes: [batch, h, w, c] →
 * [batch, h, w, c, 2]. Errors: ShapeError for another rank.
 */
export const sobelEdges: CompositeOp<[images: Tensor]> = /* @__PURE__ */ composeFloats({
  name: 'sobelEdges',
  inputs: ['images'],
  options: {},
  compose: ([images]) => {
    requireImages('sobelEdges', images.shape, 4, 1);
    const [batch, height, width, channels] = images.shape as [number, number, number, number];
    const kernel = tensor(sobel, { shape: [3, 3, 1, 2] });
    const edges = conv2d(channelsAsBatch(images), kernel, { padding: 'same' });
    const byChannel = reshape(edges, { shape: [batch, channels, height, width, 2] });
    return transpose(byChannel, { perm: [0, 2, 3, 1, 4] });
  },
});

export interface SsimOptions {
  /** The largest possible value of a pixel. Default 1. */
  maxVal?: number;
  /** Height and width of the Gaussian window, odd. Default 11. */
  filterSize?: number;
  /** Standard deviation of the window, in pixels. Default 1.5. */
  filterSigma?: number;
  /** The constant that keeps the ratio of luminances stable, as a fraction of `maxVal`. Default 0.01. */
  k1?: number;
  /** The constant that keeps the ratio of contrasts stable, as a fraction of `maxVal`. Default 0.03. */
  k2?: number;
}

/**
 * The structural similarity of images, 1 for the same. Shapes: two images [h, w, c] → [], two batches [batch, h, w, c] → [batch].
 * Dtype: that of the images. Source: Z. Wang et al., "Image quality assessment: from error visibility to structural similarity",
 * 2004. Errors: ShapeError for images smaller than the window, ValueError.
 */
export const ssim: CompositeOp<
  [image1: Tensor, image2: Tensor],
  SsimOptions,
  Tensor,
  ['maxVal', 'filterSize', 'filterSigma', 'k1', 'k2']
> = /* @__PURE__ */ composeThroughFloats({
  name: 'ssim',
  inputs: ['image1', 'image2'],
  options: { maxVal: true, filterSize: true, filterSigma: true, k1: true, k2: true },
  compose: (images, { maxVal = 1, filterSize = 11, filterSigma = 1.5, k1 = 0.01, k2 = 0.03 }) => {
    const op = 'ssim';
    requireInteger(op, 'filterSize', filterSize, 1);
    for (const [name, value] of Object.entries({ maxVal, filterSigma, k1, k2 }))
      requireFinite(op, name, value, 0);
    const isOne = images[0].shape.length === 3;
    for (const { shape } of images) requireImages(op, shape, isOne ? 3 : 4, filterSize);
    const [x, y] = images.map((image) => channelsAsBatch(isOne ? expandDims(image, { axis: 0 }) : image)) as [
      Tensor,
      Tensor,
    ];
    const window = gaussianWindow(filterSize, filterSigma);
    const averaged = (z: Tensor) => conv2d(z, window);
    const [meanX, meanY] = [averaged(x), averaged(y)];
    const product = mul(meanX, meanY);
    const squares = add(square(meanX), square(meanY));
    const covariance = sub(averaged(mul(x, y)), product);
    const variances = sub(averaged(add(square(x), square(y))), squares);
    const [c1, c2] = [(k1 * maxVal) ** 2, (k2 * maxVal) ** 2];
    const similar = mul(add(mul(product, 2), c1), add(mul(covariance, 2), c2));
    const map = div(similar, mul(add(squares, c1), add(variances, c2)));
    const channels = images[0].shape.at(-1) as number;
    const ofImages = mean(reshape(mean(map, { axis: [1, 2, 3] }), { shape: [-1, channels] }), { axis: 1 });
    return isOne ? reshape(ofImages, { shape: [] }) : ofImages;
  },
});

/** [batch, h, w, c] as [batch · c, h, w, 1]. */
function channelsAsBatch(images: Tensor): Tensor {
  const [, height, width] = images.shape as [number, number, number, number];
  return reshape(transpose(images, { perm: [0, 3, 1, 2] }), { shape: [-1, height, width, 1] });
}

function gaussianWindow(size: number, sigma: number): Tensor {
  const line = Array.from({ length: size }, (_, i) =>
    Math.exp(-((i - (size - 1) / 2) ** 2) / (2 * sigma ** 2)),
  );
  const total = line.reduce((sum, value) => sum + value, 0) ** 2;
  const values = line.flatMap((down) => line.map((across) => (down * across) / total));
  return tensor(values, { shape: [size, size, 1, 1] });
}

function requireImages(op: string, shape: readonly number[], rank: number, least: number): void {
  const [height, width] = shape.slice(-3) as [number, number];
  if (shape.length === rank && height >= least && width >= least) return;
  throw new ShapeError({
    op,
    rule: `images have rank ${rank} and at least ${least} rows and columns.`,
    received: formatShape(shape),
    hint: 'expandDims one image for a batch of it; take a smaller window for small images.',
  });
}
