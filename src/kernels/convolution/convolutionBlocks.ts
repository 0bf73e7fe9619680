/**
 * @file How convolutions of few channels, of a group or of all, are computed in blocks of adjacent results without a GEMM: pure
 * functions of the problem.
 */
import type { BlockWidth } from '../../../shaders/convolution/blocks.ts';
import { filterGradColumns } from '../../../shaders/convolution/blockFilterGrad.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import { phaseOf } from '../depthwise/blockGrid.ts';
import { joinsTaps } from './joinedTaps.ts';
import type { BlockAlgorithm } from '../loading/softwareKernels.ts';
import type { Conv2dProblem } from './conv2dCall.ts';
import { maxIterations } from '../launch/iterationLimit.ts';

/** With more channels on both sides, a GEMM pads little. */
const maxChannels = 12;
/** Larger windows and strides make long programs. */
const maxWindow = 9;
const maxStride = 4;
/** Adjacent results of a row. */
const blockResults = 8;

/** Channels of a group that a direction sums over, and that its result has. */
function groupChannels({ direction, geometry: { inputs, outputs, groups } }: Conv2dProblem) {
  const [from, to] = direction === 'inputGrad' ? [outputs, inputs] : [inputs, outputs];
  return { from: from / groups, to: to / groups };
}

/** What a multiplication takes, in those of a GEMM without padding, by the width of an invocation. Measured on SwiftShader. */
const multiplicationCost: Readonly<Record<BlockWidth, number>> = { 1: 2.5, 2: 2, 3: 1.6, 4: 1.6 };
/** The same in a gradient of the kernel, whose invocations use each value of the cotangent for one row of taps only. */
const filterGradCost = 5.5;
/** How much faster a GEMM multiplies if its elements come in fours, or if a row of the kernel is one segment. */
const vectorGain = 2;
const joinedGain = 1.75;

/** Returns the estimated cost of a problem with `work` multiplications, in those of a GEMM. */
export function costOfBlocks(problem: Conv2dProblem, { shape }: BlockAlgorithm, work: number): number {
  if (shape.direction === 'filterGrad') return filterGradCost * work;
  const cost = multiplicationCost[shape.width] * shape.columns.stride * work;
  if (shape.direction === 'forward') return joinsTaps(problem.geometry) ? joinedGain * cost : cost;
  return groupChannels(problem).from % 4 === 0 ? cost : cost / vectorGain;
}

/** Returns the largest width that divides `channels`. */
const widthOf = (channels: number) =>
  ([4, 3, 2, 1] as const).find((width) => channels % width === 0) as BlockWidth;

/** Returns how a problem is computed in blocks; null if it can't be. */
export function blockAlgorithm(problem: Conv2dProblem): BlockAlgorithm | null {
  const { direction, geometry } = problem;
  const { rows, columns } = geometry;
  const isSmall = [rows, columns].every(
    ({ window, stride, dilation }) => window <= maxWindow && stride <= maxStride && dilation === 1,
  );
  if (!isSmall || iterations(problem) > maxIterations) return null;
  const { from, to } = groupChannels(problem);
  if (Math.min(from, to) > maxChannels) return null;
  const { window, stride } = columns;
  if (direction === 'filterGrad')
    return { kind: 'blocks', shape: { direction, width: widthOf(to), window, stride } };
  // The results of a block of an input gradient are whole strides.
  const results =
    direction === 'inputGrad' ? stride * Math.ceil(blockResults / stride) : stride > 2 ? 4 : blockResults;
  const phase = phaseOf(direction, columns);
  return {
    kind: 'blocks',
    shape: { direction, width: widthOf(to), columns: { window, stride, results, phase } },
  };
}

/** Iterations of all loops of an invocation, at least. */
function iterations(problem: Conv2dProblem): number {
  const { direction, geometry } = problem;
  return direction === 'filterGrad'
    ? iterationsOfRow(geometry)
    : geometry.rows.window * (groupChannels(problem).from + 2);
}

/** The same for a row of the cotangent. */
export const iterationsOfRow = ({ columns }: ConvolutionGeometry) =>
  Math.ceil(columns.output / filterGradColumns) + 2;
