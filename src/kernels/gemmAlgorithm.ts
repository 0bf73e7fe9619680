/** @file Which tile computes a GEMM, with which vector widths, and into how many parts its k axis is split. */
import { gemmInvocations, type GemmTile, gemmWorkgroups, type OperandLayout } from '../../shaders/gemm.ts';
import { type DType, isFloating } from '../core/dtype.ts';
import type { Candidate, Tunable } from '../webgpu/autotuner.ts';
import type { DeviceProfile } from './adapterProfiles.ts';
import type { Conv2dProblem } from './conv2dProblem.ts';
import {
  type GemmTileName,
  gemmTiles,
  readsRows,
  registersCost,
  registersRanges,
  sharedCosts,
  subgroupMatrixCost,
} from './gemmTiles.ts';

/** The size of a GEMM: `slices` times m × n, over k = segments · length. */
export interface GemmSize {
  m: number;
  n: number;
  segments: number;
  length: number;
  slices: number;
}

/** The layouts and `outWidth` say what the operands allow. */
export interface GemmProblem {
  readonly dtype: DType;
  readonly size: GemmSize;
  readonly a: OperandLayout;
  readonly b: OperandLayout;
  readonly outWidth: 1 | 4;
  /** The convolution that is computed as an implicit GEMM; null for a matmul. */
  readonly conv2d: Conv2dProblem | null;
}

/** How k is split. `parts` is 1 where it isn't. */
export interface Split {
  readonly parts: number;
  readonly segmentsPerPart: number;
  readonly stepsPerPart: number;
}

export interface GemmAlgorithm {
  readonly tile: GemmTile;
  /** A tile to run while the pipeline of `tile` is being compiled; null where none is needed. */
  readonly fallback: GemmTile | null;
  readonly a: OperandLayout;
  readonly b: OperandLayout;
  readonly outWidth: 1 | 4;
  /** Whether tiles walk k across the borders of segments. */
  readonly flat: boolean;
  readonly split: Split;
}

/** Workgroups that keep a GPU busy, roughly: a few for each of its compute units. */
const busyWorkgroups = 128;

/** Multiplications of a GEMM. */
export function workOf({ m, n, segments, length, slices }: GemmSize): number {
  return m * n * segments * length * slices;
}

/** Whether a GEMM has one tile alone: the larger ones use WGSL's matrix types, which are of floats. */
function isSmall({ dtype, size }: GemmProblem, { gemm }: DeviceProfile): boolean {
  return !isFloating(dtype) || workOf(size) <= gemm.smallWork;
}

/** Steps along k that a subgroup-matrix tile takes at once, where workgroup memory has room for them, and elsewhere. */
const matrixDepths = { many: 32, few: 16 };

/** The tile for subgroup matrices; null where they can't multiply these operands: they take whole float16 matrices. */
function subgroupMatrixTile(
  { a, b, size: { m, n, slices } }: GemmProblem,
  { subgroupMatrix: units, workgroupBytes }: DeviceProfile,
): GemmTile | null {
  if (!units || !a.half || !b.half || m < units[0] || n < units[1]) return null;
  const { large, medium } = gemmTiles;
  const isLarge = gemmWorkgroups(large, m, n, slices) >= busyWorkgroups || units[3] > 64;
  const { many, few } = matrixDepths;
  const depth = workgroupBytes >= 32768 && many % units[2] === 0 ? many : few;
  return { ...(isLarge ? large : medium), memory: 'matrix', depth, units };
}

const tileNames = Object.keys(gemmTiles) as GemmTileName[];

/** Whether a device can run a tile on these operands. */
function fits(name: GemmTileName, { a }: GemmProblem, profile: DeviceProfile): boolean {
  const tile: GemmTile = gemmTiles[name];
  const { quads, groupM, groupN, memory, blockM, depth } = tile;
  if (profile.gemm.tiles === 'registers' ? memory !== 'registers' : !(name in sharedCosts)) return false;
  if (quads && !profile.subgroups) return false;
  if (groupM * groupN > profile.workgroupInvocations) return false;
  // Tiles of both operands, which are as wide as they are high.
  const bytes = memory === 'shared' ? 2 * 4 * groupM * blockM * depth : 0;
  return bytes <= profile.workgroupBytes && readsRows(tile, a);
}

/** Whether a tile may be selected without measuring it. */
function isSelectable(name: GemmTileName, problem: GemmProblem, profile: DeviceProfile): boolean {
  const { m, n, slices } = problem.size;
  if (profile.gemm.tiles === 'shared') {
    if (m === 1) return name === 'row';
    return name === (gemmWorkgroups(gemmTiles.large, m, n, slices) >= busyWorkgroups ? 'large' : 'medium');
  }
  const range = registersRanges[name];
  // Quads do what a block does, and read less.
  if (!range || (name === 'block' && profile.subgroups)) return false;
  const reads = problem.a.width === 4 && problem.b.width === 4 ? 'vectors' : 'elements';
  return workOf(problem.size) >= range.least[reads] && m <= range.most.m && n <= range.most.n;
}

/** What a multiply-add costs in a tile, on this kind of adapter. */
function unitCost(name: GemmTileName, { a, b }: GemmProblem, { gemm }: DeviceProfile): number {
  if (gemm.tiles === 'registers') return registersCost(gemmTiles[name], a, b);
  return sharedCosts[name] ?? Number.POSITIVE_INFINITY;
}

/** What a GEMM costs in a tile. What lies beyond the edges of C is computed, too; idle invocations cost as much as busy ones. */
function costOf(
  tile: GemmTile,
  unit: number,
  { size: { m, n, segments, length, slices } }: GemmProblem,
  { gemm }: DeviceProfile,
  parts = 1,
): number {
  const invocations = gemmInvocations(tile, m, n, slices);
  const padded = invocations * tile.blockM * tile.blockN * segments * length;
  return unit * padded * Math.max(1, gemm.idleInvocations / (invocations * parts));
}

function selectTile(problem: GemmProblem, profile: DeviceProfile): GemmTile {
  if (isSmall(problem, profile)) return gemmTiles.small;
  const matrix = subgroupMatrixTile(problem, profile);
  if (matrix) return matrix;
  const names = tileNames.filter(
    (name) => isSelectable(name, problem, profile) && fits(name, problem, profile),
  );
  let best: GemmTile = gemmTiles.small;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const cost = costOf(gemmTiles[name], unitCost(name, problem, profile), problem, profile);
    if (cost >= least) continue;
    least = cost;
    best = gemmTiles[name];
  }
  return best;
}

export function selectGemm(problem: GemmProblem, profile: DeviceProfile): GemmAlgorithm {
  return onTile(selectTile(problem, profile), problem, profile);
}

/** Each tile that fits; where k is split, also without the split. */
export function gemmAlgorithms(problem: GemmProblem, profile: DeviceProfile): Candidate<GemmAlgorithm>[] {
  if (isSmall(problem, profile)) {
    return [{ name: 'small', algorithm: onTile(gemmTiles.small, problem, profile), cost: null, rank: 0 }];
  }
  const candidatesOf = (name: string, tile: GemmTile, unit: number): Candidate<GemmAlgorithm>[] => {
    const algorithm = onTile(tile, problem, profile);
    const { parts } = algorithm.split;
    const cost = costOf(tile, unit, problem, profile, parts);
    const candidate = { name, algorithm, cost, rank: 0 };
    if (parts === 1) return [candidate];
    const whole = onTile(tile, problem, profile, false);
    const wholeCost = costOf(tile, unit, problem, profile);
    return [candidate, { name: `${name}, k in one part`, algorithm: whole, cost: wholeCost, rank: 0 }];
  };
  const matrix = subgroupMatrixTile(problem, profile);
  const names = tileNames.filter((name) => fits(name, problem, profile));
  return [
    ...(matrix ? candidatesOf('subgroup matrices', matrix, subgroupMatrixCost) : []),
    ...names.flatMap((name) => candidatesOf(name, gemmTiles[name], unitCost(name, problem, profile))),
  ];
}

export const gemmTunable: Tunable<GemmProblem, GemmAlgorithm> = {
  name: 'gemm',
  algorithms: gemmAlgorithms,
  select: selectGemm,
};

/** The algorithm on a given tile; without `maySplit`, k stays whole. */
export function onTile(
  tile: GemmTile,
  { size, a, b, outWidth }: GemmProblem,
  profile: DeviceProfile,
  maySplit = true,
): GemmAlgorithm {
  const flat = tile.memory !== 'registers' && wastesTiles(size, tile.depth);
  const iterated = flat ? { ...size, segments: 1, length: size.segments * size.length } : size;
  const capped = <W extends 1 | 4>(width: W) => (tile.width === 1 ? 1 : width);
  // Single steps read single elements along k.
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
    split: maySplit ? splitFor(tile, iterated, profile) : whole(iterated),
  };
}

/**
 * A tile that compiles in less than half the time, and computes the same bits: it multiplies and adds in the same order.
 * Null where `tile` compiles fast itself, or where the slower tile would take longer than the compilation.
 */
function fallbackFor(tile: GemmTile, size: GemmSize, { gemm }: DeviceProfile): GemmTile | null {
  const compilesSlowly =
    tile.memory === 'registers' && tile.depth === 4 && tile.blockM >= gemmTiles.block.blockM;
  return compilesSlowly && workOf(size) <= gemm.fallbackWork ? gemmTiles.scalars : null;
}

/** Whether segments fill tiles of `depth` steps so badly that walking k flat, with its divisions, is cheaper. */
function wastesTiles({ segments, length }: GemmSize, depth: number): boolean {
  return segments > 1 && Math.ceil(length / depth) * depth > 1.25 * length;
}

function whole({ segments, length }: GemmSize): Split {
  return { parts: 1, segmentsPerPart: segments, stepsPerPart: length };
}

/** Steps of k that a part has at least: fewer would not pay for its write and read. */
const stepsWorthAPart = 256;
const mostParts = 64;

/** Splits k where C has too few blocks to fill the device. */
function splitFor(tile: GemmTile, size: GemmSize, { gemm }: DeviceProfile): Split {
  const { m, n, segments, length, slices } = size;
  const invocations = gemmInvocations(tile, m, n, slices);
  const wanted = Math.min(
    Math.floor(gemm.busyInvocations / invocations),
    Math.floor((segments * length) / stepsWorthAPart),
    mostParts,
  );
  if (wanted < 2) return whole(size);
  if (segments > 1) {
    const segmentsPerPart = Math.ceil(segments / wanted);
    return { parts: Math.ceil(segments / segmentsPerPart), segmentsPerPart, stepsPerPart: length };
  }
  const stepsPerPart = Math.ceil(length / wanted / 4) * 4;
  return { parts: Math.ceil(length / stepsPerPart), segmentsPerPart: 1, stepsPerPart };
}
