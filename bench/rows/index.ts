/** @file The table of contents of the rows. */
import type { Family } from '../row.ts';
import { arrangementFamily } from './arrangement.ts';
import { attentionFamily } from './attention.ts';
import { batchNormFamily } from './batchNorm.ts';
import { convolutionFamily } from './convolution.ts';
import { convolutionKindsFamily } from './convolutionKinds.ts';
import { denseFamily } from './dense.ts';
import { depthwiseFamily } from './depthwise.ts';
import { elementwiseFamily, overheadFamily } from './elementwise.ts';
import { gatherFamily } from './gather.ts';
import { matMulFamily } from './matMul.ts';
import { memoryFamily } from './memory.ts';
import { normalizationFamily, reductionFamily } from './normalization.ts';
import { optimizerFamily } from './optimizers.ts';
import { perceptualFamily } from './perceptual.ts';
import { poolingFamily } from './pooling.ts';
import { pretrainedFamily } from './pretrained.ts';
import { shapeFamily } from './shapes.ts';
import { stepFamily } from './steps.ts';
import { transformerFamily } from './transformer.ts';

export const families: readonly Family[] = [
  matMulFamily,
  denseFamily,
  convolutionFamily,
  convolutionKindsFamily,
  depthwiseFamily,
  poolingFamily,
  gatherFamily,
  attentionFamily,
  normalizationFamily,
  batchNormFamily,
  reductionFamily,
  arrangementFamily,
  elementwiseFamily,
  overheadFamily,
  stepFamily,
  optimizerFamily,
  transformerFamily,
  pretrainedFamily,
  perceptualFamily,
  shapeFamily,
  memoryFamily,
];
