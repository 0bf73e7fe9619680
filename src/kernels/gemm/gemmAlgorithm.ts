/**
 * @file Selects the algorithm of a GEMM: its tile, vector widths and split of k. Tiles that only GPUs have are selected in sharedGemm.ts. The
 * list of all algorithms, which only the autotuner needs, is in gemmAlgorithms.ts.
 */
import { gemmElements, type GemmTile, type OperandLayout } from '../../../shaders/gemm.ts';
import { isFloating } from '../../core/dtype.ts';
import type { Tunable } from '../../webgpu/autotuner.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import { type GemmProblem, type GemmSize, type Split, whole, workOf } from './gemmProblem.ts';
import { splitFor } from './gemmSplit.ts';
import { gpuKernels } from '../loading/gpuKernels.ts';
import { readsRows, registersCost, registersRanges, registersTiles } from './registersTiles.ts';
import { fullness } from '../launch/rounding.ts';

export interface GemmAlgorithm {
  readonly tile: GemmTile;
  /** A tile to run while the pipeline of `tile` is being compiled; null if none is needed. */
  readonly fallback: GemmTile | null;
  readonly a: OperandLayout;
  readonly b: OperandLayout;
  readonly outWidth: 1 | 4;
  /** Whether k tiles may cross the borders of segments. */
  readonly flat: boolean;
  /** Whether only the first k tile of a part may be incomplete. */
  readonly remainderFirst: boolean;
  readonly split: Split;
}

/** Returns whether a GEMM only has the small tile: larger ones use WGSL's matrix types, which require floats. */
export function isSmall(
  { dtype, size, conv2d }: GemmProblem,
  { gemm: { smallWork } }: DeviceProfile,
): boolean {
  return !isFloating(dtype) || workOf(size) <= (conv2d ? smallWork.conv2d : smallWork.matMul);
}

/** Returns whether a device can run a tile on these operands. */
export function runs(
  { subgroupQuads, ...tile }: GemmTile,
  { a }: GemmProblem,
  { subgroups }: DeviceProfile,
): boolean {
  return (!subgroupQuads || subgroups) && readsRows(tile, a);
}

/** Matrices up to this size are tiny, and from this number on a program of their own is worth compiling. */
export const tinySize = 4;
const manyMatrices = 16;

/** In software: the tile of many tiny matrices; null for others. */
function wholeTile({ size, conv2d }: GemmProblem, { gemm: { tiles } }: DeviceProfile): GemmTile | null {
  const { m, n, length, slices } = size;
  const isTiny = conv2d === null && Math.max(m, n, length) <= tinySize && slices >= manyMatrices;
  if (tiles !== 'registers' || !isTiny) return null;
  return { ...registersTiles.small, blockM: m, blockN: n, depth: length, width: 4, whole: true };
}

/** In software: the cheapest tile among those whose programs are worth compiling. */
function registersTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { size, a, b } = problem;
  const reads = a.width === 4 && b.width === 4 ? 'vectors' : 'elements';
  const work = workOf(size);
  let best: GemmTile = registersTiles.small;
  let min = Number.POSITIVE_INFINITY;
  for (const [name, range] of registersRanges) {
    const tile: GemmTile = registersTiles[name];
    // Quads compute the same as a block with fewer reads.
    if (!runs(tile, problem, profile) || (name === 'block' && profile.subgroups)) continue;
    if (work < range.min[reads] || size.m > range.max.m || size.n > range.max.n) continue;
    // Steps that fill no tile are computed, too. For the windows of convolutions that wasn't measured.
    const padding = size.segments === 1 ? 1 / fullness(size.length, tile.depth) : 1;
    const cost = registersCost(tile, a, b) * paddedWork(tile, size) * padding;
    if (cost >= min) continue;
    min = cost;
    best = tile;
  }
  return best;
}

/** Returns the number of multiplications including padding: elements beyond the edges of C are computed, too. */
export function paddedWork(tile: GemmTile, { m, n, segments, length, slices }: GemmSize): number {
  return gemmElements(tile, m, n, slices) * segments * length;
}

function selectTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const whole = wholeTile(problem, profile);
  if (whole) return whole;
  if (isSmall(problem, profile)) return registersTiles.small;
  return profile.gemm.tiles === 'shared'
    ? gpuKernels().gpuTile(problem, profile)
    : registersTile(problem, profile);
}

export function selectGemm(problem: GemmProblem, profile: DeviceProfile): GemmAlgorithm {
  return onTile(selectTile(problem, profile), problem, profile);
}

export const gemmTunable: Tunable<GemmProblem, GemmAlgorithm> = { name: 'gemm', select: selectGemm };

/** Returns the algorithm on a given tile; without `maySplit`, k stays whole. */
export function onTile(
  tile: GemmTile,
  { size, a, b, outWidth }: GemmProblem,
  profile: DeviceProfile,
  maySplit = true,
): GemmAlgorithm {
  const flat = isFlat(tile, size);
  const iterated = iteratedSize(tile, size);
  const capped = <W extends 1 | 4>(width: W) => (tile.width === 1 ? 1 : width);
  // Tiles of depth 1 read single elements along k.
  const laid = (x: OperandLayout): OperandLayout => ({
    ...x,
    width: x.major === 'k' && tile.depth === 1 ? 1 : capped(x.width),
  });
  return {
    tile,
    fallback: fallbackFor(tile, size, profile),
    a: laid(a),
    b: laid(b),
    outWidth: capped(outWidth),
    flat,
    remainderFirst: isInRegisters(tile) || iterated.segments === 1 || iterated.length % tile.depth === 0,
    split: maySplit ? splitFor(tile, iterated, profile.gemm) : whole(iterated),
  };
}

/**
 * Returns a tile that compiles in less than half the time, and computes the same bits, since it multiplies and adds in the same
 * order. Null if `tile` itself compiles fast, or if running the slower tile would take longer than the compilation.
 */
function fallbackFor(tile: GemmTile, size: GemmSize, { gemm }: DeviceProfile): GemmTile | null {
  const { block, shortSubgroupQuad, scalars } = registersTiles;
  const compilesSlowly =
    tile.memory === 'registers' &&
    tile.depth === 4 &&
    tile.blockM * tile.blockN >= block.blockM * block.blockN;
  if (!compilesSlowly || workOf(size) > gemm.fallbackWork) return null;
  return tile.subgroupQuads ? shortSubgroupQuad : scalars;
}

const isInRegisters = ({ memory }: GemmTile) => memory === 'registers' || memory === 'lanes';

/** Returns whether segments fill k tiles so badly that flat iteration over k, with its divisions, is cheaper. */
const isFlat = (tile: GemmTile, { segments, length }: GemmSize) =>
  !isInRegisters(tile) && segments > 1 && fullness(length, tile.depth) < 0.8;

/** Returns a size as a tile iterates over it: if flat, all segments are one. */
export function iteratedSize(tile: GemmTile, size: GemmSize): GemmSize {
  return isFlat(tile, size) ? { ...size, segments: 1, length: size.segments * size.length } : size;
}

/** The cost of a multiply-add with subgroup matrices: an H100 took 0.24 of the time of float32, without them, for a matmul of 4096. */
export const subgroupMatrixCost = 0.25;
