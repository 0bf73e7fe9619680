/**
 * @file The batching rules by name of op. Elementwise ops need no entry, and composite ops (defineComposite) are mapped op
 * by op.
 */
import { TapeError } from '../../core/errors.ts';
import type { OpWithRule } from '../../ops/define/batching.ts';
import type { OpDefinition } from '../../ops/define/define.ts';
import { attentions, joinedAttentions } from './attentionRules.ts';
import * as axes from './arrangementRules.ts';
import * as indices from './indexRules.ts';
import { type BatchingRule, byFormula } from './mappedCall.ts';
import * as normalization from './normalizationRules.ts';
import * as matMuls from './matMulRules.ts';
import * as recurrent from './recurrentRules.ts';

/** Ops whose forward is composed of other ops. */
const byForward: BatchingRule = (call) => {
  const result = call.op.forward(call.inputs, call.plan, call as never);
  return call.ofAll(Array.isArray(result) ? result : [result])[0] as never;
};

/** Errors: TapeError. */
const unmapped: BatchingRule = ({ op }) => {
  throw new TapeError({
    op: 'vmap',
    rule: 'ops on mapped tensors need a batching rule.',
    received: `'${op.name}', which has none`,
    hint: 'compute it on the whole batch outside of vmap, or write it with ops that have rules: sums, matmuls, gathers, elementwise ops and others.',
  });
};

const rules: Readonly<Record<OpWithRule, BatchingRule>> = {
  // Axes
  reshape: axes.reshaping,
  expandDims: axes.reshaping,
  squeeze: axes.reshaping,
  broadcastTo: axes.broadcasting,
  transpose: axes.transposition,
  slice: axes.slices,
  placeSlices: axes.placedSlices,
  pad: axes.pads,
  tile: axes.tiles,
  stridedSlice: axes.stridedSlices,
  stridedScatter: axes.stridedSlices,
  flip: axes.reductions,
  concat: axes.alongAxis,
  stack: axes.alongAxis,
  unstack: axes.divisions,
  split: axes.divisions,
  addN: axes.unchanged,
  dropout: axes.dropouts,
  // Reductions and scans
  sum: axes.reductions,
  mean: axes.reductions,
  max: axes.reductions,
  min: axes.reductions,
  prod: axes.reductions,
  any: axes.reductions,
  all: axes.reductions,
  variance: axes.reductions,
  std: axes.reductions,
  euclideanNorm: axes.reductions,
  moments: axes.reductions,
  logSumExp: axes.reductions,
  argMax: axes.searches,
  argMin: axes.searches,
  cumsum: axes.alongAxis,
  cumprod: axes.alongAxis,
  topK: axes.unchanged,
  softmax: axes.alongAxis,
  logSoftmax: axes.alongAxis,
  softmaxGradient: axes.alongAxis,
  logSoftmaxGradient: axes.alongAxis,
  simplexSupport: axes.alongAxis,
  sampleTokens: axes.unchanged,
  // Gathers and scatters
  gather: indices.gathers,
  scatterAdd: indices.scatters,
  embedding: indices.embeddings,
  sparseCategoricalCrossentropy: axes.unchanged,
  gatherNd: indices.coordinates,
  scatterNd: indices.coordinates,
  lastUpdates: indices.coordinates,
  replaceRows: indices.replacements,
  takeAlongAxis: indices.alongIndices,
  scatterAddAlongAxis: indices.alongIndices,
  segmentSum: indices.segments,
  segmentMax: indices.segments,
  segmentMin: indices.segments,
  oneHot: axes.alongAxis,
  searchSortedRows: indices.searches,
  // Products
  matMul: matMuls.matMuls,
  fusedMatMul: matMuls.matMuls,
  conv1d: byForward,
  conv2d: matMuls.convolutions(matMuls.grouped),
  conv2dInputGrad: matMuls.inputGradients(matMuls.grouped),
  conv2dFilterGrad: matMuls.filterGradients(matMuls.grouped),
  conv2dTranspose: byForward,
  depthwiseConv2d: matMuls.convolutions(matMuls.depthwise),
  depthwiseConv2dInputGrad: matMuls.inputGradients(matMuls.depthwise),
  depthwiseConv2dFilterGrad: matMuls.filterGradients(matMuls.depthwise),
  fusedConv2d: matMuls.fusedConvolutions,
  dequantize: unmapped,
  // Attention
  dotProductAttention: attentions,
  dotProductAttentionGradient: attentions,
  joinedAttention: joinedAttentions,
  joinedAttentionGradient: joinedAttentions,
  cachedAttention: unmapped,
  // Recurrences
  lstmSteps: recurrent.lstms,
  gruSteps: recurrent.grus,
  // Linear algebra on the last two axes
  choleskyFactor: axes.unchanged,
  det: axes.unchanged,
  eigenpairs: axes.unchanged,
  luFactors: axes.unchanged,
  qr: axes.unchanged,
  solve: axes.unchanged,
  solveTriangular: axes.unchanged,
  svd: axes.unchanged,
  // Images
  rgbToHsv: axes.unchanged,
  hsvToRgb: axes.unchanged,
  maxPool: axes.mergedBatch(),
  maxPoolGradient: axes.mergedBatch(),
  maxPoolPick: axes.mergedBatch(),
  maxPoolPositions: axes.mergedBatch(),
  maxPool1d: axes.mergedBatch(),
  maxPool1dGradient: axes.mergedBatch(),
  maxPool1dPick: axes.mergedBatch(),
  avgPool: axes.mergedBatch(),
  avgPoolGradient: axes.mergedBatch(['shape']),
  avgPool1d: axes.mergedBatch(),
  avgPool1dGradient: axes.mergedBatch(['shape']),
  dilation2d: matMuls.convolutions(matMuls.depthwise),
  dilation2dPixels: matMuls.convolutions(matMuls.depthwise),
  dilation2dTaps: matMuls.convolutions(matMuls.depthwise),
  dilation2dPlace: axes.mergedBatch(['shape']),
  patches: axes.mergedBatch(),
  patchesSum: axes.mergedBatch(['shape']),
  globalMaxPool: axes.mergedBatch(),
  globalAveragePool: axes.mergedBatch(),
  resizeNearest: axes.mergedBatch(),
  resizeNearestGradient: axes.mergedBatch(['shape']),
  resizeBilinear: axes.mergedBatch(),
  resizeBilinearGradient: axes.mergedBatch(['shape']),
  sampleImages: indices.samplings,
  sampleBoxes: indices.samplings,
  sampleMapped: indices.samplings,
  upSampling2d: axes.mergedBatch(),
  upSampling2dGradient: axes.mergedBatch(['shape']),
  // Normalization
  layerNorm: normalization.layerNorms,
  layerNormGrad: normalization.layerNormGradients,
  layerNormInputGrad: normalization.layerNormGradients,
  batchNorm: normalization.batchNorms,
  batchNormGrad: normalization.batchNormGradients,
  batchNormTrain: normalization.batchNormsInTraining,
  groupNorm: normalization.groupNorms,
  rmsNorm: normalization.overLaterAxes(1),
  rmsNormInputGrad: normalization.overLaterAxes(2),
};

/** Apps define ops of other names. */
const rulesByName: Readonly<Record<string, BatchingRule | undefined>> = rules;

/** Returns the rule of an op; one that throws TapeError if it has none. */
export function batchingRuleOf(op: OpDefinition): BatchingRule {
  if (op.elementwise) return axes.elementwise;
  return rulesByName[op.name] ?? (op.formula ? byFormula : unmapped);
}
