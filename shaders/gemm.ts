/**
 * @file The matrix multiplication engine (GEMM): C[slice] = epilogue(A[slice] · B[slice]), A of m × k, B of k × n.
 *
 * matMul and the three directions of a convolution are instances of it. They differ in how A and B are read and where
 * C is written, which an instance defines in WGSL (`Problem`); tiles, loops and epilogue are here.
 *
 * A *line* is a row of A or a column of B. The k axis is traversed as `params.segments` segments of `params.length`
 * steps (a convolution's kernel taps and channels), so that values common to a segment are computed once.
 *
 * Forms of one algorithm:
 * - `registers`: an invocation computes a block of C straight from storage. For CPU adapters and small matrices. A whole
 *   matrix, if there are many tiny ones.
 * - `shared`: a workgroup computes a tile of C from tiles of A and B in workgroup memory. Loaded for GPUs.
 * - `lanes`: the invocations of a workgroup share k. For few rows; loaded for GPUs.
 * - `subgroupMatrix`: as `shared`, in float16 with subgroup matrices. Loaded only if an app requests them.
 *
 * Sums run in ascending k order; `splits` divide k into fixed ranges that a second pass adds in order. Same input, same bits.
 */
import { loadedForm } from './gemm/loadedForms.ts';
import type { GemmOptions, GemmTile, Problem } from './gemm/problem.ts';
import { registers } from './gemm/registers.ts';
import { wholeMatrix } from './gemm/wholeMatrix.ts';

export {
  type GemmOptions,
  gemmParams,
  type GemmTile,
  invocationsOf,
  type SubgroupMatrixSize,
  type OperandLayout,
  type Problem,
} from './gemm/problem.ts';

export function gemm(options: GemmOptions, problem: Problem): string {
  const { memory, whole } = options.tile;
  if (whole) return wholeMatrix(options, problem);
  return memory === 'registers' ? registers(options, problem) : loadedForm(memory).write(options, problem);
}

/** WGSL directives of an instance. */
export function gemmDirectives({ tile }: GemmOptions): string {
  if (tile.memory !== 'registers') return loadedForm(tile.memory).directives?.() ?? '';
  // A quad is in one subgroup and has one block: its control flow is uniform, though no compiler can tell.
  return tile.subgroupQuads ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n' : '';
}

/** Invocations that compute `slices` matrices of m × n. */
export function gemmInvocations(tile: GemmTile, m: number, n: number, slices: number): number {
  const { memory, groupM, groupN, blockM, blockN } = tile;
  if (memory === 'registers') {
    const lanes = tile.subgroupQuads ? 4 : 1;
    return Math.ceil(m / blockM) * Math.ceil(n / (lanes * blockN)) * lanes * slices;
  }
  const tileM = memory === 'lanes' ? blockM : groupM * blockM;
  const tiles = Math.ceil(m / tileM) * Math.ceil(n / (groupN * blockN));
  return tiles * groupM * groupN * slices;
}

/** Elements of C that are computed for `slices` matrices of m × n, including those beyond its edges. */
export function gemmElements(tile: GemmTile, m: number, n: number, slices: number): number {
  const { memory, groupM, blockM, blockN } = tile;
  const sharing = memory === 'lanes' ? groupM : 1;
  return (gemmInvocations(tile, m, n, slices) / sharing) * blockM * blockN;
}

/** Workgroups that compute `slices` matrices of m × n. */
export function gemmWorkgroups(tile: GemmTile, m: number, n: number, slices: number): number {
  return Math.ceil(gemmInvocations(tile, m, n, slices) / (tile.groupM * tile.groupN));
}
