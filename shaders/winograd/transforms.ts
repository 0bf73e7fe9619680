/**
 * @file The one-dimensional transforms of Winograd convolution (A. Lavin, S. Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2016), in WGSL. Two-dimensional ones apply them to the rows, then to the columns.
 *
 * A product of polynomials is determined by its values at enough points, and so is its transpose, a correlation. F(m, r)
 * computes m results of a filter with r taps by m + r − 1 multiplications, one for each of m + r − 2 points and one for
 * infinity. The matrices of the points: image Bᵀ, kernel G, result Aᵀ. F(2, 3) has the points 0, ±1; F(4, 3) has 0, ±√½, ±√2,
 * whose powers are closest to 1, which minimizes the rounding errors of all three transforms (docs/decisions/winograd.md).
 *
 * The gradient of a kernel is the correlation of the image with the cotangent: F(3, 2) and F(3, 4). They have the same points
 * as F(2, 3) and F(4, 3), and so the same transform of the image.
 */

import { range, repeat } from '../lib/text.ts';

/** Results of a tile along an axis. A tile of the image has two more pixels. */
export type Block = 2 | 4;

export const tileSize = (block: Block) => block + 2;

/** The one-dimensional transforms. */
export type Transform1d = 'image' | 'kernel' | 'result' | 'cotangent' | 'gradient';

/** Returns the number of input and output values of a transform. */
function transformSizes(transform: Transform1d, block: Block): { from: number; to: number } {
  const tile = tileSize(block);
  return {
    image: { from: tile, to: tile },
    kernel: { from: 3, to: tile },
    result: { from: tile, to: block },
    cotangent: { from: block, to: tile },
    gradient: { from: tile, to: 3 },
  }[transform];
}

type Bodies = Record<Transform1d, string>;

const two: Bodies = {
  image: `
  return array(x[0] - x[2], x[1] + x[2], x[2] - x[1], x[3] - x[1]);`,
  kernel: `
  let even = 0.5 * (x[0] + x[2]);
  let odd = 0.5 * x[1];
  return array(x[0], even + odd, even - odd, x[2]);`,
  result: `
  return array(x[0] + (x[1] + x[2]), (x[1] - x[2]) + x[3]);`,
  cotangent: `
  return array(x[0], 0.5 * (x[0] + x[1]), 0.5 * (x[0] - x[1]), x[1]);`,
  gradient: `
  let even = x[1] + x[2];
  return array(x[0] + even, x[1] - x[2], even + x[3]);`,
};

// A point and its negative share the even powers and, except for the sign, the odd ones.
const four: Bodies = {
  image: `
  let near_even = x[4] - 2.0 * x[2];
  let near_odd = sqrt_half * (x[3] - 2.0 * x[1]);
  let far_even = x[4] - 0.5 * x[2];
  let far_odd = sqrt_two * (x[3] - 0.5 * x[1]);
  return array(
    (x[0] + x[4]) - 2.5 * x[2],
    near_even + near_odd,
    near_even - near_odd,
    far_even + far_odd,
    far_even - far_odd,
    (x[1] + x[5]) - 2.5 * x[3],
  );`,
  kernel: `
  let near_even = minus_two_thirds * (x[0] + 0.5 * x[2]);
  let near_odd = minus_two_thirds * sqrt_half * x[1];
  let far_even = one_sixth * (x[0] + 2.0 * x[2]);
  let far_odd = one_sixth * sqrt_two * x[1];
  return array(x[0], near_even + near_odd, near_even - near_odd, far_even + far_odd, far_even - far_odd, x[2]);`,
  result: `
  let near_even = x[1] + x[2];
  let near_odd = sqrt_half * (x[1] - x[2]);
  let far_even = x[3] + x[4];
  let far_odd = sqrt_two * (x[3] - x[4]);
  return array(
    x[0] + (near_even + far_even),
    near_odd + far_odd,
    0.5 * near_even + 2.0 * far_even,
    (0.5 * near_odd + 2.0 * far_odd) + x[5],
  );`,
  cotangent: `
  let near_even = minus_two_thirds * (x[0] + 0.5 * x[2]);
  let near_odd = minus_two_thirds * sqrt_half * (x[1] + 0.5 * x[3]);
  let far_even = one_sixth * (x[0] + 2.0 * x[2]);
  let far_odd = one_sixth * sqrt_two * (x[1] + 2.0 * x[3]);
  return array(x[0], near_even + near_odd, near_even - near_odd, far_even + far_odd, far_even - far_odd, x[3]);`,
  gradient: `
  let near_even = x[1] + x[2];
  let near_odd = sqrt_half * (x[1] - x[2]);
  let far_even = x[3] + x[4];
  let far_odd = sqrt_two * (x[3] - x[4]);
  return array(x[0] + (near_even + far_even), near_odd + far_odd, (0.5 * near_even + 2.0 * far_even) + x[5]);`,
};

const constants = `
const sqrt_half = 0.70710678118654752;
const sqrt_two = 1.41421356237309505;
const minus_two_thirds = -2.0 / 3.0;
const one_sixth = 1.0 / 6.0;
`;

/** WGSL that declares `fn <transform>_line(x: array<f32, from>) -> array<f32, to>` for each of `transforms`. */
export function transformFunctions(block: Block, ...transforms: readonly Transform1d[]): string {
  return `${block === 4 ? constants : ''}${transforms.map((transform) => transformFunction(transform, block)).join('')}`;
}

function transformFunction(transform: Transform1d, block: Block): string {
  const { from, to } = transformSizes(transform, block);
  return `
fn ${transform}_line(x: array<f32, ${from}>) -> array<f32, ${to}> {${(block === 2 ? two : four)[transform]}
}
`;
}

/**
 * WGSL statements that transform rows, then columns. `at` is the expression of the value of a row and a column;
 * the result of row i and column j is `column_<j>[<i>]`.
 */
export function transformSquare(
  transform: Transform1d,
  block: Block,
  at: (row: number, column: number) => string,
): string {
  const { from, to } = transformSizes(transform, block);
  const line = (values: string[]) => `${transform}_line(array(${values.join(', ')}))`;
  return `${repeat(from, (i) => `let row_${i} = ${line(range(from).map((j) => at(i, j)))};`)}
  ${repeat(to, (j) => `let column_${j} = ${line(range(from).map((i) => `row_${i}[${j}]`))};`)}`;
}

/** Calls `write` for each result of `transformSquare`. */
export function eachResult(
  transform: Transform1d,
  block: Block,
  write: (row: number, column: number, value: string) => string,
): string {
  const { to } = transformSizes(transform, block);
  return repeat(to, (i) => repeat(to, (j) => write(i, j, `column_${j}[${i}]`)));
}
