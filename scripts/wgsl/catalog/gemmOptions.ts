/** @file Options that matmuls and convolutions share. */
// Elsewhere, the form for subgroup matrices loads on demand; here, all forms are printed.
import '../../../shaders/gemm/subgroupMatrix.ts';
import type { GemmOptions } from '../../../shaders/gemm.ts';
import { gemmTiles } from '../../../src/kernels/gemm/gemmTiles.ts';

export const gemmDefaults: GemmOptions = {
  // Listed, so that they are known as options: most tiles have none of them.
  tile: { ...gemmTiles.large, groupK: undefined, whole: undefined, matrixSize: undefined },
  type: 'f32',
  a: { major: 'k', width: 4, float16: false },
  b: { major: 'mn', width: 4, float16: false },
  outWidth: 4,
  bias: false,
  activation: 'value',
  flat: false,
  remainderFirst: true,
  split: false,
};
