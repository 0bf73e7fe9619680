/**
 * @file Plain matmuls and convolutions in float64 on the host: the oracle of the kernel tests. Written from the definitions,
 * as loops.
 */
import { generator } from '../ops/samples/draw.ts';

/** Values in [-1, 1) that are exact in float32. */
export function draw(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: size }, () => 2 * random() - 1);
}

/** C[m, n] of one slice; `a` is [m, k] or [k, m], `b` is [k, n] or [n, k]. */
export function product(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  [m, n, k]: readonly [number, number, number],
  transposeA = false,
  transposeB = false,
): Float64Array {
  const c = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let l = 0; l < k; l++) {
        const x = a[transposeA ? l * m + i : i * k + l] as number;
        const y = b[transposeB ? j * k + l : l * n + j] as number;
        sum += x * y;
      }
      c[i * n + j] = sum;
    }
  }
  return c;
}

/** The sizes of a convolution. */
export interface Convolution {
  batch: number;
  /** Height, width and channels of the image. */
  image: readonly [number, number, number];
  /** Height and width of the kernel, and the number of filters. */
  kernel: readonly [number, number, number];
  /** Height and width of the result. */
  result: readonly [number, number];
  strides: readonly [number, number];
  dilation: readonly [number, number];
  /** Padding above and to the left. */
  before: readonly [number, number];
  groups: number;
}

/** Calls `visit` with the flat indices of image, kernel and result of every multiplication of a convolution. */
function eachProduct(c: Convolution, visit: (image: number, kernel: number, result: number) => void): void {
  const [height, width, channels] = c.image;
  const [kernelHeight, kernelWidth, filters] = c.kernel;
  const [outHeight, outWidth] = c.result;
  const groupChannels = channels / c.groups;
  const groupFilters = filters / c.groups;
  for (let b = 0; b < c.batch; b++)
    for (let oy = 0; oy < outHeight; oy++)
      for (let ox = 0; ox < outWidth; ox++)
        for (let o = 0; o < filters; o++)
          for (let ky = 0; ky < kernelHeight; ky++)
            for (let kx = 0; kx < kernelWidth; kx++) {
              const y = oy * c.strides[0] + ky * c.dilation[0] - c.before[0];
              const x = ox * c.strides[1] + kx * c.dilation[1] - c.before[1];
              if (y < 0 || y >= height || x < 0 || x >= width) continue;
              const group = Math.floor(o / groupFilters);
              for (let i = 0; i < groupChannels; i++)
                visit(
                  ((b * height + y) * width + x) * channels + group * groupChannels + i,
                  ((ky * kernelWidth + kx) * groupChannels + i) * filters + o,
                  ((b * outHeight + oy) * outWidth + ox) * filters + o,
                );
            }
}

const imageSize = ({ batch, image }: Convolution) => batch * image[0] * image[1] * image[2];
const resultSize = ({ batch, result, kernel }: Convolution) => batch * result[0] * result[1] * kernel[2];
const kernelSize = ({ kernel, image, groups }: Convolution) =>
  (kernel[0] * kernel[1] * kernel[2] * image[2]) / groups;

export const sizes = { image: imageSize, kernel: kernelSize, result: resultSize };

/** How a number is rounded before the next operation: Math.fround for sums of float32. */
type Rounding = (value: number) => number;

const exactly: Rounding = (value) => value;

export function convolve(
  c: Convolution,
  image: ArrayLike<number>,
  kernel: ArrayLike<number>,
  round: Rounding = exactly,
): Float64Array {
  const out = new Float64Array(resultSize(c));
  eachProduct(c, (i, k, r) => {
    out[r] = round((out[r] as number) + round((image[i] as number) * (kernel[k] as number)));
  });
  return out;
}

export function inputGradient(
  c: Convolution,
  dy: ArrayLike<number>,
  kernel: ArrayLike<number>,
  round: Rounding = exactly,
): Float64Array {
  const out = new Float64Array(imageSize(c));
  eachProduct(c, (i, k, r) => {
    out[i] = round((out[i] as number) + round((dy[r] as number) * (kernel[k] as number)));
  });
  return out;
}

export function filterGradient(
  c: Convolution,
  image: ArrayLike<number>,
  dy: ArrayLike<number>,
  round: Rounding = exactly,
): Float64Array {
  const out = new Float64Array(kernelSize(c));
  eachProduct(c, (i, k, r) => {
    out[k] = round((out[k] as number) + round((image[i] as number) * (dy[r] as number)));
  });
  return out;
}

/** Returns the largest difference between two lists of equal length; NaN where one lacks a number. */
export function largestError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.NaN;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const error = Math.abs((actual[i] as number) - (expected[i] as number));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}
