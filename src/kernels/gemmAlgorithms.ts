/** @file All algorithms that compute a GEMM, with estimated costs: what an autotuner may measure. */
import { gemmInvocations, type GemmTile } from '../../shaders/gemm.ts';
import type { Candidate } from '../webgpu/autotuner.ts';
import type { DeviceProfile } from './adapterProfiles.ts';
import {
  type GemmAlgorithm,
  type GemmProblem,
  isSmall,
  onTile,
  paddedWork,
  runs,
  subgroupMatrixTile,
} from './gemmAlgorithm.ts';
import { type GemmTileName, gemmTiles, registersCost } from './gemmTiles.ts';

/** The cost of a multiply-add on a GPU. Not measured: proportional to the memory reads that a tile needs. */
const sharedCosts: Partial<Record<GemmTileName, number>> = {
  large: 1,
  medium: 1.15,
  block: 2,
  scalars: 3,
  row: 4,
  small: 6,
};

/** The same with subgroup matrices. Not measured: an eighth, as vendors claim. */
const subgroupMatrixCost = 0.125;

const tiles = Object.entries(gemmTiles) as [GemmTileName, GemmTile][];

/** What a multiply-add costs in a tile; null where the tile doesn't suit the kind of adapter. */
function unitCost(name: GemmTileName, tile: GemmTile, { a, b }: GemmProblem, profile: DeviceProfile) {
  if (profile.gemm.tiles === 'shared') return sharedCosts[name] ?? null;
  return tile.memory === 'registers' ? registersCost(tile, a, b) : null;
}

/** Whether the device's limits allow a tile. */
function fits({ groupM, groupN, memory, blockM, depth }: GemmTile, profile: DeviceProfile): boolean {
  // Tiles of both operands, which are as wide as they are high.
  const bytes = memory === 'shared' ? 2 * 4 * groupM * blockM * depth : 0;
  return groupM * groupN <= profile.workgroupInvocations && bytes <= profile.workgroupBytes;
}

/** The estimated cost of an algorithm; idle invocations cost as much as busy ones. */
function costOf(
  { tile, split: { parts } }: GemmAlgorithm,
  unit: number,
  { size }: GemmProblem,
  { gemm }: DeviceProfile,
): number {
  const invocations = gemmInvocations(tile, size.m, size.n, size.slices) * parts;
  return unit * paddedWork(tile, size) * Math.max(1, gemm.busyInvocations / invocations);
}

/** Each tile that the device can run; where k is split, also without the split. */
export function gemmAlgorithms(problem: GemmProblem, profile: DeviceProfile): Candidate<GemmAlgorithm>[] {
  if (isSmall(problem, profile)) {
    return [{ name: 'small', algorithm: onTile(gemmTiles.small, problem, profile), cost: null, rank: 0 }];
  }
  const candidate = (name: string, algorithm: GemmAlgorithm, unit: number): Candidate<GemmAlgorithm> => ({
    name,
    algorithm,
    cost: costOf(algorithm, unit, problem, profile),
    rank: 0,
  });
  const candidates = (name: string, tile: GemmTile, unit: number): Candidate<GemmAlgorithm>[] => {
    const algorithm = onTile(tile, problem, profile);
    if (algorithm.split.parts === 1) return [candidate(name, algorithm, unit)];
    const whole = onTile(tile, problem, profile, false);
    return [candidate(name, algorithm, unit), candidate(`${name}, k in one part`, whole, unit)];
  };
  const matrix = subgroupMatrixTile(problem, profile);
  return [
    ...(matrix ? candidates('subgroup matrices', matrix, subgroupMatrixCost) : []),
    ...tiles.flatMap(([name, tile]) => {
      const unit = unitCost(name, tile, problem, profile);
      return unit !== null && fits(tile, profile) && runs(tile, problem, profile)
        ? candidates(name, tile, unit)
        : [];
    }),
  ];
}
