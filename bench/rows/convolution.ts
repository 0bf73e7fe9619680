/**
 * @file Convolutions in their three directions: those of VGG, 1×1, 7×7 with stride 2, dilated. Rows are NHWC and HWIO;
 * libraries that expect channels first get that layout, so that no library pays for a conversion.
 */
import { conv2d, conv2dFilterGrad, conv2dInputGrad } from 'retrograd';
import {
  fromChannelsFirst,
  fromFiltersFirst,
  type HostArray,
  normal,
  sizeOf,
  toChannelsFirst,
  toFiltersFirst,
} from '../host.ts';
import { unable } from '../job.ts';
import { type Expectation, problem } from '../oracle.ts';
import { type JaxArray, type JaxJs, jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { AdapterClass, Family, Row } from '../row.ts';

export type Direction = 'forward' | 'input gradient' | 'filter gradient';

interface Layer {
  batch: number;
  size: number;
  inputs: number;
  outputs: number;
  kernel: number;
  stride?: number;
  dilation?: number;
}

interface Convolution extends Layer {
  what: string;
  directions?: readonly Direction[];
}

const allDirections = ['forward', 'input gradient', 'filter gradient'] as const;

/**
 * Returns the layers of VGG: image sizes and channels of its blocks at 224²; a software adapter gets the same images with fewer
 * channels.
 */
function convolutions(adapter: AdapterClass): Convolution[] {
  const onGpu = adapter === 'gpu';
  const batch = onGpu ? 8 : 1;
  const pick = <T>(gpu: T, cpu: T) => (onGpu ? gpu : cpu);
  const vgg = [
    { size: 224, inputs: 3, outputs: 64 },
    pick({ size: 224, inputs: 64, outputs: 64 }, { size: 224, inputs: 16, outputs: 16 }),
    pick({ size: 112, inputs: 128, outputs: 128 }, { size: 112, inputs: 32, outputs: 32 }),
    pick({ size: 56, inputs: 256, outputs: 256 }, { size: 64, inputs: 64, outputs: 64 }),
    pick({ size: 28, inputs: 512, outputs: 512 }, { size: 32, inputs: 128, outputs: 128 }),
  ];
  const plain: readonly Direction[] = ['forward'];
  const narrow = pick(256, 64);
  return [
    ...vgg.map((layer) => ({ what: 'VGG 3×3', batch, kernel: 3, ...layer })),
    { what: '1×1', batch, size: 56, inputs: 256, outputs: 64, kernel: 1, directions: plain },
    { what: '7×7 stride 2', batch, size: 224, inputs: 3, outputs: 64, kernel: 7, stride: 2 },
    { what: '3×3 stride 2', batch, size: 56, inputs: narrow, outputs: narrow, kernel: 3, stride: 2 },
    { what: 'dilated 3×3', batch, size: 56, inputs: narrow, outputs: narrow, kernel: 3, dilation: 2 },
  ];
}

/** Padding 'same' as in TensorFlow: an odd row is added at the end. */
function geometry({ size, kernel, stride = 1, dilation = 1 }: Layer) {
  const result = Math.ceil(size / stride);
  const total = Math.max(0, (result - 1) * stride + (kernel - 1) * dilation + 1 - size);
  const before = Math.floor(total / 2);
  return { result, before, after: total - before };
}

function shapesOf(convolution: Layer) {
  const { batch, size, inputs, outputs, kernel } = convolution;
  const { result } = geometry(convolution);
  return {
    x: [batch, size, size, inputs],
    w: [kernel, kernel, inputs, outputs],
    y: [batch, result, result, outputs],
  };
}

type Shapes = ReturnType<typeof shapesOf>;
type Values = HostArray['values'];

function row(convolution: Convolution, direction: Direction): Row {
  const { what, batch, size, inputs, outputs, kernel } = convolution;
  const shapes = shapesOf(convolution);
  const { x, w, y } = shapes;
  const many = batch === 1 ? '' : `${batch}×`;
  const [first, second, out] = operands(direction, shapes);
  return {
    name: `conv ${many}${size}² ${inputs}→${outputs} ${what}, ${direction}`,
    family: `convolution ${direction}`,
    inputs: () => [normal(first, 1), normal(second, 2, direction === 'filter gradient' ? 1 : 0.1)],
    check: ([result], given) => {
      const [a, b] = given.map(({ values }) => values) as [Values, Values];
      return problem(result, { shape: out, ...expectations[direction](convolution, shapes, a, b) });
    },
    contenders: convolutionContenders(convolution, direction),
    work: { flops: 2 * sizeOf(y) * kernel * kernel * inputs, bytes: 4 * (sizeOf(x) + sizeOf(w) + sizeOf(y)) },
  };
}

/** Shapes of the two operands and of the result. */
function operands(direction: Direction, { x, w, y }: Shapes): [number[], number[], number[]] {
  if (direction === 'forward') return [x, w, y];
  return direction === 'input gradient' ? [y, w, x] : [x, y, w];
}

type Expected = Pick<Expectation, 'at' | 'tolerance' | 'count'>;
type Rule = (convolution: Convolution, shapes: Shapes, a: Values, b: Values) => Expected;

/** The terms of a result. */
const expectations: Readonly<Record<Direction, Rule>> = {
  forward(convolution, { w: [, , channels] = [] }, x, w) {
    const { size, inputs, outputs, kernel, stride = 1, dilation = 1 } = convolution;
    const { before } = geometry(convolution);
    return {
      at(...[image, row, column, o]) {
        let sum = 0;
        for (let dy = 0; dy < kernel; dy++) {
          for (let dx = 0; dx < kernel; dx++) {
            const py = (row as number) * stride + dy * dilation - before;
            const px = (column as number) * stride + dx * dilation - before;
            if (py < 0 || py >= size || px < 0 || px >= size) continue;
            const pixel = (((image as number) * size + py) * size + px) * inputs;
            const tap = (dy * kernel + dx) * (channels as number);
            for (let i = 0; i < inputs; i++) {
              sum += (x[pixel + i] as number) * (w[(tap + i) * outputs + (o as number)] as number);
            }
          }
        }
        return sum;
      },
    };
  },
  'input gradient'(convolution, _, dy, w) {
    const { inputs, outputs, kernel, stride = 1, dilation = 1 } = convolution;
    const { before, result } = geometry(convolution);
    return {
      at(...[image, py, px, i]) {
        let sum = 0;
        for (let ky = 0; ky < kernel; ky++) {
          for (let kx = 0; kx < kernel; kx++) {
            const row = ((py as number) + before - ky * dilation) / stride;
            const column = ((px as number) + before - kx * dilation) / stride;
            if (!Number.isInteger(row) || !Number.isInteger(column)) continue;
            if (row < 0 || row >= result || column < 0 || column >= result) continue;
            const pixel = (((image as number) * result + row) * result + column) * outputs;
            const tap = ((ky * kernel + kx) * inputs + (i as number)) * outputs;
            for (let o = 0; o < outputs; o++) sum += (dy[pixel + o] as number) * (w[tap + o] as number);
          }
        }
        return sum;
      },
    };
  },
  'filter gradient'(convolution, _, x, dy) {
    const { batch, size, inputs, outputs, stride = 1, dilation = 1 } = convolution;
    const { before, result } = geometry(convolution);
    return {
      // Sums of tens of thousands of terms of both signs.
      tolerance: 3e-4,
      count: 32,
      at(...[ky, kx, i, o]) {
        let sum = 0;
        for (let image = 0; image < batch; image++) {
          for (let row = 0; row < result; row++) {
            const py = row * stride + (ky as number) * dilation - before;
            if (py < 0 || py >= size) continue;
            for (let column = 0; column < result; column++) {
              const px = column * stride + (kx as number) * dilation - before;
              if (px < 0 || px >= size) continue;
              const pixel = ((image * size + py) * size + px) * inputs + (i as number);
              const cotangent = ((image * result + row) * result + column) * outputs + (o as number);
              sum += (x[pixel] as number) * (dy[cotangent] as number);
            }
          }
        }
        return sum;
      },
    };
  },
};

/** A convolution with padding 'same', in one direction, as each library writes it. */
export function convolutionContenders(convolution: Layer, direction: Direction): Row['contenders'] {
  const shapes = shapesOf(convolution);
  const { stride = 1, dilation = 1, kernel } = convolution;
  const { x, w, y } = shapes;
  const { before, after } = geometry(convolution);
  const options = { strides: stride, dilationRate: dilation, padding: 'same' as const };
  const pads: [number, number] = [before, after];
  const jaxOptions = { rhsDilation: [dilation, dilation] };
  const onnx = {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    dilations: [dilation, dilation],
    pads: [before, before, after, after],
  };
  const channelsFirst = (shape: readonly number[]) => [0, 3, 1, 2].map((axis) => shape[axis] as number);
  const jaxConvolve = (jax: JaxJs, a: JaxArray, b: JaxArray) =>
    jax.lax.convGeneralDilated(a, b, [stride, stride], [pads, pads], jaxOptions);
  if (direction === 'forward') {
    return {
      retrograd: retrograd((image, filter) => conv2d(image, filter, options)),
      tfjs: tfjs((tf, image, filter) =>
        tf.conv2d(image as never, filter as never, stride, 'same', 'NHWC', dilation),
      ),
      jaxjs: jaxjs(jaxConvolve, { inputs: [toChannelsFirst, toFiltersFirst], outputs: [fromChannelsFirst] }),
      ort: ort((graph, image, filter) => graph.node('Conv', [image, filter], onnx), {
        inputs: [toChannelsFirst, toFiltersFirst],
        outputs: [fromChannelsFirst],
        constants: [1],
        shapes: [channelsFirst(y)],
      }),
    };
  }
  if (direction === 'input gradient') {
    return {
      retrograd: retrograd((dy, filter) => conv2dInputGrad(dy, filter, { ...options, inputShape: x })),
      tfjs:
        dilation > 1
          ? unable('gradients of dilated convolutions throw')
          : tfjs((tf, dy, filter) =>
              gradientKernel(tf, 'Conv2DBackpropInput', { dy, filter }, { inputShape: x }, stride),
            ),
      jaxjs: jaxjs(
        (jax, dy, filter) => {
          const image = jax.numpy.zeros(channelsFirst(x), { device: 'webgpu' });
          const [value, pull] = jax.vjp((given: JaxArray) => jaxConvolve(jax, given, filter), [image]);
          value.dispose();
          return (pull(dy) as unknown as JaxArray[])[0] as JaxArray;
        },
        { inputs: [toChannelsFirst, toFiltersFirst], outputs: [fromChannelsFirst] },
      ),
      ort: ort((graph, dy, filter) => graph.node('ConvTranspose', [dy, filter], onnx), {
        inputs: [toChannelsFirst, toFiltersFirst],
        outputs: [fromChannelsFirst],
        constants: [1],
        shapes: [channelsFirst(x)],
      }),
    };
  }
  return {
    retrograd: retrograd((image, dy) => conv2dFilterGrad(image, dy, { ...options, kernelShape: w })),
    tfjs:
      dilation > 1
        ? unable('gradients of dilated convolutions throw')
        : tfjs((tf, image, dy) =>
            gradientKernel(tf, 'Conv2DBackpropFilter', { x: image, dy }, { filterShape: w }, stride),
          ),
    jaxjs: jaxjs(
      (jax, image, dy) => {
        const filter = jax.numpy.zeros(
          [3, 2, 0, 1].map((axis) => w[axis] as number),
          { device: 'webgpu' },
        );
        const [value, pull] = jax.vjp((given: JaxArray) => jaxConvolve(jax, image, given), [filter]);
        value.dispose();
        return (pull(dy) as unknown as JaxArray[])[0] as JaxArray;
      },
      { inputs: [toChannelsFirst, toChannelsFirst], outputs: [fromFiltersFirst] },
    ),
    ort: unable('ONNX has no gradient of a filter'),
  };
}

/** TF.js has kernels for the gradients, but exports them only by name. */
function gradientKernel(tf: Tfjs, kernel: string, inputs: object, shape: object, stride: number) {
  const attributes = {
    ...shape,
    strides: [stride, stride],
    pad: 'same',
    dataFormat: 'NHWC',
    dimRoundingMode: undefined,
  };
  return tf.engine().runKernel(kernel, inputs as never, attributes as never) as ReturnType<Tfjs['tensor']>;
}

export const convolutionFamily: Family = {
  name: 'convolution',
  rows: (adapter) =>
    allDirections.flatMap((direction) =>
      convolutions(adapter)
        .filter(({ directions = allDirections }) => directions.includes(direction))
        .map((convolution) => row(convolution, direction)),
    ),
};
