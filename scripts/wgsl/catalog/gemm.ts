/** @file The gemm kernels of the catalog. */
import type { MatMulOptions } from '../../../shaders/matMul.ts';
import type { SumSplitsOptions } from '../../../shaders/sumSplits.ts';
import { gemmTiles } from '../../../src/kernels/gemm/gemmTiles.ts';
import { type Family, entry } from './entry.ts';
import { gemmDefaults } from './gemmOptions.ts';

/** 128 invocations per subgroup, as Dawn's null adapter requires. */
const subgroupMatrixTile = { memory: 'subgroupMatrix', matrixSize: [16, 16, 16, 128] } as const;

const matMulDefaults: MatMulOptions = { ...gemmDefaults, batchRank: 0 };

export const gemmKernels: Family = {
  matMul: entry<MatMulOptions>(matMulDefaults, {
    'shared, k-major B, bias': { b: { major: 'k' }, bias: true, activation: 'max(value, 0.0)' },
    'shared, single elements, split': { a: { width: 1 }, b: { width: 1 }, outWidth: 1, split: true },
    'shared, float16': { a: { float16: true }, b: { float16: true } },
    'shared, batched': { batchRank: 2 },
    'shared, in groups that share k': { tile: gemmTiles.tinyFourGroups },
    'registers, block': { tile: gemmTiles.block },
    'registers, block, single elements': {
      tile: gemmTiles.block,
      a: { width: 1 },
      b: { width: 1 },
      outWidth: 1,
    },
    'registers, steps': { tile: gemmTiles.steps, a: { width: 1 } },
    'registers, row': { tile: gemmTiles.row },
    'registers, small': { tile: gemmTiles.small, a: { width: 1 }, b: { width: 1 }, outWidth: 1 },
    'registers, whole matrix': {
      tile: { ...gemmTiles.small, blockM: 3, blockN: 3, depth: 3, whole: true },
      a: { width: 1 },
      b: { width: 1 },
      outWidth: 1,
      batchRank: 1,
    },
    'subgroup quads, k-major A': { tile: gemmTiles.subgroupQuad },
    'subgroup quads, m-major A': { tile: gemmTiles.subgroupQuad, a: { major: 'mn' } },
    'subgroup matrices': { tile: subgroupMatrixTile, a: { float16: true }, b: { float16: true } },
  }),
  sumSplits: entry<SumSplitsOptions>(
    { type: 'f32', bias: false, activation: 'value' },
    { 'bias, activation': { bias: true, activation: 'max(value, 0.0)' } },
  ),
};
