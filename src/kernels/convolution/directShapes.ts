/**
 * @file How convolutions of few channels, of the result or of the image, are computed without a GEMM: pure functions of the
 * problem. Filter gradients are in filterGradShape.ts.
 */
import { directLoads, type DirectShape } from '../../../shaders/convolution/direct.ts';
import { patchBytes, type PatchShape, patchSize } from '../../../shaders/convolution/patches.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import type { WindowAxis } from '../../core/windows.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { phaseOf } from '../depthwise/blockGrid.ts';
import type { Conv2dProblem } from './conv2dCall.ts';

/** Larger windows make long programs. */
const maxWindow = 7;
/** Sums that an invocation holds, at most, and vectors that it loads at a time: with them, a program takes some 72 registers. */
const maxSums = 28;
const maxLoads = 6;
/** Workgroup memory that every device has. */
export const maxBytes = 16384;
/** Rows that an invocation computes, where the stride doesn't say otherwise. */
const rowsAtOnce = 2;

const isSmall = ({ window, dilation }: WindowAxis) => window <= maxWindow && dilation === 1;

/** Returns how a problem is computed; null if it can't be. */
export function directShape({ direction, geometry }: Conv2dProblem): DirectShape | null {
  const { rows, columns, inputs, outputs, groups } = geometry;
  if (direction === 'filterGrad' || groups > 1) return null;
  const [from, channels] = direction === 'forward' ? [inputs, outputs] : [outputs, inputs];
  const isStrided = rows.stride > 1 || columns.stride > 1;
  if (from % 4 > 0 || !isSmall(rows) || !isSmall(columns) || (direction === 'forward' && isStrided))
    return null;
  const results = rows.stride === 1 ? rowsAtOnce : rows.stride;
  if (results * columns.stride * channels > maxSums) return null;
  const axis = (given: WindowAxis, count: number) => ({
    window: given.window,
    stride: given.stride,
    results: count,
    phase: phaseOf(direction, given),
  });
  const shapes = [4, 2, 1].map((vectors) => ({
    direction,
    channels,
    rows: axis(rows, results),
    columns: axis(columns, columns.stride),
    vectors,
  }));
  const fits = (shape: DirectShape) => {
    const { rounds, bytes } = directLoads(shape);
    return from % (4 * shape.vectors) === 0 && rounds <= maxLoads && bytes <= maxBytes;
  };
  return shapes.find(fits) ?? null;
}

/** With four or eight channels, elements are read as vectors, which suits a GEMM. */
const maxChannels = 7;
const minFilters = 16;

/** Whether the image has few channels, and both image and kernel suit patches of it. */
export function allowsPatches({ rows, columns, inputs, outputs, groups }: ConvolutionGeometry): boolean {
  if (groups > 1 || inputs > maxChannels || inputs % 4 === 0) return false;
  return outputs % 4 === 0 && outputs >= minFilters && isSmall(rows) && isSmall(columns);
}

/** From the most reuse of what is read to the fewest registers. */
const divisions = [
  { filterLanes: 8, vectors: 2 },
  { filterLanes: 4, vectors: 2 },
  { filterLanes: 8, vectors: 1 },
  { filterLanes: 4, vectors: 1 },
] as const;

/** Returns how a problem is computed; null if it can't be. */
export function patchShape(
  { direction, geometry }: Conv2dProblem,
  { gemm: { largestBlock } }: Pick<AdapterProfile, 'gemm'>,
): PatchShape | null {
  if (direction !== 'forward' || !allowsPatches(geometry)) return null;
  const { rows, columns, inputs, outputs } = geometry;
  const axis = ({ window, stride }: WindowAxis) => ({ window, stride });
  const shapes = divisions
    .filter(({ vectors }) => 16 * vectors <= largestBlock)
    .map((division) => ({ channels: inputs, rows: axis(rows), columns: axis(columns), ...division }))
    .filter((shape) => patchBytes(shape) <= maxBytes);
  const computed = (shape: PatchShape) =>
    Math.ceil(outputs / 4 / patchSize(shape).filters) * patchSize(shape).filters;
  const least = Math.min(...shapes.map(computed));
  return shapes.find((shape) => computed(shape) === least) ?? null;
}
