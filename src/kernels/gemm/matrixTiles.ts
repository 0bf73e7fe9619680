/** @file The tiles of a GEMM for subgroup matrices, and the sizes for which they are selected. */
import { type GemmTile, gemmWorkgroups, invocationsOf } from '../../../shaders/gemm.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import type { GemmProblem } from './gemmProblem.ts';

/** Depths of a subgroup-matrix tile along k: `many` if workgroup memory has room for it, otherwise `few`. */
const matrixDepths = { many: 32, few: 16 };

const inMatrices = {
  memory: 'subgroupMatrix',
  depth: matrixDepths.many,
  width: 4,
  subgroupQuads: false,
} as const;

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
export function matrixTile(
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
