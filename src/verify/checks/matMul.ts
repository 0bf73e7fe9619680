/** @file Checks of matmuls and convolutions, for all tiles and algorithms of GEMMs. */
import { compile } from '../../autodiff/compile.ts';
import { conv2d } from '../../ops/convolution/conv2d.ts';
import { depthwiseConv2d } from '../../ops/convolution/depthwiseConv2d.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { disposing } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, differentiable, spec, type Values } from '../check.ts';
import { bilinear, eachTap, type SameConvolution } from '../reference.ts';

/** Relative to the largest value of a result, for sums of n products in float32. */
const sumTolerance = (n: number) => 1e-6 * Math.sqrt(n) + 2e-6;

/** C = A · B of [m, n, k], with gradients; with `transposed`, of both transposed. */
function matMulCheck(size: readonly [number, number, number], transposed: boolean): Check {
  const [m, n, k] = size;
  const options = { transposeA: transposed, transposeB: transposed };
  const inputs = [spec(transposed ? [k, m] : [m, k]), spec(transposed ? [n, k] : [k, n]), spec([m, n])];
  return differentiable(
    `${transposed ? 'Aᵀ · Bᵀ' : 'A · B'}, ${m} × ${n}, k ${k}`,
    inputs,
    sumTolerance(Math.max(...size)),
    (a, b) => matMul(a as never, b as never, options),
    bilinear((visit) => {
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++)
          for (let l = 0; l < k; l++)
            visit(transposed ? l * m + i : i * k + l, transposed ? j * k + l : l * n + j, i * n + j);
    }),
  );
}

/** The same for float16 matrices whose values are exact; without gradients. */
function float16Product([m, n, k]: readonly [number, number, number]): Check {
  const exact = bilinear((visit) => {
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) for (let l = 0; l < k; l++) visit(i * k + l, l * n + j, i * n + j);
  });
  return {
    name: `A · B in float16, ${m} × ${n}, k ${k}`,
    inputs: [spec([m, k], 'float16'), spec([k, n], 'float16')],
    // The result may be rounded to float16, and subgroup matrices may add in float16.
    tolerance: 4e-3,
    run: ([a, b]) => [matMul(a as never, b as never)],
    expected: ([a, b]) => exact([a, b, new Float64Array(m * n)] as Float64Array[]).slice(0, 1),
  };
}

/** A · B + C, compiled: on GPUs the kernel of the product adds C where it stores. */
function compiledProduct([m, n, k]: readonly [number, number, number]): Check {
  return {
    name: `A · B + C, ${m} × ${n}, k ${k}, compiled`,
    keepsInputs: true,
    inputs: [spec([m, k]), spec([k, n]), spec([m, n])],
    tolerance: sumTolerance(Math.max(m, n, k)),
    // A recording keeps its tile, so each run has its own.
    run: (inputs) =>
      disposing(
        compile((a: Tensor, b: Tensor, c: Tensor) => add(matMul(a, b), c)),
        (compiled) => {
          const [a, b, c] = inputs as [Tensor, Tensor, Tensor];
          compiled(a, b, c).dispose();
          return [compiled(a, b, c)];
        },
      ),
    expected: ([a, b, c]) => {
      const sums = Float64Array.from(c as Values);
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++)
          for (let l = 0; l < k; l++)
            sums[i * n + j] =
              (sums[i * n + j] as number) +
              ((a as Values)[i * k + l] as number) * ((b as Values)[l * n + j] as number);
      return [sums];
    },
  };
}

/** Sizes that exceed tiles by vectors of four, and by single elements. */
export const matMuls = (minPart: number): Check[] => [
  matMulCheck([36, 44, 20], false),
  matMulCheck([36, 44, 20], true),
  matMulCheck([33, 21, 19], false),
  matMulCheck([33, 21, 19], true),
  // Long enough for k to be split.
  matMulCheck([12, 8, 4 * minPart + 4], false),
  float16Product([36, 44, 20]),
  compiledProduct([36, 44, 20]),
  compiledProduct([33, 21, 19]),
];

/** Products with few rows, whose lanes may share k. */
export const rowProducts = (minPart: number): Check[] => [
  matMulCheck([1, 68, 40], false),
  matMulCheck([3, 33, 2 * minPart + 3], false),
];

function convolutionCheck(name: string, c: SameConvolution, tolerance: number): Check {
  const [, , inputs, outputs] = c.kernel.shape as [number, number, number, number];
  const [batch, height, width] = c.image.shape as [number, number, number, number];
  const result = [batch, Math.ceil(height / c.strides), Math.ceil(width / c.strides), outputs];
  const options = { strides: c.strides, dilationRate: c.dilation, padding: 'same' } as const;
  return differentiable(
    name,
    [c.image, c.kernel, spec(result)],
    tolerance,
    (x, kernel) => conv2d(x as never, kernel as never, options),
    bilinear((visit) =>
      eachTap(c, (pixel, tap, at) => {
        for (let i = 0; i < inputs; i++)
          for (let o = 0; o < outputs; o++)
            visit(pixel * inputs + i, (tap * inputs + i) * outputs + o, at * outputs + o);
      }),
    ),
  );
}

const convolution = (
  image: readonly number[],
  kernel: readonly number[],
  { strides = 1, dilation = 1, tolerance = 1e-5 } = {},
): Check =>
  convolutionCheck(
    `image ${image.join(' × ')}, kernel ${kernel.join(' × ')}, strides ${strides}, dilation ${dilation}`,
    { image: spec(image), kernel: spec(kernel), strides, dilation },
    tolerance,
  );

/** For each tile: channels in fours, odd ones, strides, dilation. */
export const implicitGemms = (): Check[] => [
  convolution([1, 9, 10, 12], [3, 3, 12, 20]),
  convolution([2, 7, 6, 5], [3, 2, 5, 7], { strides: 2 }),
  convolution([1, 8, 9, 4], [3, 3, 4, 8], { dilation: 2 }),
];

/** Few channels on either side. */
export const fewChannelConvolutions = (): Check[] => [
  convolution([1, 9, 8, 12], [3, 3, 12, 3]),
  convolution([1, 9, 8, 3], [3, 3, 3, 12]),
];

/** Few channels of the image alone, with and without strides. */
export const patchConvolutions = (): Check[] => [
  convolution([1, 9, 18, 3], [3, 3, 3, 20]),
  convolution([2, 11, 10, 3], [5, 5, 3, 16], { strides: 2 }),
];

/** Winograd rounds more than a plain convolution, F(4×4, 3×3) the most. */
export const winogradConvolutions = (): Check[] => [
  convolution([1, 11, 10, 8], [3, 3, 8, 12], { tolerance: 1e-4 }),
  convolution([2, 6, 7, 9], [3, 3, 9, 10], { tolerance: 1e-4 }),
];

function depthwise(size: number, channels: number, window: number, strides = 1): Check {
  const image = spec([1, size, size, channels]);
  const kernel = spec([window, window, channels, 1]);
  const c = { image, kernel, strides, dilation: 1 };
  const side = Math.ceil(size / strides);
  return differentiable(
    `image ${size} × ${size} × ${channels}, kernel ${window} × ${window}, strides ${strides}`,
    [image, kernel, spec([1, side, side, channels])],
    1e-5,
    (x, w) => depthwiseConv2d(x as never, w as never, { strides, padding: 'same' }),
    bilinear((visit) =>
      eachTap(c, (pixel, tap, at) => {
        for (let i = 0; i < channels; i++) visit(pixel * channels + i, tap * channels + i, at * channels + i);
      }),
    ),
  );
}

/** Depthwise convolutions in blocks, and with enough work for strips, for each kernel size in a profile. */
export function depthwiseConvolutions(
  strips: Readonly<Record<number, { readonly minWork: number }>>,
): Check[] {
  const channels = 12;
  const striped = Object.entries(strips).flatMap(([name, { minWork }]) => {
    const window = Number(name);
    const side = Math.ceil(Math.sqrt(minWork / (window * window * channels))) + 9;
    return [depthwise(side, channels, window), depthwise(2 * side, channels, window, 2)];
  });
  return [depthwise(7, 5, 3), depthwise(9, 4, 2, 2), ...striped];
}
