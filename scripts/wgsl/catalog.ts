/**
 * @file The kernels by family, each with its principal options and the variants that a reader should see. `npm run wgsl`
 * prints them, and test/shaders compiles each variant and compares it with a snapshot. A kernel that isn't here fails
 * that test.
 */
import { gemmKernels } from './catalog/gemm.ts';
import { convolutionKernels } from './catalog/convolution.ts';
import { winogradKernels } from './catalog/winograd.ts';
import { depthwiseKernels } from './catalog/depthwise.ts';
import { indexingKernels } from './catalog/indexing.ts';
import { linalgKernels } from './catalog/linalg.ts';
import { reductionKernels } from './catalog/reduction.ts';
import { normalizationKernels } from './catalog/normalization.ts';
import { elementwiseKernels } from './catalog/elementwise.ts';
import { creationKernels } from './catalog/creation.ts';
import { layoutKernels } from './catalog/layout.ts';
import { poolingKernels } from './catalog/pooling.ts';
import { sortingKernels } from './catalog/sorting.ts';
import { attentionKernels } from './catalog/attention.ts';
import { recurrentKernels } from './catalog/recurrent.ts';
import { optimizerKernels } from './catalog/optimizer.ts';
import { quantizedKernels } from './catalog/quantized.ts';
import type { Family } from './catalog/entry.ts';

export type { CatalogEntry } from './catalog/entry.ts';

export const catalog: Readonly<Record<string, Family>> = {
  gemm: gemmKernels,
  convolution: convolutionKernels,
  winograd: winogradKernels,
  depthwise: depthwiseKernels,
  indexing: indexingKernels,
  linalg: linalgKernels,
  reduction: reductionKernels,
  normalization: normalizationKernels,
  elementwise: elementwiseKernels,
  creation: creationKernels,
  layout: layoutKernels,
  pooling: poolingKernels,
  sorting: sortingKernels,
  attention: attentionKernels,
  recurrent: recurrentKernels,
  optimizer: optimizerKernels,
  quantized: quantizedKernels,
};
