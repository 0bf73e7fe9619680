/**
 * @file Which algorithm computes a convolution or one of its gradients. What was measured: docs/decisions/winograd.md.
 */
import { type Block, tileSize } from '../../../shaders/winograd.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import { type Candidate, cheapest, type Tunable } from '../../webgpu/autotuner.ts';
import type { WinogradProfile } from '../selection/adapterProfile.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import type { Conv2dProblem } from './conv2dCall.ts';
import { subgroupMatrixCost } from '../gemm/gemmAlgorithm.ts';
import { upTo } from '../launch/rounding.ts';
import { type DirectAlgorithm, gpuKernels, type PatchAlgorithm } from '../loading/gpuKernels.ts';
import { type BlockAlgorithm, softwareKernels } from '../loading/softwareKernels.ts';

/** What the choice depends on: costs, the largest blocks of invocations, and the subgroup matrices of the device, if it has any. */
type Conv2dProfile = Pick<DeviceProfile, 'conv2d' | 'gemm'> & Partial<Pick<DeviceProfile, 'subgroupMatrix'>>;

export type Conv2dAlgorithm =
  /** A matmul: each pixel is a window. */
  | { readonly kind: 'gemm' }
  /** A GEMM that reads windows in place. */
  | { readonly kind: 'implicitGemm' }
  /** Each pixel is multiplied by all taps at once; a second launch sums the products of each result. */
  | { readonly kind: 'gemmCol2im' }
  | BlockAlgorithm
  | DirectAlgorithm
  | PatchAlgorithm
  | WinogradAlgorithm;

/** Winograd convolution F(2×2, 3×3) or F(4×4, 3×3): `block` results along each axis of a tile. */
export interface WinogradAlgorithm {
  readonly kind: 'winograd';
  readonly block: Block;
}

const names: Readonly<Record<Conv2dAlgorithm['kind'], string>> = {
  gemm: 'GEMM',
  implicitGemm: 'implicit GEMM',
  gemmCol2im: 'GEMM + col2im',
  blocks: 'blocks',
  direct: 'direct',
  patches: 'patches',
  winograd: 'Winograd',
};

/** The name of an algorithm in reports and stores. */
export function conv2dName(algorithm: Conv2dAlgorithm): string {
  const name = names[algorithm.kind];
  return algorithm.kind === 'winograd' ? `${name} F(${algorithm.block}×${algorithm.block}, 3×3)` : name;
}

/** Channels on either side from which Winograd transforms can pay. */
const minWinogradChannels = 8;
/** Result channels that are too few for the columns of a GEMM. */
const maxCol2imChannels = 7;
/** Estimated cost of GEMM + col2im relative to an implicit GEMM, whose columns are mostly padding in these cases. */
const col2imCost = 0.5;
/** The same of convolutions without a GEMM, which pad nothing, and don't work out an index for each element of three channels. */
const directCost = 0.75;
/** Bytes between the two launches of GEMM + col2im, at most. */
const maxCol2imBytes = 2 ** 27;
/** Below this many multiplications, a launch costs more than any other algorithm saves. */
const smallWork = 2 ** 20;

/** The same where nothing but the program differs, which takes tens of milliseconds to compile. */
const smallLaunch = 2 ** 16;

/** Whether every pixel is a window, so that the convolution is a matmul. */
function isPointwise({ rows, columns, groups }: ConvolutionGeometry): boolean {
  return (
    groups === 1 &&
    [rows, columns].every(
      (axis) => axis.window === 1 && axis.stride === 1 && axis.input === axis.output && axis.before === 0,
    )
  );
}

/** Whether GEMM + col2im computes a problem without waste: with strides, some products wouldn't be used. */
export function allowsCol2im({ direction, geometry }: Conv2dProblem): boolean {
  const { rows, columns, inputs, outputs, groups } = geometry;
  if (groups > 1 || rows.window * columns.window === 1) return false;
  if (direction === 'inputGrad') return inputs <= maxCol2imChannels;
  return direction === 'forward' && outputs <= maxCol2imChannels && rows.stride === 1 && columns.stride === 1;
}

/** Bytes of the column matrix between the two launches. */
function col2imBytes({ direction, geometry }: Conv2dProblem): number {
  const { batch, rows, columns, inputs, outputs } = geometry;
  const taps = rows.window * columns.window;
  return direction === 'forward'
    ? 4 * batch * rows.input * columns.input * taps * outputs
    : 4 * batch * rows.output * columns.output * taps * inputs;
}

/** Whether Winograd convolution can compute a problem: a 3 × 3 kernel, without strides, dilation and groups. */
export function allowsWinograd({ geometry: { rows, columns, groups } }: Conv2dProblem): boolean {
  return (
    groups === 1 &&
    [rows, columns].every((axis) => axis.window === 3 && axis.stride === 1 && axis.dilation === 1)
  );
}

/** Multiplications of the convolution as it is defined. */
function workOf({ batch, rows, columns, inputs, outputs, groups }: ConvolutionGeometry): number {
  return rows.window * columns.window * batch * rows.output * columns.output * inputs * (outputs / groups);
}

/** A candidate with the work from which it is selected without being measured. */
interface Conv2dCandidate extends Candidate<Conv2dAlgorithm> {
  readonly minWork: number;
}

/** The cost of a multiplication in an implicit GEMM. Other algorithms can't use subgroup matrices, since they widen float16. */
function unitCost(problem: Conv2dProblem, { subgroupMatrix }: Conv2dProfile): number {
  const isFloat16 = problem.dtypes.every((dtype) => dtype === 'float16');
  return isFloat16 && subgroupMatrix && sizes(problem).to >= subgroupMatrix[1] ? subgroupMatrixCost : 1;
}

/** From the most to the least accurate. Costs are in multiplications of a GEMM. */
function candidatesFor(problem: Conv2dProblem, profile: Conv2dProfile): Conv2dCandidate[] {
  const { winograd } = profile.conv2d;
  const { geometry } = problem;
  const gemmCost = costOfGemm(winograd, problem);
  const cost = unitCost(problem, profile) * gemmCost;
  const minWork = smallWork + 1;
  const candidates: Conv2dCandidate[] = [{ ...named({ kind: 'implicitGemm' }), cost, rank: 0, minWork: 0 }];
  if (allowsCol2im(problem) && col2imBytes(problem) <= maxCol2imBytes) {
    // Of a single channel, it may be one launch, and other algorithms mostly pad.
    const isOneLaunch = profile.conv2d.multipliesTaps && sizes(problem).from === 1;
    candidates.push({
      ...named({ kind: 'gemmCol2im' }),
      cost: col2imCost * gemmCost,
      rank: 0,
      minWork: isOneLaunch ? smallLaunch : minWork,
    });
  }
  const direct = profile.conv2d.direct && gpuKernels().fewChannelsAlgorithm(problem, profile);
  if (direct) {
    candidates.push({ ...named(direct), cost: directCost * workOf(geometry), rank: 0, minWork });
  }
  const blocks = profile.conv2d.blocks && softwareKernels().blockAlgorithm(problem);
  if (blocks) {
    candidates.push({
      ...named(blocks),
      cost: softwareKernels().costOfBlocks(problem, blocks, workOf(geometry)),
      rank: 0,
      minWork: smallLaunch,
    });
  }
  if (!allowsWinograd(problem) || Math.min(geometry.inputs, geometry.outputs) < minWinogradChannels) {
    return candidates;
  }
  const tiles = ([2, 4] as const).map((block, i) => ({
    ...named({ kind: 'winograd', block }),
    cost: costOfWinograd(winograd, problem, block),
    rank: i + 1,
    minWork: winograd.minWork,
  }));
  return [...candidates, ...tiles];
}

const named = (algorithm: Conv2dAlgorithm) => ({ name: conv2dName(algorithm), algorithm });

export function conv2dAlgorithms(
  problem: Conv2dProblem,
  profile: Conv2dProfile,
): Candidate<Conv2dAlgorithm>[] {
  const { geometry } = problem;
  if (isPointwise(geometry)) return [{ ...named({ kind: 'gemm' }), cost: null, rank: 0 }];
  const candidates = candidatesFor(problem, profile);
  return workOf(geometry) < smallWork ? candidates.slice(0, 1) : candidates;
}

const implicitGemm: Conv2dAlgorithm = { kind: 'implicitGemm' };

/** The cheapest of the algorithms for which there is enough work. */
export function selectConv2d(problem: Conv2dProblem, profile: Conv2dProfile): Conv2dAlgorithm {
  const { geometry } = problem;
  if (isPointwise(geometry)) return { kind: 'gemm' };
  const work = workOf(geometry);
  const eligible = candidatesFor(problem, profile).filter(({ minWork }) => work >= minWork);
  return cheapest(eligible, ({ cost }) => cost ?? 0)?.algorithm ?? implicitGemm;
}

export const conv2dTunable: Tunable<Conv2dProblem, Conv2dAlgorithm> = {
  name: 'conv2d',
  select: selectConv2d,
};

/** Pixels of a direction's result, and the channels that it sums over and has. */
function sizes({ direction, geometry: { batch, rows, columns, inputs, outputs } }: Conv2dProblem) {
  return direction === 'inputGrad'
    ? { batch, height: rows.input, width: columns.input, from: outputs, to: inputs }
    : { batch, height: rows.output, width: columns.output, from: inputs, to: outputs };
}

/** The cost of `n` columns of a GEMM per row. */
const columnsFor = ({ columns, narrow }: WinogradProfile, n: number) =>
  n > columns ? upTo(columns, n) : narrow * columns;

function costOfGemm(costs: WinogradProfile, problem: Conv2dProblem): number {
  const { batch, height, width, from, to } = sizes(problem);
  const { rows, columns, groups } = problem.geometry;
  const taps = rows.window * columns.window;
  const pixels = batch * height * width;
  // A GEMM of each group.
  const steps = (taps * from) / groups;
  const cost = columnsFor(costs, to / groups) * groups;
  return problem.direction === 'filterGrad'
    ? upTo(costs.rows, steps) * cost * pixels
    : upTo(costs.rows, pixels) * cost * steps;
}

/** One GEMM for each frequency of the transformed tiles, and the transforms of kernel, image and result. */
function costOfWinograd(costs: WinogradProfile, problem: Conv2dProblem, block: Block): number {
  const { batch, height, width, from, to } = sizes(problem);
  const frequencies = tileSize(block) ** 2;
  const tiles = batch * Math.ceil(height / block) * Math.ceil(width / block);
  const kernel = (9 + frequencies) * from * to;
  const image = 2 * frequencies * tiles * from;
  const result = (block ** 2 + frequencies) * tiles * to;
  const gemm =
    problem.direction === 'filterGrad'
      ? upTo(costs.rows, from) * columnsFor(costs, to) * tiles
      : upTo(costs.rows, tiles) * columnsFor(costs, to) * from;
  return frequencies * gemm + costs.access * (kernel + image + result);
}
