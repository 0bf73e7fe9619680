/**
 * @file Which algorithm computes a convolution: an implicit GEMM, a product whose result is folded, or Winograd's minimal
 * filtering. What was measured: docs/decisions/winograd.md.
 */
import type { Direction } from '../../shaders/convolution.ts';
import { type Block, tileSize } from '../../shaders/winograd.ts';
import type { ConvolutionGeometry } from '../core/convolution.ts';
import type { AdapterClass } from '../webgpu/adapter.ts';
import { decide } from '../webgpu/choice.ts';
import type { Device } from '../webgpu/device.ts';
import { foldedBytes } from './fold.ts';

/** The implicit GEMM; a product, folded; or minimal filtering by tiles of so many results along an axis. */
export type ConvolutionVariant = 'implicit' | 'folded' | Block;

/** What work costs on a class of adapters. The unit is a multiplication in a product of matrices. */
interface Costs {
  /** Convolutions of fewer multiplications aren't worth the launches and the programs of minimal filtering. */
  least: number;
  /** Rows and columns that a product is rounded up to. */
  rows: number;
  columns: number;
  /** What a multiplication costs where no more columns are needed: the tile for them has fewer products a read. */
  narrow: number;
  /** A number read or written in a transform. */
  touch: number;
}

const costs: Readonly<Record<AdapterClass, Costs>> = {
  cpu: { least: 2 ** 24, rows: 12, columns: 16, narrow: 1.25, touch: 10 },
  // Not measured: a device of 20 multiplications in the time in which memory moves a number.
  gpu: { least: 2 ** 28, rows: 64, columns: 64, narrow: 1, touch: 16 },
};

/** Channels that are worth their transforms, on either side. */
const fewestChannels = 8;

/** A variant of less accuracy must cost less than this share of the more accurate. */
const worthwhile = 0.85;

let forced: ConvolutionVariant | null = null;

/** Channels of a result that are too few for the columns of a product. */
const fewResults = 7;
/** Multiplications above which a second launch pays, and what the products between the two may take. */
const leastFolded = 2 ** 20;
const mostFoldedBytes = 2 ** 27;

/** Runs `body` with every convolution that allows it by `variant`: for tests and measurements of a single one. */
export function withConvolutionVariant<T>(variant: ConvolutionVariant, body: () => T): T {
  const before = forced;
  forced = variant;
  try {
    return body();
  } finally {
    forced = before;
  }
}

/** Whether each pixel can be multiplied by all taps at once: in vain for those that strides leave out. */
function allowsFolding(
  direction: Direction,
  { rows, columns, inputs, outputs, groups }: ConvolutionGeometry,
): direction is 'forward' | 'inputGrad' {
  if (groups > 1 || rows.window * columns.window === 1) return false;
  if (direction === 'inputGrad') return inputs <= fewResults;
  return direction === 'forward' && outputs <= fewResults && rows.stride === 1 && columns.stride === 1;
}

/** Whether minimal filtering can compute a convolution: a 3 × 3 kernel, without strides, dilation and groups. */
function allowsMinimalFiltering({ rows, columns, groups }: ConvolutionGeometry): boolean {
  return (
    groups === 1 &&
    [rows, columns].every((axis) => axis.window === 3 && axis.stride === 1 && axis.dilation === 1)
  );
}

/** What a variant is chosen for. */
export interface ConvolutionFacts {
  direction: Direction;
  geometry: ConvolutionGeometry;
}

/** Runs `run` with the variant for a convolution. */
export function withVariant<R>(
  device: Device,
  direction: Direction,
  geometry: ConvolutionGeometry,
  run: (variant: ConvolutionVariant) => R,
): R {
  const guess = chooseVariant(device.adapter.class, direction, geometry);
  const facts: ConvolutionFacts = { direction, geometry };
  return forced ? run(guess) : decide(device, 'convolution', facts, guess, run);
}

/**
 * The variants that compute a convolution, from the most to the least accurate, and what they cost as far as the rule
 * weighs them; the unit is a multiplication in a product of matrices.
 */
export function variantsOf(
  adapter: AdapterClass,
  { direction, geometry }: ConvolutionFacts,
): { variant: ConvolutionVariant; cost: number | null }[] {
  const { inputs, outputs } = geometry;
  const filters = allowsMinimalFiltering(geometry) && Math.min(inputs, outputs) >= fewestChannels;
  const folds = allowsFolding(direction, geometry) && foldedBytes(direction, geometry) <= mostFoldedBytes;
  const blocks = filters ? ([2, 4] as const) : [];
  return [
    { variant: 'implicit', cost: filters ? costOfProduct(costs[adapter], direction, geometry) : null },
    ...(folds ? [{ variant: 'folded' as const, cost: null }] : []),
    ...blocks.map((block) => ({
      variant: block,
      cost: costOfFiltering(costs[adapter], direction, geometry, block),
    })),
  ];
}

export function chooseVariant(
  adapter: AdapterClass,
  direction: Direction,
  geometry: ConvolutionGeometry,
): ConvolutionVariant {
  const { batch, rows, columns, inputs, outputs } = geometry;
  const taps = rows.window * columns.window;
  const work = taps * batch * rows.output * columns.output * inputs * outputs;
  const canFold = allowsFolding(direction, geometry);
  const canFilter = allowsMinimalFiltering(geometry);
  if (work === 0 || !(canFold || canFilter)) return 'implicit';
  if (forced) return (forced === 'folded' ? canFold : canFilter) ? forced : 'implicit';
  if (canFold && work > leastFolded && foldedBytes(direction, geometry) <= mostFoldedBytes) return 'folded';
  if (!canFilter || work < costs[adapter].least || Math.min(inputs, outputs) < fewestChannels)
    return 'implicit';
  let chosen: ConvolutionVariant = 'implicit';
  let least = costOfProduct(costs[adapter], direction, geometry);
  // From the most to the least accurate.
  for (const block of [2, 4] as const) {
    const cost = costOfFiltering(costs[adapter], direction, geometry, block);
    if (cost > worthwhile * least) continue;
    chosen = block;
    least = cost;
  }
  return chosen;
}

const upTo = (multiple: number, n: number) => Math.ceil(n / multiple) * multiple;

/** Pixels of a direction's result, and the channels that it sums over and has. */
function sizes(direction: Direction, { batch, rows, columns, inputs, outputs }: ConvolutionGeometry) {
  return direction === 'inputGrad'
    ? { batch, height: rows.input, width: columns.input, from: outputs, to: inputs }
    : { batch, height: rows.output, width: columns.output, from: inputs, to: outputs };
}

/** Columns of a product of `n`, in multiplications. */
const columnsFor = ({ columns, narrow }: Costs, n: number) =>
  n > columns ? upTo(columns, n) : narrow * columns;

function costOfProduct(costs: Costs, direction: Direction, geometry: ConvolutionGeometry): number {
  const { batch, height, width, from, to } = sizes(direction, geometry);
  const pixels = batch * height * width;
  return direction === 'filterGrad'
    ? upTo(costs.rows, 9 * from) * columnsFor(costs, to) * pixels
    : upTo(costs.rows, pixels) * columnsFor(costs, to) * 9 * from;
}

function costOfFiltering(
  costs: Costs,
  direction: Direction,
  geometry: ConvolutionGeometry,
  block: Block,
): number {
  const { batch, height, width, from, to } = sizes(direction, geometry);
  const frequencies = tileSize(block) ** 2;
  const tiles = batch * Math.ceil(height / block) * Math.ceil(width / block);
  const kernel = (9 + frequencies) * from * to;
  const image = 2 * frequencies * tiles * from;
  const result = (block ** 2 + frequencies) * tiles * to;
  const product =
    direction === 'filterGrad'
      ? upTo(costs.rows, from) * columnsFor(costs, to) * tiles
      : upTo(costs.rows, tiles) * columnsFor(costs, to) * from;
  return frequencies * product + costs.touch * (kernel + image + result);
}
