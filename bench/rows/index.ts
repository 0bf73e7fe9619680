/** @file The table of contents of the rows. */
import type { Family } from '../row.ts';
import { attentionFamily } from './attention.ts';
import { convolutionFamily } from './convolution.ts';
import { denseFamily } from './dense.ts';
import { depthwiseFamily } from './depthwise.ts';
import { elementwiseFamily, overheadFamily } from './elementwise.ts';
import { gatherFamily } from './gather.ts';
import { matMulFamily } from './matMul.ts';
import { memoryFamily } from './memory.ts';
import { normalizationFamily, reductionFamily } from './normalization.ts';
import { perceptualFamily } from './perceptual.ts';
import { shapeFamily } from './shapes.ts';
import { stepFamily } from './steps.ts';

export const families: readonly Family[] = [
  matMulFamily,
  denseFamily,
  convolutionFamily,
  depthwiseFamily,
  gatherFamily,
  attentionFamily,
  normalizationFamily,
  reductionFamily,
  elementwiseFamily,
  overheadFamily,
  stepFamily,
  perceptualFamily,
  shapeFamily,
  memoryFamily,
];
