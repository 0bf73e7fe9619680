/** @file All problems of the benchmark of generated code. */
import type { Problem } from '../problem.ts';
import { convolutionProblems } from './convolutions.ts';
import { denseProblems } from './dense.ts';
import { fewSampleProblems } from './fewSamples.ts';
import { memoryBoundProblems } from './memoryBound.ts';
import { optimizerProblems } from './optimizers.ts';
import { quantizedProblems } from './quantized.ts';
import { sequenceProblems } from './sequences.ts';

export const problems: readonly Problem[] = [
  ...denseProblems,
  ...convolutionProblems,
  ...memoryBoundProblems,
  ...sequenceProblems,
  ...fewSampleProblems,
  ...quantizedProblems,
  ...optimizerProblems,
];
