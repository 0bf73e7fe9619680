/** @file Predictions and targets that don't suit the loss, or each other. */
import type { Finding, ReportedCall, ReportedTensor, ValueStatistics } from '../reportData.ts';
import { activationOf, type Facts, type Rule, short, specOf } from './facts.ts';

/** The tolerance for rounding of probabilities. */
const tolerance = 1e-3;

export const lossInputs: Rule = (facts) => {
  const calls = facts.data.calls.filter(
    ({ backward, leadsToLoss, layer }) => !backward && leadsToLoss && layer === null,
  );
  return [
    ...calls.flatMap((call) => notProbabilities(facts, call)).slice(0, 1),
    ...calls.flatMap((call) => twice(facts, call)).slice(0, 1),
    ...calls.flatMap((call) => targetsOfCrossentropy(facts, call)).slice(0, 1),
    ...calls.flatMap((call) => differences(facts, call)).slice(0, 1),
  ];
};

/** Crossentropies clip probabilities to [1e-7, 1 - 1e-7]; logits are mostly outside of it. */
function isClipOfProbabilities({ op, options }: ReportedCall): boolean {
  return op === 'clip' && /\bmin: 1e-7\b/.test(options) && /\bmax: 0\.999999\d/.test(options);
}

function notProbabilities(facts: Facts, call: ReportedCall): Finding[] {
  const [clipped] = facts.inputsOf(call);
  if (!isClipOfProbabilities(call) || !clipped?.gradient || isWithin(clipped.values, 0, 1)) return [];
  // categoricalCrossentropy divides by the sum before.
  const maker = facts.call(clipped.maker);
  const given = (maker?.op === 'div' && maker.layer === null && facts.inputsOf(maker)[0]) || clipped;
  return [
    {
      kind: 'loss',
      severity: 'error',
      title: `The loss takes probabilities, but the predictions lie between ${short(given.values?.min)} and ${short(given.values?.max)}.`,
      text: `${specOf(given)} are logits, or other values that are no shares of 1. The loss clips them to the range from 0 to 1: outside of it the gradient is zero, and inside it means nothing.`,
      hint: 'pass fromLogits: true to the loss, or end the model in a softmax (one class of several) or a sigmoid (yes or no).',
      weights: [],
      ...facts.at(facts.call(given.maker) ?? call),
    },
  ];
}

/** The function that a loss from logits applies, and the activations that have already applied it. */
const ofLogits: Readonly<Record<string, string>> = { logSoftmax: 'softmax', softplus: 'sigmoid' };

function twice(facts: Facts, call: ReportedCall): Finding[] {
  const activation = ofLogits[call.op];
  if (!activation) return [];
  const [input] = facts.inputsOf(call);
  const maker = facts.call(input?.maker ?? null);
  const before = maker?.op === 'neg' ? facts.call(facts.inputsOf(maker)[0]?.maker ?? null) : maker;
  if (!before || activationOf(before) !== activation) return [];
  return [
    {
      kind: 'loss',
      severity: 'warning',
      title: `The loss takes logits, but the predictions come from a ${activation} already.`,
      text: `With fromLogits: true the loss applies a ${activation} of its own. After two of them even a perfect prediction has a loss far above 0, and gradients are small.`,
      hint: `leave out fromLogits, or the ${activation} at the end of the model.`,
      weights: [],
      ...facts.at(before),
    },
  ];
}

/** Targets t of t·log(p) + (1 - t)·log(1 - p), and of t·log(p). */
function targetsOfCrossentropy(facts: Facts, call: ReportedCall): Finding[] {
  if (call.op !== 'mul') return [];
  const operands = facts.inputsOf(call);
  const logarithm = operands.find((operand) => isLogarithm(facts, operand));
  const targets = operands.find((operand) => operand !== logarithm && !operand.gradient);
  if (!logarithm || !targets || isWithin(targets.values, 0, 1)) return [];
  return [
    {
      kind: 'loss',
      severity: 'error',
      title: `Targets of the crossentropy must lie between 0 and 1, and lie between ${short(targets.values?.min)} and ${short(targets.values?.max)}.`,
      text: `${specOf(targets)} are labels or other numbers, not probabilities. With targets above 1 the loss falls without end, below 0, and what it trains is not what the labels say.`,
      hint: 'for two classes use labels 0 and 1; for numbers of classes use sparseCategoricalCrossentropy, with a unit for each class.',
      weights: [],
      ...facts.at(call),
    },
  ];
}

/** The logarithm of a clipped probability, or of a sigmoid of logits whose complement is a part of the loss, too. */
function isLogarithm(facts: Facts, { maker }: ReportedTensor): boolean {
  const call = facts.call(maker);
  if (!call || call.layer !== null) return false;
  const [input] = facts.inputsOf(call);
  const before = facts.call(input?.maker ?? null);
  if (call.op === 'log') return before !== undefined && isClipOfProbabilities(before);
  if (call.op !== 'softplus' || before?.op !== 'neg') return false;
  const [logits] = before.inputs;
  return facts.readersOf(logits ?? -1).some(({ op }) => op === 'softplus');
}

/** Predictions and targets whose difference is taken. */
function differences(facts: Facts, call: ReportedCall): Finding[] {
  if (call.op !== 'sub' && call.op !== 'squaredDifference') return [];
  const operands = facts.inputsOf(call);
  const targets = operands.find(({ gradient, role }) => !gradient && role !== 'weight');
  const predictions = operands.find(({ gradient, role }) => gradient && role === 'activation');
  if (!targets || !predictions) return [];
  return [...columnAndRow(facts, call, predictions, targets), ...outOfReach(facts, predictions, targets)];
}

/** [n, 1] minus [n] is [n, n]: every prediction is compared with every target. */
function columnAndRow(
  facts: Facts,
  call: ReportedCall,
  predictions: ReportedTensor,
  targets: ReportedTensor,
): Finding[] {
  const [row = [], column = []] = [predictions.shape, targets.shape].toSorted((a, b) => a.length - b.length);
  const [count = 0] = row;
  if (count < 2 || row.length !== 1 || column.join() !== `${count},1`) return [];
  return [
    {
      kind: 'loss',
      severity: 'error',
      title: `The loss compares every prediction with every target: ${specOf(predictions)} and ${specOf(targets)} broadcast to [${count}, ${count}].`,
      text: 'Of such a loss the best prediction is the mean of all targets, the same for each sample.',
      hint: 'give both the same shape: reshape(y, { shape: [-1, 1] }), or squeeze the predictions.',
      weights: [],
      ...facts.at(call),
    },
  ];
}

/** The ranges of activations. */
const ranges: Readonly<Record<string, readonly [number, number]>> = {
  sigmoid: [0, 1],
  softmax: [0, 1],
  tanh: [-1, 1],
  relu: [0, Number.POSITIVE_INFINITY],
  relu6: [0, 6],
};

function outOfReach(facts: Facts, predictions: ReportedTensor, targets: ReportedTensor): Finding[] {
  const maker = facts.call(predictions.maker);
  const activation = maker && activationOf(maker);
  const [low, high] = (activation && ranges[activation]) || [];
  if (!maker || low === undefined || high === undefined || isWithin(targets.values, low, high)) return [];
  // A constant that shifts predictions isn't a target.
  if (targets.values?.count !== predictions.values?.count) return [];
  const reach = Number.isFinite(high) ? `between ${low} and ${high}` : 'of 0 and above';
  return [
    {
      kind: 'loss',
      severity: 'warning',
      title: `Targets lie between ${short(targets.values?.min)} and ${short(targets.values?.max)}, but ${activation} only gives values ${reach}.`,
      text: `The predictions ${specOf(predictions)} can't reach the targets ${specOf(targets)}: the loss stays large, and units at the edge of the range have hardly any gradient.`,
      hint: `leave out the activation of the last layer (linear), or scale the targets to values ${reach}.`,
      weights: [],
      ...facts.at(maker),
    },
  ];
}

function isWithin(values: ValueStatistics | null, low: number, high: number): boolean {
  if (!values || values.min === null || values.max === null) return true;
  return values.min >= low - tolerance && values.max <= high + tolerance;
}
