/**
 * @file Float64 references on the host, from the definitions: sums of products and linear ops with their gradients, and
 * gradients by central differences. Nothing here shares code with the kernels.
 */
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Check, Values } from './check.ts';

/** Calls `visit` with the flat indices of each product: c[k] is the sum of a[i] · b[j]. */
export type Products = (visit: (i: number, j: number, k: number) => void) => void;

/** Returns the results of a bilinear op and its gradients, from a, b and the cotangent. */
export function bilinear(products: Products): Check['expected'] {
  return ([a, b, dy]) => {
    const [x, y, cotangent] = [a, b, dy] as [Values, Values, Values];
    const c = new Float64Array(cotangent.length);
    const dx = new Float64Array(x.length);
    const dyy = new Float64Array(y.length);
    products((i, j, k) => {
      const [p, q, d] = [x[i] as number, y[j] as number, cotangent[k] as number];
      c[k] = (c[k] as number) + p * q;
      dx[i] = (dx[i] as number) + d * q;
      dyy[j] = (dyy[j] as number) + d * p;
    });
    return [c, dx, dyy];
  };
}

/** Calls `visit` with each term: y[k] is the sum of weight · x[i]. */
export type Terms = (visit: (i: number, k: number, weight?: number) => void) => void;

/** Returns the results of a linear op of one input and its gradient. */
export function linear(terms: Terms): Check['expected'] {
  return ([x, dy]) => {
    const [values, cotangent] = [x, dy] as [Values, Values];
    const y = new Float64Array(cotangent.length);
    const dx = new Float64Array(values.length);
    terms((i, k, weight = 1) => {
      y[k] = (y[k] as number) + weight * (values[i] as number);
      dx[i] = (dx[i] as number) + weight * (cotangent[k] as number);
    });
    return [y, dx];
  };
}

const step = 1e-5;

/** Returns the results of an op and its gradients, by central differences. For few values, since each costs two calls. */
export function byDifferences(forward: (...inputs: Values[]) => Values): Check['expected'] {
  return (given) => {
    const [inputs, cotangent] = [given.slice(0, -1), given.at(-1) as Values];
    const project = () =>
      forward(...inputs).reduce((sum, value, i) => sum + value * (cotangent[i] as number), 0);
    const gradients = inputs.map((values) =>
      values.map((value, i) => {
        values[i] = value + step;
        const above = project();
        values[i] = value - step;
        const below = project();
        values[i] = value;
        return (above - below) / (2 * step);
      }),
    );
    return [forward(...inputs), ...gradients];
  };
}

/** Returns the results of an elementwise op of tensors of one shape, and its gradients. */
export function elementwise(f: (...values: number[]) => number): Check['expected'] {
  return (given) => {
    const [inputs, cotangent] = [given.slice(0, -1), given.at(-1) as Values];
    const at = (i: number) => inputs.map((values) => values[i] as number);
    const moved = (i: number, by: number, which: number) =>
      f(...at(i).map((value, j) => (j === which ? value + by : value)));
    const gradients = inputs.map((_, which) =>
      cotangent.map((d, i) => (d * (moved(i, step, which) - moved(i, -step, which))) / (2 * step)),
    );
    return [cotangent.map((_, i) => f(...at(i))), ...gradients];
  };
}

/** Returns the lines of a shape along its axis: the first index of each, the stride within, and the number of elements. */
export function linesOf(shape: readonly number[], axis: number) {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  const outer = sizeOf(shape.slice(0, axis));
  const starts = Array.from(
    { length: outer * inner },
    (_, i) => Math.floor(i / inner) * n * inner + (i % inner),
  );
  return { starts, stride: inner, n };
}

/** The geometry of a convolution with `same` padding. */
export interface SameConvolution {
  readonly image: TensorSpec;
  readonly kernel: TensorSpec;
  readonly strides: number;
  readonly dilation: number;
}

/** Calls `visit` with the pixels of an image under each tap: flat pixel, flat tap, flat result pixel. */
export function eachTap(
  { image, kernel, strides, dilation }: SameConvolution,
  visit: (pixel: number, tap: number, result: number) => void,
): void {
  const [batch, height, width] = image.shape as [number, number, number, number];
  const [rows, columns] = kernel.shape as [number, number, number, number];
  const out = (size: number) => Math.ceil(size / strides);
  const before = (size: number, window: number) =>
    Math.floor(Math.max((out(size) - 1) * strides + dilation * (window - 1) + 1 - size, 0) / 2);
  const [top, left] = [before(height, rows), before(width, columns)];
  for (let b = 0; b < batch; b++)
    for (let y = 0; y < out(height); y++)
      for (let x = 0; x < out(width); x++)
        for (let r = 0; r < rows; r++)
          for (let c = 0; c < columns; c++) {
            const [py, px] = [y * strides + r * dilation - top, x * strides + c * dilation - left];
            if (py < 0 || py >= height || px < 0 || px >= width) continue;
            visit((b * height + py) * width + px, r * columns + c, (b * out(height) + y) * out(width) + x);
          }
}
