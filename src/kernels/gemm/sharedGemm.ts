/**
 * @file Selects the tile of a GEMM on a GPU: of subgroup matrices, of lanes for few rows, or in workgroup memory. It is loaded with the kernels
 * of GPUs.
 */
import { range } from '../../../shaders/lib/text.ts';
import { type GemmTile, gemmWorkgroups, invocationsOf } from '../../../shaders/gemm.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import { iteratedSize, paddedWork } from './gemmAlgorithm.ts';
import type { GemmProblem, GemmSize, Split } from './gemmProblem.ts';
import { splitFor } from './gemmSplit.ts';
import { matrixTile } from './matrixTiles.ts';
import { registersTiles } from './registersTiles.ts';
import { fullness } from '../launch/rounding.ts';
import { loadedVectors, sharedTiles, workgroupBytes } from './sharedTiles.ts';
import { sharedTime } from './sharedTime.ts';

/** Returns the tile of a GEMM on a GPU. */
export function gpuTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const matrix = matrixTile(problem, profile);
  return matrix?.isBusy ? matrix.tile : sharedTile(problem, profile);
}

/** The tile of the least estimated time, without subgroup matrices. */
function sharedTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  const { size } = problem;
  if (takesLanes(problem)) return lanesTile(problem, profile);
  if (size.segments * size.length <= maxOuterSteps) return outerTile(profile);
  let best: GemmTile = sharedTiles.tiny;
  let min = Number.POSITIVE_INFINITY;
  for (const shape of tilesInMemory) {
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
  hasFewRegisters(profile) ? { ...registersTiles.steps, blockM: 4, blockN: 4 } : registersTiles.steps;

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

const tilesInMemory: readonly GemmTile[] = /* @__PURE__ */ Object.values(sharedTiles);

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
    const { tinyTwoGroups } = sharedTiles;
    const blocks = tile.groupM * tile.groupN;
    const isLarger = blocks > tinyBlocks && blocks <= invocationsOf(tinyTwoGroups);
    const isHalved = share <= 0.5 && isLarger && usefulShare(tinyTwoGroups, size) > minUseful;
    return withLongK(isHalved ? tinyTwoGroups : tile, steps, profile);
  }
  const half = { ...tile, depth: tile.depth / 2 };
  return steps > maxShortSteps ? tile : fullest([tile, half], steps);
}
