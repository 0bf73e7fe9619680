/**
 * @file Estimates the time of a GEMM in a tile in workgroup memory on a GPU, and splits k by that. The terms are those of a model,
 * docs/decisions/codegen-model.md, fitted to an NVIDIA H100 (docs/decisions/gemm.md).
 */
import { type GemmTile, gemmWorkgroups, invocationsOf } from '../../../shaders/gemm.ts';
import type { GemmProfile } from '../selection/adapterProfile.ts';
import { type GemmSize, type Split, whole } from './gemmProblem.ts';
import { inParts } from './gemmSplit.ts';
import { upTo } from '../launch/rounding.ts';
import { cacheCost, instructionCost, productsOf } from './sharedTiles.ts';

/** Rounds of workgroups that a split may lead to: there may be more units than the profile says. */
const roundsOfSplits = [1, 3] as const;

/** Returns the fastest split of k, into at most `max` parts, by the estimate. */
export function sharedSplit(tile: GemmTile, size: GemmSize, profile: GemmProfile, max: number): Split {
  const workgroups = gemmWorkgroups(tile, size.m, size.n, size.slices);
  let best = whole(size);
  let min = sharedTime(tile, size, best, profile);
  for (const rounds of roundsOfSplits) {
    const wanted = Math.min(max, Math.floor((rounds * profile.units) / workgroups));
    if (wanted < 2) continue;
    const split = inParts(wanted, tile, size);
    const time = sharedTime(tile, size, split, profile);
    if (time >= min) continue;
    min = time;
    best = split;
  }
  return best;
}

/** Multiply-adds per cycle of a unit, and the latency of a load in cycles. */
const unitLanes = 64;
const latency = 500;
/** The cost of a launch in multiply-adds of a unit, and of reading or writing a number in those of the device. */
const launchCost = 3 * 2 ** 17;
const numberCost = 96;

/** The weight of bytes from the cache and padding, which decide between tiles that are otherwise equally fast. */
const tieBreak = 0.09;

/**
 * The cost of reading an element from workgroup memory. An H100 reads while it multiplies, but not for free: blocks of 4 × 8
 * took 0.86 of the time of 4 × 4, and of 8 × 8 less.
 */
const readCost = 0.8;

/**
 * Returns the estimated time of a GEMM in a shared tile, in multiply-adds of a busy device. Units take workgroups in rounds.
 * Since the number of units isn't known, half of them are assumed to idle in the last round.
 */
export function sharedTime(
  tile: GemmTile,
  size: GemmSize,
  { parts, segmentsPerPart, stepsPerPart }: Split,
  { units, maxUnits }: GemmProfile,
): number {
  const { m, n, slices } = size;
  const { groupM, groupN, blockM, blockN, depth } = tile;
  const tileM = groupM * blockM;
  const tileN = groupN * blockN;
  const workgroups = gemmWorkgroups(tile, m, n, slices * parts);
  // A workgroup that doesn't fill a unit takes as long as one that does.
  const rounds = Math.max(1, unitLanes / invocationsOf(tile), workgroups / units + 0.5);
  const work = tileM * tileN * (segmentsPerPart * upTo(depth, stepsPerPart) + addingSteps(tile));
  const sums = parts > 1 ? units * launchCost + 2 * numberCost * parts * m * n * slices : 0;
  const instructions = instructionCost(tile);
  const padding = 1 - (m * n) / (upTo(tileM, m) * upTo(tileN, n));
  const waves = Math.max(1, (invocationsOf(tile) * Math.max(1, workgroups / units)) / unitLanes);
  const cache = cacheCost(tile);
  // Relative to a block of 4 × 4, which reads an element for every second multiply-add.
  const reads = readCost * (1 / blockM + 1 / blockN - 0.5);
  const each = Math.max(cache, (instructions + reads) * stalls(productsOf(tile), instructions, waves));
  const computing = units * rounds * work * (each + tieBreak * (cache + padding));
  return longer(idleLanes(tile, workgroups / maxUnits) * computing, numberCost * numbersOf(size)) + sums;
}

/** Steps of k in the time in which groups add up their sums: some eight of each group for every halving. Not measured. */
const addingSteps = ({ groupK = 1 }: GemmTile) => 8 * groupK * Math.log2(groupK);

/** About the longer of two times that pass together: each delays the other a little. */
const longer = (a: number, b: number) => (a ** 4 + b ** 4) ** 0.25;

/** Invocations that keep a unit of a large GPU busy: two for each lane, of which one computes while the other loads. */
const busyInvocations = 256;

/**
 * By which factor a tile takes longer where its workgroups are too small for the units of a large GPU: the third root, as this is
 * one of three machines whose geometric mean counts.
 */
function idleLanes(tile: GemmTile, perUnit: number): number {
  return Math.cbrt(Math.max(1, busyInvocations / (invocationsOf(tile) * Math.max(1, perUnit))));
}

/** Returns the total number of elements of A, B and C. In a convolution, a pixel counts once where its taps are segments. */
function numbersOf({ m, n, segments, length, slices }: GemmSize): number {
  return slices * (m * length + segments * length * n + m * n);
}

/** Returns the factor by which a k tile takes longer if too few waves hide the latency of its loads behind their `products`. */
function stalls(products: number, instructions: number, waves: number): number {
  const cycles = products * instructions;
  const exposed = Math.max(0, latency - products * waves);
  return Math.max(1, (cycles + exposed) / (cycles * waves));
}
