/** @file All algorithms that compute a GEMM, with estimated costs: the candidates of an autotuner. */
import { gemmInvocations, type GemmTile, invocationsOf } from '../../../shaders/gemm.ts';
import type { Candidate } from '../../webgpu/autotuner.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import {
  type GemmAlgorithm,
  isSmall,
  iteratedSize,
  onTile,
  paddedWork,
  runs,
  selectGemm,
  subgroupMatrixCost,
} from './gemmAlgorithm.ts';
import type { GemmProblem } from './gemmProblem.ts';
import { type GemmTileName, gemmTiles } from './gemmTiles.ts';
import { subgroupMatrixTile } from './matrixTiles.ts';
import { registersCost } from './registersTiles.ts';
import { costInShared, groupsCost, lanesTile, takesLanes, withinLimits } from './sharedGemm.ts';
import { sharedTime } from './sharedTime.ts';

/** The cost of a multiply-add on a GPU outside of workgroup memory. Not measured: proportional to the memory reads. */
const registersCosts: Partial<Record<GemmTileName, number>> = { block: 2, scalars: 3, row: 4, small: 6 };

/** The cost of a multiply-add if few rows share the reads of B. Not measured. */
const lanesCost = 2;

type NamedTile = readonly [name: GemmTileName, tile: GemmTile];

const tiles = Object.entries(gemmTiles) as [GemmTileName, GemmTile][];

/** Returns the name of a GEMM tile, ignoring depth and skew. */
export function tileName(tile: GemmTile): string {
  if (tile.memory === 'lanes') return 'lanes';
  if (tile.memory === 'subgroupMatrix') return 'subgroup matrices';
  const shape = ({ memory, groupM, groupN, groupK = 1, blockM, blockN, subgroupQuads, width }: GemmTile) =>
    [memory, groupM, groupN, groupK, blockM, blockN, subgroupQuads, width].join();
  const alike = Object.entries(gemmTiles).filter(([, known]) => shape(known) === shape(tile));
  // Tiles in registers may differ only in depth; tiles in workgroup memory have k tiles that suit k.
  const same = alike.find(([, { depth }]) => depth === tile.depth) ?? alike[0];
  return same?.[0] ?? shape(tile);
}

/** The maximum number of tiles in workgroup memory to measure: those with the least estimated cost. */
const maxSharedTiles = 4;

function tilesFor(problem: GemmProblem, profile: DeviceProfile, maxShared: number): NamedTile[] {
  const shared = tiles.filter(([, { memory }]) => memory === 'shared');
  const others = tiles.filter(([, { memory }]) => memory !== 'shared');
  if (profile.gemm.tiles !== 'shared') return others;
  const costs = shared.map((named) => ({ named, cost: costInShared(named[1], problem, profile) }));
  costs.sort((a, b) => a.cost - b.cost);
  const possible = costs.filter(({ cost }) => cost < Number.POSITIVE_INFINITY);
  return [...possible.slice(0, maxShared).map(({ named }) => named), ...others];
}

/** Returns whether a tile suits the kind of adapter. */
function suits(name: GemmTileName, { memory }: GemmTile, { gemm }: DeviceProfile): boolean {
  if (gemm.tiles === 'shared') return memory === 'shared' || registersCosts[name] !== undefined;
  return memory === 'registers';
}

/** Returns the cost of a multiply-add in a tile that isn't in workgroup memory. */
function unitCost(
  name: GemmTileName,
  tile: GemmTile,
  { a, b }: GemmProblem,
  { gemm }: DeviceProfile,
): number {
  return gemm.tiles === 'shared' ? (registersCosts[name] ?? 1) : registersCost(tile, a, b);
}

/** Returns the estimated cost of an algorithm; idle invocations cost as much as busy ones. */
function costOf(
  { tile, split }: GemmAlgorithm,
  unit: number,
  problem: GemmProblem,
  profile: DeviceProfile,
): number {
  const { size } = problem;
  const { gemm } = profile;
  if (tile.memory === 'shared')
    return (
      sharedTime(tile, iteratedSize(tile, size), split, gemm) * groupsCost(tile, split, problem, profile)
    );
  const invocations = gemmInvocations(tile, size.m, size.n, size.slices) * split.parts;
  return unit * paddedWork(tile, size) * Math.max(1, gemm.busyInvocations / invocations);
}

/** Returns all tiles that the device can run; if k is split, also without the split. */
export function gemmAlgorithms(problem: GemmProblem, profile: DeviceProfile): Candidate<GemmAlgorithm>[] {
  if (isSmall(problem, profile)) {
    return [{ name: 'small', algorithm: onTile(gemmTiles.small, problem, profile), cost: null, rank: 0 }];
  }
  return tiledAlgorithms(problem, profile, maxSharedTiles);
}

/** The same for floats of any size, with at most `maxShared` tiles in workgroup memory. */
export function tiledAlgorithms(
  problem: GemmProblem,
  profile: DeviceProfile,
  maxShared = Number.POSITIVE_INFINITY,
): Candidate<GemmAlgorithm>[] {
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
  const listed = tilesFor(problem, profile, maxShared).filter(
    ([name, tile]) =>
      suits(name, tile, profile) &&
      invocationsOf(tile) <= profile.workgroupInvocations &&
      runs(tile, problem, profile),
  );
  return [
    ...(matrix ? candidates('subgroup matrices', matrix, subgroupMatrixCost) : []),
    ...(takesLanes(problem) && profile.gemm.tiles === 'shared'
      ? candidates('lanes', lanesTile(problem, profile), lanesCost)
      : []),
    ...asSelected(listed, problem, profile).flatMap(([name, tile]) =>
      candidates(name, withinLimits(tile, problem, profile), unitCost(name, tile, problem, profile)),
    ),
  ];
}

/** Returns the tiles with the selected one among them, whose k tiles may have another depth than in the table. */
function asSelected(
  listed: readonly NamedTile[],
  problem: GemmProblem,
  profile: DeviceProfile,
): readonly NamedTile[] {
  const { tile } = selectGemm(problem, profile);
  const selected = tileName(tile);
  // Others aren't in the table, and are separate candidates.
  if (!Object.hasOwn(gemmTiles, selected)) return listed;
  const named: NamedTile = [selected as GemmTileName, tile];
  const isListed = listed.some(([name]) => name === selected);
  return isListed ? listed.map((other) => (other[0] === selected ? named : other)) : [...listed, named];
}
