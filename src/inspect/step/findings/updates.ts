/** @file Problems of weight updates, and inputs that make learning hard. */
import type { Finding, ReportedCall, ReportedTensor, ReportedWeight } from '../reportData.ts';
import { readerAsTarget, readerWithWeights } from './dataReaders.ts';
import { type Facts, isAllZero, isSpecial, listed, type Rule, short, specOf } from './facts.ts';

/** A step that changes a weight by more than this fraction of its norm discards what it learned. */
const largeUpdate = 1;
/** From this fraction of its norm on, the change of a kernel is a jump. */
const notableUpdate = 0.25;
/** Inputs with larger values usually should be scaled. */
const largeInput = 50;
/** Pixels that were divided by 255 twice have no value above 0.004. */
const smallInput = 0.01;

export const updates: Rule = (facts) => {
  const compared = facts.trained.filter(({ update }) => update !== null);
  const kept = compared.filter(
    ({ update, gradientValues }) =>
      isAllZero(update) && !isAllZero(gradientValues) && !isSpecial(gradientValues),
  );
  const found: Finding[] = [];
  if (kept.length > 0 && kept.length === compared.length && hasOptimizer(facts)) {
    found.push({
      kind: 'update',
      severity: 'warning',
      title: 'The optimizer ran, and changed no weight.',
      text: 'Every weight has a gradient, and every update is exactly 0: the learning rate is 0, or so small that a float32 keeps its value.',
      hint: 'set a learning rate such as 0.001. A schedule that begins at 0, and gradients that are accumulated over several steps, look the same: inspect a later step.',
      weights: kept.map(({ name }) => name),
      ...facts.at(undefined),
    });
  }
  // A function that only computes gradients updates nothing.
  if (kept.length > 0 && kept.length < compared.length) {
    const names = kept.map(({ name }) => name);
    found.push({
      kind: 'update',
      severity: 'warning',
      title: `${listed(names)} ${names.length === 1 ? 'has' : 'have'} a gradient, but the step doesn't change ${names.length === 1 ? 'it' : 'them'}.`,
      text: 'Other weights are updated. The gradient is too small to change a float32, or the optimizer was not given these weights.',
      hint: 'pass all weights to optimizer.apply(gradients, weights).',
      weights: names,
      ...facts.at(undefined),
    });
  }
  return [...found, ...jumps(facts, compared)];
};

/** Returns the weights that one step changes by too much. */
function jumps(facts: Facts, compared: readonly ReportedWeight[]): Finding[] {
  const far = compared.filter(
    (weight) => ratioOf(weight) > (weight.shape.length > 1 ? notableUpdate : largeUpdate),
  );
  const worst = far.toSorted((a, b) => ratioOf(b) - ratioOf(a))[0];
  if (!worst) return [];
  const ratio = ratioOf(worst);
  const isLarge = ratio > largeUpdate;
  return [
    {
      kind: 'update',
      severity: isLarge ? 'warning' : 'note',
      title: `One step changes '${worst.name}' by ${isLarge ? `${short(ratio)} times` : `${short(100 * ratio)} % of`} its size.`,
      text: `Its norm is ${short(worst.values?.norm)}, that of the update ${short(worst.update?.norm)}. About a thousandth is usual.`,
      hint: 'lower the learning rate, or clip gradients (clipnorm in the optimizer).',
      weights: far.map(({ name }) => name),
      ...facts.at(undefined),
    },
  ];
}

/** Returns whether launches outside of ops were those of an optimizer: its kernels take gradients. */
function hasOptimizer({ data }: Facts): boolean {
  return data.outside.some(({ variant }) => /\bgradients: \d/.test(variant));
}

/**
 * Returns the norm of the update as a fraction of the weight's; 0 for a weight of zeros, which any step changes. Biases are
 * near zero for many steps, and their size isn't significant: it counts as at least 1 per value.
 */
function ratioOf({ update, values, shape }: ReportedWeight): number {
  if (!values?.norm) return 0;
  const size = shape.length > 1 ? values.norm : Math.max(values.norm, Math.sqrt(values.count));
  return (update?.norm ?? 0) / size;
}

export const inputs: Rule = (facts) =>
  facts.data.tensors.flatMap((tensor): Finding[] => {
    const { values, role, dtype, shape } = tensor;
    if (role !== 'input' || dtype !== 'float32' || shape.length < 2 || !values) return [];
    const largest = Math.max(Math.abs(values.min ?? 0), Math.abs(values.max ?? 0));
    if (largest === 0 || (largest <= largeInput && largest >= smallInput)) return [];
    const comparison = readerAsTarget(facts, tensor);
    if (comparison) return largest > largeInput ? [largeTargets(facts, tensor, comparison, largest)] : [];
    // Inputs that a layer scales before any weight reads them are scaled.
    const reader = readerWithWeights(facts, tensor);
    return reader ? [unscaled(facts, tensor, reader, largest)] : [];
  });

function largeTargets(facts: Facts, tensor: ReportedTensor, call: ReportedCall, largest: number): Finding {
  return {
    kind: 'input',
    severity: 'warning',
    title: `The targets ${nameOf(tensor)} have values up to ${short(largest)}.`,
    text: 'Predictions of a model that begins are about as large as one. The loss and its gradients are as large as the distance to the targets, and the first steps jump.',
    hint: 'subtract the mean of the targets and divide by their standard deviation; scale predictions back.',
    weights: [],
    ...facts.at(call),
  };
}

function unscaled(facts: Facts, tensor: ReportedTensor, call: ReportedCall, largest: number): Finding {
  const isLarge = largest > largeInput;
  return {
    kind: 'input',
    severity: 'note',
    title: `The input ${nameOf(tensor)} has ${isLarge ? 'values up to' : 'no value above'} ${short(largest)}.`,
    text: `Weights are initialized for inputs of a size of about one. ${isLarge ? 'Larger ones make the first steps jump.' : 'From such small ones the first layer learns very slowly.'}`,
    hint: isLarge
      ? 'scale it: divide pixels by 255, or use a normalization layer.'
      : 'look whether it was scaled twice, such as divided by 255 in two places, or use a normalization layer.',
    weights: [],
    ...facts.at(call),
  };
}

const nameOf = (tensor: ReportedTensor) => `${tensor.name ? `'${tensor.name}' ` : ''}${specOf(tensor)}`;
