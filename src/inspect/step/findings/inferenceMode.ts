/** @file Batch norm that uses moving averages while its weights are trained. */
import type { Finding, ReportedCall } from '../reportData.ts';
import { type Facts, isAllZero, type Rule } from './facts.ts';

export const inferenceMode: Rule = (facts) => {
  const calls = facts.data.calls.filter((call) => usesFreshAverages(facts, call));
  const [first] = calls;
  if (!first) return [];
  return [
    {
      kind: 'inference mode',
      severity: 'warning',
      title: `Batch norm runs in inference mode: ${facts.nameOf(first)} uses its moving averages, which are still 0 and 1.`,
      text: `${calls.length > 1 ? `So do ${calls.length - 1} more. ` : ''}With these averages it normalizes nothing, and a step in inference mode doesn't update them. Its gamma and beta are trained nevertheless. Dropout is off in this mode, too.`,
      hint: 'call the model with { training: true } in a custom training step: net.apply(x, { training: true }). `fit` and `trainOnBatch` do.',
      weights: [],
      ...facts.at(first),
    } satisfies Finding,
  ];
};

/**
 * Returns whether a call reads moving averages with their initial values. Those of a trained layer are often frozen on purpose.
 */
function usesFreshAverages(facts: Facts, call: ReportedCall): boolean {
  if (call.backward || !call.leadsToLoss || call.op !== 'batchNorm') return false;
  const [, mean, variance, ...scale] = facts.inputsOf(call);
  const isKept = mean?.role === 'weight' && variance?.role === 'weight';
  const isFresh = isAllZero(mean?.values) && variance?.values?.min === 1 && variance.values.max === 1;
  const isTrained = scale.some(({ id }) => facts.trained.some(({ tensor }) => tensor === id));
  return isKept && isFresh && isTrained;
}
