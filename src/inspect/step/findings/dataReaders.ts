/** @file Traces the data of a step: which call combines them with weights, and which compares them with predictions. */
import type { ReportedCall, ReportedTensor } from '../reportData.ts';
import type { Facts } from './facts.ts';

/** Ops that only move values. */
const movesValues = /^(reshape|squeeze|expandDims|transpose|cast|oneHot|toLabels|broadcastTo)$/;
/** Ops that scale what they read. */
const normalizes = /norm/i;
const differences = /^(sub|squaredDifference)$/;
const logarithms = /^(log|logSoftmax|softplus|logSigmoid)$/;

/** Ops that pick the prediction of a label. */
export const picksLabels = /^(gather|sparseCategoricalCrossentropy)$/;

type IsWanted = (facts: Facts, call: ReportedCall, data: ReportedTensor) => boolean;

/** Returns the call on the way to the loss that combines `data` with weights, directly or behind ops that only move values. */
export function readerWithWeights(facts: Facts, data: ReportedTensor): ReportedCall | undefined {
  return reader(facts, data, (_, call) => !normalizes.test(call.op) && hasWeight(facts, call));
}

/** Returns the call of a loss that compares `data` with predictions: `data` are targets. */
export function readerAsTarget(facts: Facts, data: ReportedTensor): ReportedCall | undefined {
  return reader(facts, data, isComparison);
}

function reader(facts: Facts, tensor: ReportedTensor, isWanted: IsWanted): ReportedCall | undefined {
  const seen = new Set([tensor]);
  for (const moved of seen) {
    for (const call of facts.readersOf(moved.id)) {
      if (!call.leadsToLoss) continue;
      if (isWanted(facts, call, moved)) return call;
      if (movesValues.test(call.op)) for (const output of facts.outputsOf(call)) seen.add(output);
    }
  }
  return undefined;
}

function hasWeight(facts: Facts, call: ReportedCall): boolean {
  return facts.inputsOf(call).some(({ role }) => role === 'weight');
}

function isComparison(facts: Facts, call: ReportedCall, data: ReportedTensor): boolean {
  const other = facts.inputsOf(call).find(({ id }) => id !== data.id);
  if (call.layer !== null || !other?.gradient || other.role !== 'activation') return false;
  if (picksLabels.test(call.op)) return data.dtype === 'int32';
  const maker = facts.call(other.maker)?.op ?? '';
  return differences.test(call.op) || (call.op === 'mul' && logarithms.test(maker));
}
