/** @file Softmaxes that can't produce what the loss expects: over one unit, or after another softmax. */
import type { Finding, ReportedCall } from '../reportData.ts';
import { activationOf, type Facts, type Rule, specOf } from './facts.ts';

export const softmaxes: Rule = (facts) => {
  const calls = facts.data.calls.filter(({ backward, leadsToLoss }) => !backward && leadsToLoss);
  return [
    ...calls.flatMap((call) => ofOneUnit(facts, call)).slice(0, 1),
    ...calls.flatMap((call) => afterAnother(facts, call)).slice(0, 1),
  ];
};

/**
 * Probabilities that are always 1: predictions of [batch, 1] that a softmax, or a categorical crossentropy, divides by their
 * sum.
 */
function ofOneUnit(facts: Facts, call: ReportedCall): Finding[] {
  const [output] = facts.outputsOf(call);
  const isOfLoss = call.layer === null && (call.op === 'div' || call.op === 'logSoftmax');
  const isOfModel = activationOf(call) === 'softmax' && facts.readersOf(output?.id ?? -1).some(isOutside);
  if (!output || !(isOfLoss || isOfModel) || output.shape.length !== 2 || output.shape[1] !== 1) return [];
  if (isOfLoss && call.op === 'div' && !dividesBySum(facts, call)) return [];
  return [
    {
      kind: 'loss',
      severity: 'error',
      title: isOfModel
        ? 'A softmax over one unit is always 1: the predictions never change.'
        : 'A categorical crossentropy of one class is always 0: whatever the model predicts is right.',
      text: `${specOf(output)} has one unit for each sample. Its share of the sum is 1 for any input, so its gradient is 0.`,
      hint: 'for yes or no use one unit with a sigmoid and binaryCrossentropy; for several classes use a unit for each.',
      weights: [],
      ...facts.at(call),
    },
  ];
}

/** Returns `x / sum(x)`, as categoricalCrossentropy normalizes predictions. */
function dividesBySum(facts: Facts, call: ReportedCall): boolean {
  const [numerator, denominator] = facts.inputsOf(call);
  const maker = facts.call(denominator?.maker ?? null);
  return maker?.op === 'sum' && maker.inputs[0] === numerator?.id;
}

function afterAnother(facts: Facts, call: ReportedCall): Finding[] {
  if (call.op !== 'softmax') return [];
  const before = facts.call(facts.inputsOf(call)[0]?.maker ?? null);
  const activation = before ? activationOf(before) : '';
  if (!before || !(activation === 'softmax' || activation === 'sigmoid')) return [];
  return [
    {
      kind: 'loss',
      severity: 'warning',
      title: `A softmax follows a ${activation}: its inputs lie between 0 and 1.`,
      text: 'From such inputs no class can have a share much larger than another: e times at most. Even a perfect model has a large loss, and gradients are small.',
      hint: `leave out the ${activation} before it.`,
      weights: [],
      ...facts.at(before),
    },
  ];
}

const isOutside = ({ layer }: ReportedCall): boolean => layer === null;
