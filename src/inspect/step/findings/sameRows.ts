/** @file Data without a signal: all samples, or all targets, are the same. */
import type { Finding, ReportedCall, ReportedTensor } from '../reportData.ts';
import { picksLabels, readerAsTarget, readerWithWeights } from './dataReaders.ts';
import { type Facts, isAllZero, type Rule, short, specOf } from './facts.ts';

/** Fewer targets may be the same by chance. */
const minTargets = 16;
const minSamples = 4;

interface Data {
  readonly tensor: ReportedTensor;
  /** What reads it, behind ops that only move values. */
  readonly reader: ReportedCall;
}

export const sameRows: Rule = (facts) => {
  const data = facts.data.tensors.filter(
    ({ role, sameRows: same, shape }) => role === 'input' && same !== null && (shape[0] ?? 0) >= minSamples,
  );
  const targets = data.flatMap((tensor) => withReader(tensor, readerAsTarget(facts, tensor)));
  const rest = data.filter((tensor) => !targets.some((target) => target.tensor === tensor));
  const samples = rest.flatMap((tensor) => withReader(tensor, readerWithWeights(facts, tensor)));
  const constant = targets.find(({ tensor }) => tensor.sameRows && (tensor.shape[0] ?? 0) >= minTargets);
  const [first] = samples;
  const isOneSample =
    rest.every((tensor) => tensor.sameRows) && targets.some(({ tensor }) => !tensor.sameRows);
  return [
    // That data are 0 everywhere is found with the gradients.
    ...(first && isOneSample && !isAllZero(first.tensor.values) ? [equalSamples(facts, first)] : []),
    ...(constant ? [equalTargets(facts, constant)] : []),
  ];
};

function withReader(tensor: ReportedTensor, reader: ReportedCall | undefined): Data[] {
  return reader ? [{ tensor, reader }] : [];
}

function equalSamples(facts: Facts, { tensor, reader }: Data): Finding {
  const count = tensor.shape[0] ?? 0;
  return {
    kind: 'input',
    severity: 'error',
    title: `All ${count} samples of the input ${specOf(tensor)} are the same, but their targets differ.`,
    text: 'A model gives the same prediction for the same input. The best it can learn here is the mean of the targets.',
    hint: 'look at how the batch is made: one sample repeated, data that was overwritten or never filled, a scaling that makes everything 0.',
    weights: [],
    ...facts.at(reader),
  };
}

function equalTargets(facts: Facts, { tensor, reader }: Data): Finding {
  const { min = null, max = null } = tensor.values ?? {};
  const isClass = picksLabels.test(reader.op);
  const what = isClass ? 'labels' : 'targets';
  const value = min !== null && min === max ? `: ${short(min)}` : '';
  return {
    kind: 'input',
    // All of one kind: usual where two networks play against each other, or one class is rare.
    severity: isClass ? 'warning' : 'note',
    title: `All ${tensor.shape[0]} ${what} of this step are the same${value}.`,
    text: `${specOf(tensor)} doesn't depend on the input, so the step only teaches the model to answer always the same. Batches of sorted data are like this, and so are ${what} that were read wrongly.`,
    hint: `look at ${what} and their order: shuffle the data (fit does, dataset.shuffle), and compare a few ${what} with their samples.`,
    weights: [],
    ...facts.at(reader),
  };
}
