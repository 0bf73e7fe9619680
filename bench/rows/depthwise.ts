/**
 * @file Depthwise convolutions in their three directions: a 3×3 kernel, and a 5×5 one with stride 2. Rows are NHWC; libraries
 * that expect channels first get that layout, so that no library pays for a conversion.
 */
import { depthwiseConv2d, depthwiseConv2dFilterGrad, depthwiseConv2dInputGrad } from 'retrograd';
import { fromChannelsFirst, type HostArray, normal, permuted, sizeOf, toChannelsFirst } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { type JaxArray, type JaxJs, jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { AdapterClass, Family, Row } from '../row.ts';

const directions = ['forward', 'input gradient', 'filter gradient'] as const;
type Direction = (typeof directions)[number];

interface Geometry {
  batch: number;
  size: number;
  channels: number;
  kernel: number;
  stride: number;
}

interface Depthwise extends Geometry {
  what: string;
}

function depthwise(adapter: AdapterClass): Depthwise[] {
  const onGpu = adapter === 'gpu';
  const batch = onGpu ? 8 : 1;
  return [
    { what: 'depthwise 3×3', batch, size: 112, channels: onGpu ? 128 : 64, kernel: 3, stride: 1 },
    { what: 'depthwise 5×5 stride 2', batch, size: 56, channels: onGpu ? 192 : 96, kernel: 5, stride: 2 },
  ];
}

/** Padding 'same' as in TensorFlow: an odd row is added at the end. */
function geometry({ batch, size, channels, kernel, stride }: Geometry) {
  const result = Math.ceil(size / stride);
  const total = Math.max(0, (result - 1) * stride + kernel - size);
  const before = Math.floor(total / 2);
  return {
    result,
    before,
    after: total - before,
    x: [batch, size, size, channels],
    w: [kernel, kernel, channels, 1],
    y: [batch, result, result, channels],
  };
}

type Values = HostArray['values'];

function row(convolution: Depthwise, direction: Direction): Row {
  const { what, batch, size, channels, kernel } = convolution;
  const { x, w, y } = geometry(convolution);
  const operands = { forward: [x, w, y], 'input gradient': [y, w, x], 'filter gradient': [x, y, w] };
  const [first, second, shape] = operands[direction] as [number[], number[], number[]];
  const isFilterGrad = direction === 'filter gradient';
  return {
    name: `conv ${batch === 1 ? '' : `${batch}×`}${size}² ${channels} ${what}, ${direction}`,
    family: `convolution ${direction}`,
    inputs: () => [normal(first, 1), normal(second, 2, isFilterGrad ? 1 : 0.1)],
    check: ([result], given) => {
      const [a, b] = given.map(({ values }) => values) as [Values, Values];
      // Sums of tens of thousands of terms of both signs.
      const precision = isFilterGrad ? { tolerance: 3e-4, count: 32 } : {};
      return problem(result, { shape, at: expectations[direction](convolution, a, b), ...precision });
    },
    contenders: depthwiseContenders[direction](convolution),
    work: { flops: 2 * sizeOf(y) * kernel * kernel, bytes: 4 * (sizeOf(x) + sizeOf(w) + sizeOf(y)) },
  };
}

type At = (...position: number[]) => number;
type Rule = (convolution: Depthwise, a: Values, b: Values) => At;

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const sum = (terms: number[]) => terms.reduce((total, term) => total + term, 0);

/** The terms of a result: pixel, tap and window match where pixel = window · stride + tap − padding. */
const expectations: Readonly<Record<Direction, Rule>> = {
  forward: (c, x, w) => {
    const { before } = geometry(c);
    return (...[image, row, column, channel]) => {
      const term = (ky: number, kx: number) => {
        const [py, px] = [row as number, column as number].map((n) => n * c.stride - before) as [
          number,
          number,
        ];
        return (
          valueAt(x, c.size, c.channels, image as number, py + ky, px + kx, channel as number) *
          (w[(ky * c.kernel + kx) * c.channels + (channel as number)] as number)
        );
      };
      return sum(range(c.kernel).flatMap((ky) => range(c.kernel).map((kx) => term(ky, kx))));
    };
  },
  'input gradient': (c, dy, w) => {
    const { before, result } = geometry(c);
    return (...[image, py, px, channel]) => {
      const term = (ky: number, kx: number) => {
        const row = ((py as number) + before - ky) / c.stride;
        const column = ((px as number) + before - kx) / c.stride;
        return (
          valueAt(dy, result, c.channels, image as number, row, column, channel as number) *
          (w[(ky * c.kernel + kx) * c.channels + (channel as number)] as number)
        );
      };
      return sum(range(c.kernel).flatMap((ky) => range(c.kernel).map((kx) => term(ky, kx))));
    };
  },
  'filter gradient': (c, x, dy) => {
    const { before, result } = geometry(c);
    return (...[ky, kx, channel]) => {
      const term = (image: number, row: number, column: number) => {
        const py = row * c.stride + (ky as number) - before;
        const px = column * c.stride + (kx as number) - before;
        return (
          valueAt(x, c.size, c.channels, image, py, px, channel as number) *
          valueAt(dy, result, c.channels, image, row, column, channel as number)
        );
      };
      const rowsOf = (image: number) =>
        range(result).flatMap((row) => range(result).map((column) => term(image, row, column)));
      return sum(range(c.batch).flatMap(rowsOf));
    };
  },
};

/** Returns a value of a square image; zero between its pixels and beyond them. */
function valueAt(
  values: Values,
  size: number,
  channels: number,
  ...[image, row, column, channel]: [number, number, number, number]
): number {
  const within = [row, column].every((n) => Number.isInteger(n) && n >= 0 && n < size);
  return within ? (values[((image * size + row) * size + column) * channels + channel] as number) : 0;
}

const channelsFirst = (shape: readonly number[]) => [0, 3, 1, 2].map((axis) => shape[axis] as number);
/** [height, width, channels, 1] to [channels, 1, height, width], and back. */
const toFiltersFirst = (w: HostArray) => permuted(w, [2, 3, 0, 1]);
const fromFiltersFirst = (w: HostArray) => permuted(w, [2, 3, 0, 1]);

function convolveIn(jax: JaxJs, c: Geometry, image: JaxArray, filter: JaxArray): JaxArray {
  const { before, after } = geometry(c);
  const pads: [number, number] = [before, after];
  const strides = [c.stride, c.stride];
  return jax.lax.convGeneralDilated(image, filter, strides, [pads, pads], { featureGroupCount: c.channels });
}

/** Returns the gradient at zeros of `shape`, for a linear `f`. */
function pulledBack(jax: JaxJs, shape: number[], dy: JaxArray, f: (given: JaxArray) => JaxArray): JaxArray {
  const [value, pull] = jax.vjp(f, [jax.numpy.zeros(shape, { device: 'webgpu' })]);
  value.dispose();
  return (pull(dy) as unknown as JaxArray[])[0] as JaxArray;
}

/** TF.js has kernels for the gradients, but exports them only by name. */
function gradientKernel(tf: Tfjs, c: Geometry, kernel: string, inputs: object, shape: object) {
  const attributes = { ...shape, strides: c.stride, pad: 'same', dilations: 1, dimRoundingMode: undefined };
  return tf.engine().runKernel(kernel, inputs as never, attributes as never) as ReturnType<Tfjs['tensor']>;
}

function onnxAttributes(c: Geometry) {
  const { before, after } = geometry(c);
  return {
    kernel_shape: [c.kernel, c.kernel],
    strides: [c.stride, c.stride],
    group: c.channels,
    pads: [before, before, after, after],
  };
}

/** A depthwise convolution with padding 'same', by direction, as each library writes it. */
export const depthwiseContenders: Readonly<Record<Direction, (c: Geometry) => Row['contenders']>> = {
  forward: (c) => ({
    retrograd: retrograd((image, filter) =>
      depthwiseConv2d(image, filter, { padding: 'same', strides: c.stride }),
    ),
    tfjs: tfjs((tf, image, filter) => tf.depthwiseConv2d(image as never, filter as never, c.stride, 'same')),
    jaxjs: jaxjs((jax, image, filter) => convolveIn(jax, c, image, filter), {
      inputs: [toChannelsFirst, toFiltersFirst],
      outputs: [fromChannelsFirst],
    }),
    ort: ort((graph, image, filter) => graph.node('Conv', [image, filter], onnxAttributes(c)), {
      inputs: [toChannelsFirst, toFiltersFirst],
      outputs: [fromChannelsFirst],
      constants: [1],
      shapes: [channelsFirst(geometry(c).y)],
    }),
  }),
  'input gradient': (c) => ({
    retrograd: retrograd((dy, filter) =>
      depthwiseConv2dInputGrad(dy, filter, {
        padding: 'same',
        strides: c.stride,
        inputShape: geometry(c).x,
      }),
    ),
    tfjs: tfjs((tf, dy, filter) =>
      gradientKernel(
        tf,
        c,
        'DepthwiseConv2dNativeBackpropInput',
        { dy, filter },
        { inputShape: geometry(c).x },
      ),
    ),
    jaxjs: jaxjs(
      (jax, dy, filter) =>
        pulledBack(jax, channelsFirst(geometry(c).x), dy, (image) => convolveIn(jax, c, image, filter)),
      { inputs: [toChannelsFirst, toFiltersFirst], outputs: [fromChannelsFirst] },
    ),
    ort: ort((graph, dy, filter) => graph.node('ConvTranspose', [dy, filter], onnxAttributes(c)), {
      inputs: [toChannelsFirst, toFiltersFirst],
      outputs: [fromChannelsFirst],
      constants: [1],
      shapes: [channelsFirst(geometry(c).x)],
    }),
  }),
  'filter gradient': (c) => ({
    retrograd: retrograd((image, dy) =>
      depthwiseConv2dFilterGrad(image, dy, {
        padding: 'same',
        strides: c.stride,
        kernelShape: geometry(c).w,
      }),
    ),
    tfjs: tfjs((tf, image, dy) =>
      gradientKernel(
        tf,
        c,
        'DepthwiseConv2dNativeBackpropFilter',
        { x: image, dy },
        { filterShape: geometry(c).w },
      ),
    ),
    jaxjs: jaxjs(
      (jax, image, dy) =>
        pulledBack(jax, [c.channels, 1, c.kernel, c.kernel], dy, (filter) =>
          convolveIn(jax, c, image, filter),
        ),
      { inputs: [toChannelsFirst, toChannelsFirst], outputs: [fromFiltersFirst] },
    ),
    ort: unable('ONNX has no gradient of a filter'),
  }),
};

export const depthwiseFamily: Family = {
  name: 'depthwise',
  rows: (adapter) =>
    directions.flatMap((direction) => depthwise(adapter).map((convolution) => row(convolution, direction))),
};
