/** @file Convolutions and pooling of random programs: a value of rank 3 is one image, one of rank 4 a batch of them. */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import { isFilled, ofOne, op, pick, type Planner, type Step } from './planning.ts';
import { build, sizeOf, type Value } from './values.ts';

/** Windows along one axis: their number, and the place of element `k` of window `i`, which may be outside. */
interface Windows {
  readonly count: number;
  readonly place: (i: number, k: number) => number;
}

function windowsAlong(n: number, size: number, stride: number, dilation: number, isSame: boolean): Windows {
  const reach = (size - 1) * dilation + 1;
  const count = isSame ? Math.ceil(n / stride) : Math.floor((n - reach) / stride) + 1;
  // TensorFlow's rule: an odd element of padding comes after the image.
  const before = isSame ? Math.floor(Math.max(0, (count - 1) * stride + reach - n) / 2) : 0;
  return { count, place: (i, k) => i * stride + k * dilation - before };
}

interface Images {
  readonly shape: [number, number, number, number];
  readonly element: (image: number, row: number, column: number, channel: number) => number;
}

function imagesOf({ shape, data }: Value): Images {
  const [n, h, w, c] = (shape.length === 3 ? [1, ...shape] : shape) as [number, number, number, number];
  return {
    shape: [n, h, w, c],
    element: (i, y, x, channel) => data[((i * h + y) * w + x) * c + channel] as number,
  };
}

const isImages = (x: Value) => isFilled(x) && (x.shape.length === 3 || x.shape.length === 4);

/** Returns the images of a tensor that `plan` was made for. */
const asImages = (t: Tensor, { shape }: Images) => rg.reshape(t as never, { shape }) as Tensor;

interface Options {
  readonly size: [number, number];
  readonly strides: [number, number];
  readonly dilation: [number, number];
  readonly padding: 'same' | 'valid';
}

/** Sizes, strides and dilations that the step determines. Strided windows aren't dilated, as in TensorFlow. */
function optionsOf({ b, c }: Step): Options {
  const strides: [number, number] = [1 + (c % 2), 1 + (b % 2)];
  const isStrided = Math.max(...strides) > 1;
  return {
    size: [1 + (Math.floor(b / 2) % 3), 1 + (Math.floor(b / 6) % 3)],
    strides,
    dilation: isStrided ? [1, 1] : [1 + (Math.floor(c / 2) % 2), 1 + (Math.floor(b / 18) % 2)],
    padding: Math.floor(c / 4) % 2 === 0 ? 'same' : 'valid',
  };
}

function windowsOf([, h, w]: Images['shape'], { size, strides, dilation, padding }: Options) {
  const along = (n: number, i: 0 | 1) =>
    windowsAlong(n, size[i], strides[i], dilation[i], padding === 'same');
  return [along(h, 0), along(w, 1)] as const;
}

const inside = (place: number, n: number) => place >= 0 && place < n;

/** A convolution whose kernel is made of the first elements of another value. */
const convolution =
  (name: 'conv2d' | 'depthwiseConv2d'): Planner =>
  (values, step) => {
    const first = pick(values, step.a, isImages);
    if (first === null) return null;
    const images = imagesOf(values[first] as Value);
    const [n, h, w, channels] = images.shape;
    const options = optionsOf(step);
    const [rows, columns] = windowsOf(images.shape, options);
    const own = 1 + (Math.floor(step.c / 8) % 4);
    const kernelShape = [...options.size, channels, own];
    const needed = sizeOf(kernelShape);
    const second = pick(values, step.b, (y) => y.dtype === 'float32' && y.data.length >= needed);
    if (second === null || rows.count < 1 || columns.count < 1) return null;
    const kernel = (values[second] as Value).data;
    const weight = (i: number, j: number, channel: number, k: number) =>
      kernel[((i * options.size[1] + j) * channels + channel) * own + k] as number;
    const isDepthwise = name === 'depthwiseConv2d';
    const sum = (image: number, y: number, x: number, from: number, to: number, k: number) => {
      let total = 0;
      for (let i = 0; i < options.size[0]; i++)
        for (let j = 0; j < options.size[1]; j++) {
          const [row, column] = [rows.place(y, i), columns.place(x, j)];
          if (!inside(row, h) || !inside(column, w)) continue;
          for (let channel = from; channel < to; channel++)
            total += images.element(image, row, column, channel) * weight(i, j, channel, k);
        }
      return total;
    };
    const shape = [n, rows.count, columns.count, isDepthwise ? channels * own : own];
    const { strides, dilation: dilationRate, padding } = options;
    return {
      inputs: [first, second],
      result: build(shape, 'float32', (position) => {
        const [image, y, x, out] = position as [number, number, number, number];
        if (!isDepthwise) return sum(image, y, x, 0, channels, out);
        const channel = Math.floor(out / own);
        return sum(image, y, x, channel, channel + 1, out % own);
      }),
      run: (s, t) => {
        const flat = rg.reshape(t as never, { shape: [-1] });
        const elements = rg.slice(flat, { begin: [0], size: [needed] });
        const filter = rg.reshape(elements, { shape: kernelShape });
        return op(name)(asImages(s, images), filter, { strides, dilationRate, padding });
      },
      text: (v, u) =>
        `${name}(${v}, first ${needed} of ${u} as [${kernelShape}], ${JSON.stringify({ strides, dilationRate, padding })})`,
    };
  };

/** Pooling, of elements inside the image only. */
const pooling = (name: 'maxPool' | 'avgPool', reduce: (values: number[]) => number): Planner =>
  ofOne(isImages, (given, step) => {
    const images = imagesOf(given);
    const [n, h, w, channels] = images.shape;
    const { size, strides, padding } = optionsOf(step);
    const [rows, columns] = windowsOf(images.shape, { size, strides, dilation: [1, 1], padding });
    if (rows.count < 1 || columns.count < 1) return null;
    return {
      result: build([n, rows.count, columns.count, channels], 'float32', (position) => {
        const [image, y, x, channel] = position as [number, number, number, number];
        const window: number[] = [];
        for (let i = 0; i < size[0]; i++)
          for (let j = 0; j < size[1]; j++) {
            const [row, column] = [rows.place(y, i), columns.place(x, j)];
            if (inside(row, h) && inside(column, w)) window.push(images.element(image, row, column, channel));
          }
        return reduce(window);
      }),
      run: (t) => op(name)(asImages(t, images), { poolSize: size, strides, padding }),
      text: (v) => `${name}(${v}, ${JSON.stringify({ poolSize: size, strides, padding })})`,
    };
  });

export const windows: Readonly<Record<string, Planner>> = {
  conv2d: convolution('conv2d'),
  depthwiseConv2d: convolution('depthwiseConv2d'),
  maxPool: pooling('maxPool', (values) => Math.max(...values)),
  avgPool: pooling('avgPool', (values) => values.reduce((x, y) => x + y, 0) / values.length),
};
