/**
 * @file Selects the tile and vector widths of a GEMM. The number of parts of its k axis is selected in gemmSplit.ts. The
 * list of all algorithms, which only the autotuner needs, is in gemmAlgorithms.ts.
 */
import { range } from '../../shaders/lib/text.ts';
import {
  gemmElements,
  type GemmTile,
  gemmWorkgroups,
  invocationsOf,
  type OperandLayout,
} from '../../shaders/gemm.ts';
import { type DType, isFloating } from '../core/dtype.ts';
import type { Tunable } from '../webgpu/autotuner.ts';
import type { DeviceProfile } from './deviceProfile.ts';
import type { Conv2dProblem } from './conv2dProblem.ts';
import { type GemmSize, type Split, sharedTime, splitFor, whole } from './gemmSplit.ts';
import {
  gemmTiles,
  loadedVectors,
  readsRows,
  registersCost,
  registersRanges,
  upTo,
  workgroupBytes,
} from './gemmTiles.ts';

/** The layouts and `outWidth` are the widest that the operands allow. */
export interface GemmProblem {
  readonly dtype: DType;
  readonly size: GemmSize;
  readonly a: OperandLayout;
  readonly b: OperandLayout;
  readonly outWidth: 1 | 4;
  /** The convolution that is computed as an implicit GEMM; null for a matmul. */
  readonly conv2d: Conv2dProblem | null;
}

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

/** Returns the number of multiplications of a GEMM. */
export function workOf({ m, n, segments, length, slices }: GemmSize): number {
  return m * n * segments * length * slices;
}

/** Returns whether a GEMM only has the small tile: larger ones use WGSL's matrix types, which require floats. */
export function isSmall(
  { dtype, size, conv2d }: GemmProblem,
  { gemm: { smallWork } }: DeviceProfile,
): boolean {
  return !isFloating(dtype) || workOf(size) <= (conv2d ? smallWork.conv2d : smallWork.matMul);
}

/** Depths of a subgroup-matrix tile along k: `many` if workgroup memory has room for it, otherwise `few`. */
const matrixDepths = { many: 32, few: 16 };

const inMatrices = { memory: 'subgroupMatrix', depth: 32, width: 4, subgroupQuads: false } as const;

/**
 * The tiles for subgroup matrices, largest first, with the number of workgroups from which each is faster than smaller ones: on an
 * H100, where subgroups have 32 invocations (docs/decisions/float16.md).
 */
const matrixTiles: readonly { readonly tile: GemmTile; readonly workgroups: number }[] = [
  { tile: { ...inMatrices, groupM: 16, groupN: 8, blockM: 8, blockN: 16 }, workgroups: 128 },
  { tile: { ...inMatrices, groupM: 16, groupN: 8, blockM: 4, blockN: 8 }, workgroups: 224 },
  { tile: { ...inMatrices, groupM: 8, groupN: 8, blockM: 4, blockN: 8 }, workgroups: 192 },
];

/** Returns the tile for subgroup matrices; null if they can't multiply these operands: they need whole float16 matrices. */
export function subgroupMatrixTile(problem: GemmProblem, profile: DeviceProfile): GemmTile | null {
  return matrixTile(problem, profile)?.tile ?? null;
}

/** The same, and whether there is enough work for it to be faster than the tiles of float32, of which some are smaller. */
function matrixTile(
  { a, b, size: { m, n, slices } }: GemmProblem,
  { subgroupMatrix: matrixSize, workgroupBytes }: DeviceProfile,
): { readonly tile: GemmTile; readonly isBusy: boolean } | null {
  if (!matrixSize || !a.float16 || !b.float16 || m < matrixSize[0] || n < matrixSize[1]) return null;
  const [, , steps, lanes] = matrixSize;
  const runnable = matrixTiles.filter(({ tile }) => invocationsOf(tile) % lanes === 0);
  const busy = runnable.find(({ tile, workgroups }) => gemmWorkgroups(tile, m, n, slices) >= workgroups);
  const chosen = busy ?? runnable.at(-1);
  if (!chosen) return null;
  const { many, few } = matrixDepths;
  const depth = workgroupBytes >= 32768 && many % steps === 0 ? many : few;
  return { tile: { ...chosen.tile, depth, matrixSize }, isBusy: busy !== undefined };
}

/** Returns whether a device can run a tile on these operands. */
export function runs(
  { subgroupQuads, ...tile }: GemmTile,
  { a }: GemmProblem,
  { subgroups }: DeviceProfile,
): boolean {
  return (!subgroupQuads || subgroups) && readsRows(tile, a);
}

/** On a GPU: the tile of the least estimated time. */
function sharedTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { size } = problem;
  if (takesLanes(problem)) return lanesTile(problem, profile);
  if (size.segments * size.length <= maxOuterSteps) return outerTile(profile);
  let best: GemmTile = gemmTiles.tiny;
  let min = Number.POSITIVE_INFINITY;
  for (const shape of sharedTiles) {
    const tile = forSharedK(shape, size, profile);
    // No tile takes less time than its multiply-adds.
    if (paddedWork(tile, size) >= min) continue;
    const cost = costInShared(tile, problem, profile);
    if (cost >= min) continue;
    min = cost;
    best = tile;
  }
  return withinLimits(forFewRegisters(forK(best, size, profile), problem, profile), problem, profile);
}

/** Returns whether an invocation only has registers for small blocks. */
const hasFewRegisters = ({ gemm }: DeviceProfile) => gemm.largestBlock < 64;

const outerTile = (profile: DeviceProfile): GemmTile =>
  hasFewRegisters(profile) ? { ...gemmTiles.steps, blockM: 4, blockN: 4 } : gemmTiles.steps;

/** Returns whether lines of both operands are held for four steps, which takes registers. */
const holdsLines = ({ a, b }: GemmProblem) =>
  [a, b].every(({ major, width }) => major === 'k' && width === 4);
const linesDepth = 8;

/** With few registers, the longest k tiles whose share fits in an invocation. */
function forFewRegisters(tile: GemmTile, problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { groupK = 1 } = tile;
  const max = holdsLines(problem) ? linesDepth * groupK : tile.depth;
  const fitting = withDepths(tile, profile).filter(({ depth }) => depth <= tile.depth && depth <= max);
  return (hasFewRegisters(profile) && fitting.at(-1)) || tile;
}

/** Steps of k up to which a GEMM is an outer product: its time is that of writing C, and a k tile would be mostly padding. */
const maxOuterSteps = 4;

/** Rows up to which reading B takes longer than multiplying it. */
const maxLanesRows = 16;

/** Returns whether a problem is best computed by invocations that share k. */
export function takesLanes({ size: { m, segments }, conv2d }: GemmProblem): boolean {
  return m <= maxLanesRows && segments === 1 && conv2d === null;
}

/** For few rows: invocations share k, so that there are enough of them, and their reads of B are coalesced. */
export function lanesTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { m } = problem.size;
  const rows = [1, 2, 4].find((count) => m <= count) ?? (hasFewRegisters(profile) ? 4 : 8);
  const [groupM, groupN] = lanesGroup(problem, profile);
  return {
    memory: 'lanes',
    groupM,
    groupN,
    blockM: rows,
    blockN: 4,
    depth: 4,
    width: 4,
    subgroupQuads: false,
  };
}

/** Steps of k from which more invocations share it. */
const longK = 2048;

/**
 * Returns the numbers of invocations of a workgroup along k and along n, for few rows. If B is contiguous along n, eight of
 * them read 128 bytes of a row; with fewer columns, more invocations share k, which avoids a split and its launch for the sums.
 */
function lanesGroup(
  { size: { m, n, length, slices }, b }: GemmProblem,
  profile: DeviceProfile,
): readonly [alongK: number, alongN: number] {
  const isLong = length >= longK;
  if (b.major === 'k') return isLong ? [128, 1] : [32, 4];
  const isWide = 2 * n * slices >= profile.gemm.busyInvocations;
  if (isWide) return [8, 32];
  // Sums take 16 bytes per invocation.
  const hasLargeGroups = profile.workgroupInvocations >= 1024 && !hasFewRegisters(profile);
  return isLong && m === 1 && hasLargeGroups ? [128, 8] : [32, 8];
}

const sharedTiles: readonly GemmTile[] = /* @__PURE__ */ Object.values(gemmTiles).filter(
  ({ memory }) => memory === 'shared',
);

/** With too little workgroup memory, drops the skew, which only saves time. */
export function withinLimits(tile: GemmTile, { a, b }: GemmProblem, profile: DeviceProfile): GemmTile {
  return workgroupBytes(tile, a, b) <= profile.workgroupBytes ? tile : { ...tile, skew: 0 };
}

/** Returns the estimated time of a GEMM in a shared tile; infinite for a block that is too large for the device. */
export function costInShared(tile: GemmTile, problem: GemmProblem, profile: DeviceProfile): number {
  const { groupK = 1 } = tile;
  const { size, a, conv2d } = problem;
  // With 64 sums, the addresses and conditions of pixels don't fit in registers.
  const largest = conv2d && a.major === 'k' ? 32 : 64;
  if (tile.blockM * tile.blockN > Math.min(largest, profile.gemm.largestBlock))
    return Number.POSITIVE_INFINITY;
  // Nor do three vectors with four steps of lines, if registers are few; for few columns there is no other tile.
  const isFull = loadedVectors({ ...tile, depth: linesDepth * groupK }) > 2 && tile.groupN > 4;
  if (hasFewRegisters(profile) && conv2d && holdsLines(problem) && isFull) return Number.POSITIVE_INFINITY;
  if (groupK > 1 && !fillsLongTiles(size, tile.depth)) return Number.POSITIVE_INFINITY;
  const iterated = iteratedSize(tile, size);
  const split = splitFor(tile, iterated, profile.gemm);
  const time = sharedTime(tile, iterated, split, profile.gemm) * groupsCost(tile, split, problem, profile);
  return usefulShare(tile, iterated) < minUseful ? wastefulCost * time : time;
}

/**
 * By which factor invocations that share k take longer than estimated. On an H100, groups of them have nothing left to fill if there are
 * more workgroups than units, and eight groups, whose tiles are smaller, take less time. Convolutions and splits weren't measured.
 */
export function groupsCost(
  tile: GemmTile,
  { parts }: Split,
  { size: { m, n, slices }, conv2d }: GemmProblem,
  profile: DeviceProfile,
): number {
  const { groupK = 1 } = tile;
  if (groupK === 1 || parts > 1 || conv2d || hasFewRegisters(profile)) return 1;
  const isCrowded = gemmWorkgroups(tile, m, n, slices) > profile.gemm.maxUnits;
  return (isCrowded ? 1.2 : 1) * (groupK === 8 ? 0.75 : 1);
}

/** The useful share of multiply-adds from which a tile counts as filled, and what others cost more: a policy, not an estimate. */
const minUseful = 0.75;
const wastefulCost = 2;

/** Returns how full tiles of `tile` lines or steps are. */
const fullness = (count: number, tile: number) => count / upTo(tile, count);

const usefulShare = ({ groupM, groupN, blockM, blockN, depth }: GemmTile, { m, n, length }: GemmSize) =>
  fullness(m, groupM * blockM) * fullness(n, groupN * blockN) * fullness(length, depth);

/** Returns whether steps fill the long k tiles of invocations that share k: zeros are set in every k tile of a segment. */
const fillsLongTiles = ({ segments, length }: GemmSize, depth: number) =>
  fullness(length, depth) >= (segments > 1 ? 1 : 0.88);

/** Vectors that fit in the workgroup memory of every device. */
const maxVectors = 1024;

/**
 * Returns a tile with k tiles of all depths that fit: whole groups of four steps, at least two for each group of invocations. An
 * invocation holds 8 vectors of a k tile, or 4 where registers are few: as many as the largest block has rows.
 */
function withDepths(tile: GemmTile, { gemm }: DeviceProfile): GemmTile[] {
  const { groupK = 1 } = tile;
  const max = Math.min(Math.sqrt(gemm.largestBlock), maxVectors / invocationsOf(tile));
  return range(9)
    .map((i) => ({ ...tile, depth: 4 * groupK * (i + 2) }))
    .filter((other) => loadedVectors(other) <= max);
}

/** Of tiles, the one that pads the fewest steps of k; of several, the first. */
const fullest = (tiles: readonly GemmTile[], steps: number): GemmTile =>
  tiles.reduce((best, tile) => (fullness(steps, tile.depth) > fullness(steps, best.depth) ? tile : best));

/** Returns the same with the longest of the k tiles that are filled best. */
const withLongK = (tile: GemmTile, steps: number, profile: DeviceProfile): GemmTile =>
  fullest([tile, ...withDepths(tile, profile)].reverse(), steps);

/** If invocations share k, the tile whose k tiles are filled best. */
const forSharedK = (tile: GemmTile, { segments, length }: GemmSize, profile: DeviceProfile): GemmTile =>
  tile.groupK && segments === 1 ? withLongK(tile, length, profile) : tile;

/** Blocks of a tile of 32 × 32. */
const tinyBlocks = 64;

/** Steps of k up to which it is worth filling k tiles. */
const maxShortSteps = 64;

/**
 * Returns a tile whose k tiles suit k. Where a large GPU would have few waves: the longest of those that are filled best, so
 * that more multiply-adds hide the latency of a load; and where half of its units would have no workgroup, smaller tiles
 * instead of up to 32 × 64, in which as many invocations share k.
 */
function forK(tile: GemmTile, size: GemmSize, profile: DeviceProfile): GemmTile {
  const { m, n, segments, length, slices } = size;
  const steps = segments * length;
  const share = gemmWorkgroups(tile, m, n, slices) / profile.gemm.maxUnits;
  if (share <= 1 && segments === 1 && tile.blockM * tile.blockN === 16) {
    const { tinyTwoGroups } = gemmTiles;
    const blocks = tile.groupM * tile.groupN;
    const isLarger = blocks > tinyBlocks && blocks <= invocationsOf(tinyTwoGroups);
    const isHalved = share <= 0.5 && isLarger && usefulShare(tinyTwoGroups, size) > minUseful;
    return withLongK(isHalved ? tinyTwoGroups : tile, steps, profile);
  }
  const half = { ...tile, depth: tile.depth / 2 };
  return steps > maxShortSteps ? tile : fullest([tile, half], steps);
}

/** Matrices up to this size are tiny, and from this number on a program of their own is worth compiling. */
export const tinySize = 4;
const manyMatrices = 16;

/** In software: the tile of many tiny matrices; null for others. */
function wholeTile({ size, conv2d }: GemmProblem, { gemm: { tiles } }: DeviceProfile): GemmTile | null {
  const { m, n, length, slices } = size;
  const isTiny = conv2d === null && Math.max(m, n, length) <= tinySize && slices >= manyMatrices;
  if (tiles !== 'registers' || !isTiny) return null;
  return { ...gemmTiles.small, blockM: m, blockN: n, depth: length, width: 4, whole: true };
}

/** In software: the cheapest tile among those whose programs are worth compiling. */
function registersTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { size, a, b } = problem;
  const reads = a.width === 4 && b.width === 4 ? 'vectors' : 'elements';
  const work = workOf(size);
  let best: GemmTile = gemmTiles.small;
  let min = Number.POSITIVE_INFINITY;
  for (const [name, range] of registersRanges) {
    const tile: GemmTile = gemmTiles[name];
    // Quads compute the same as a block with fewer reads.
    if (!runs(tile, problem, profile) || (name === 'block' && profile.subgroups)) continue;
    if (work < range.min[reads] || size.m > range.max.m || size.n > range.max.n) continue;
    const cost = registersCost(tile, a, b) * paddedWork(tile, size);
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
  if (isSmall(problem, profile)) return gemmTiles.small;
  const matrix = matrixTile(problem, profile);
  if (matrix?.isBusy) return matrix.tile;
  return profile.gemm.tiles === 'shared' ? sharedTile(problem, profile) : registersTile(problem, profile);
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
  const { block, shortSubgroupQuad, scalars } = gemmTiles;
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
