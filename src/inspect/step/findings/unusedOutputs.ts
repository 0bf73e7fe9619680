/** @file Outputs of the last layer that the loss doesn't depend on. */
import type { Finding, ReportedCall, ReportedWeight } from '../reportData.ts';
import { activationOf, type Facts, isAllZero, type Rule } from './facts.ts';

/**
 * Detected by the gradient of the last bias, which is nonzero for outputs that the loss reads. Only after a linear layer, since
 * other activations may have derivatives of zero.
 */
export const unusedOutputs: Rule = (facts) =>
  facts.trained.flatMap((weight) => unused(facts, weight)).slice(0, 1);

function unused(facts: Facts, weight: ReportedWeight): Finding[] {
  const { gradientValues, shape, path } = weight;
  const [units = 0] = shape;
  const call = facts.call(path.at(-1)?.call ?? null);
  if (
    !call ||
    !gradientValues ||
    shape.length !== 1 ||
    isAllZero(gradientValues) ||
    !isLast(facts, call, path)
  )
    return [];
  const count = gradientValues.zeros;
  if (count === 0 || activationOf(call) !== 'linear' || facts.outputsOf(call)[0]?.shape.at(-1) !== units)
    return [];
  return [
    {
      kind: 'loss',
      severity: 'note',
      title: `The loss doesn't depend on ${count} of ${units} outputs of ${facts.nameOf(call)} in this step.`,
      text: `The gradient of '${weight.name}' is exactly 0 for ${count === 1 ? 'it' : 'them'}: no sample of this step trains ${count === 1 ? 'this output' : 'these outputs'}.`,
      hint: 'look at which outputs the loss reads: a slice, an index, a mask, fewer targets than outputs. Where each sample picks one output (actions in reinforcement learning), larger batches reach more.',
      weights: [weight.name],
      ...facts.at(call),
    },
  ];
}

/** Returns whether all other calls between the loss and `call` are outside of layers. */
function isLast(facts: Facts, call: ReportedCall, path: ReportedWeight['path']): boolean {
  return call.layer !== null && path.slice(0, -1).every(({ call: id }) => facts.call(id)?.layer === null);
}
