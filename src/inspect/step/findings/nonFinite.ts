/** @file The first NaN or infinity: where it was computed, from which inputs, and what it affects. */
import { IndexOutOfRangeError } from '../../../core/errors.ts';
import type { Finding, ReportedCall, ReportedTensor } from '../reportData.ts';
import { type Facts, isSpecial, type Rule, short, specOf } from './facts.ts';
import { growthIn } from './growth.ts';

/** Largest argument of exp in float32. */
const largestExponent = 88.7;

export const nonFinite: Rule = (facts, errors) => {
  // An out-of-range index leads to undefined values, which its own finding covers.
  if (errors.some((error) => error instanceof IndexOutOfRangeError)) return [];
  const { calls, tensors } = facts.data;
  const given = tensors.find(({ maker, values }) => maker === null && isSpecial(values));
  if (given) return [inData(facts, given)];
  const first = calls.find((call) => facts.outputsOf(call).some(({ values }) => isSpecial(values)));
  if (!first) return [];
  const harm = harmOf(facts);
  const output = facts.outputsOf(first).find(({ values }) => isSpecial(values)) as ReportedTensor;
  // Masks contain infinities, which softmax turns into zeros.
  if (harm === null && !tensors.some(({ values }) => (values?.nans ?? 0) > 0)) return [];
  const { nans, infinities, count, firstNonFinite } = output.values as NonNullable<ReportedTensor['values']>;
  const kind = nans > 0 ? 'NaN' : 'infinity';
  const inputs = facts.inputsOf(first).map((input) => describeInput(input));
  const growth = growthIn(facts, first);
  return [
    {
      kind: 'non-finite',
      severity: 'error',
      title: `The first ${kind} of the step is made by ${facts.nameOf(first)}.`,
      text: [
        `Its output ${specOf(output)} holds ${nans} NaN and ${infinities} infinities among ${count} values, the first at position [${unravel(firstNonFinite ?? 0, output.shape).join(', ')}].`,
        inputs.length > 0 ? `Its inputs were finite: ${inputs.join('; ')}.` : '',
        causeOf(facts, first) ?? '',
        growth ?? '',
        harm ?? '',
      ]
        .filter(Boolean)
        .join('\n'),
      hint: hintOf(first, growth !== null),
      weights: [],
      ...facts.at(first),
    },
  ];
};

function inData(facts: Facts, tensor: ReportedTensor): Finding {
  const { nans, infinities, firstNonFinite } = tensor.values as NonNullable<ReportedTensor['values']>;
  const isWeight = tensor.role === 'weight';
  const [reader] = facts.readersOf(tensor.id);
  const what = `${isWeight ? 'weight' : 'input'}${tensor.name ? ` '${tensor.name}'` : ''} ${specOf(tensor)}`;
  return {
    kind: 'non-finite',
    severity: 'error',
    title: `The ${what} holds ${nans > 0 ? 'NaN' : 'infinities'} before the step begins.`,
    text: `It has ${nans} NaN and ${infinities} infinities, the first at position [${unravel(firstNonFinite ?? 0, tensor.shape).join(', ')}]. ${isWeight ? 'An earlier step made them.' : 'Whatever is computed from them is spoilt, and one step makes every weight NaN.'}`,
    hint: isWeight
      ? 'inspect an earlier step, from a checkpoint with finite weights, and lower the learning rate or clip gradients.'
      : 'repair the data, or leave such samples out.',
    weights: isWeight && tensor.name ? [tensor.name] : [],
    ...facts.at(reader),
  };
}

/** Returns what the value affects; null if it has no effect. */
function harmOf(facts: Facts): string | null {
  const { data } = facts;
  const spoilt = data.weights.filter(
    ({ gradientValues, update }) => isSpecial(gradientValues) || isSpecial(update),
  );
  if (spoilt.length > 0)
    return `It reaches the gradients of ${spoilt.length} of ${data.weights.length} weights: the step makes them NaN, and nothing is learned from here on.`;
  const losses = data.calls.filter(({ leadsToLoss, backward }) => leadsToLoss && !backward);
  const last = losses.at(-1);
  return last && facts.outputsOf(last).some(({ values }) => isSpecial(values))
    ? 'It reaches the result.'
    : null;
}

function describeInput({ values, name, role, ...tensor }: ReportedTensor): string {
  const what = name ? `'${name}' ${specOf(tensor)}` : specOf(tensor);
  return `${what} from ${short(values?.min)} to ${short(values?.max)}`;
}

/** Returns why an op with these inputs computes such values; null if there is no obvious cause. */
function causeOf(facts: Facts, call: ReportedCall): string | null {
  const [a, b] = facts.inputsOf(call).map(({ values }) => values);
  const op = call.backward?.op ?? call.op;
  const low = a?.min ?? 0;
  const high = a?.max ?? 0;
  if (/^log(2|10|1p)?$/.test(op) && low <= (op === 'log1p' ? -1 : 0))
    return `${op} of ${low < 0 ? 'a negative number is NaN' : 'zero is −infinity'}: its input goes down to ${short(low)}.`;
  if (/^(sqrt|rsqrt)$/.test(op) && low <= 0)
    return low < 0
      ? `${op} of a negative number is NaN.`
      : `${op} has no finite derivative at zero, which its input contains.`;
  if (/^exp(m1)?$/.test(op) && high > largestExponent)
    return `${op} overflows float32 above ${largestExponent}; its input goes up to ${short(high)}.`;
  if (op === 'div' && (b?.zeros ?? 0) > 0) return `It divides by zero: ${b?.zeros} of its divisors are 0.`;
  if (op === 'reciprocal' && (a?.zeros ?? 0) > 0)
    return `It divides by zero: ${a?.zeros} of its inputs are 0.`;
  if (op === 'pow' && low < 0)
    return 'a power of a negative number is NaN unless the exponent is an integer.';
  if (Math.max(Math.abs(low), Math.abs(high)) > 1e15)
    return `Its inputs are so large (${short(Math.max(Math.abs(low), Math.abs(high)))}) that the result overflows float32, which ends at 3.4e38.`;
  return null;
}

function hintOf({ op, backward }: ReportedCall, grows: boolean): string {
  if (grows)
    return 'make the recurrence stable: orthogonal initialization, a bounded activation (tanh), gated cells (LSTM, GRU), or clipnorm in the optimizer.';
  const base = backward?.op ?? op;
  if (/^log/.test(base))
    return 'keep its input positive: clip it, add a small constant, or compute from logits (fromLogits: true, logSoftmax).';
  if (/^exp/.test(base)) return 'subtract the maximum before exp (softmax, logSumExp do), or clip its input.';
  if (/^(div|reciprocal|rsqrt|sqrt)$/.test(base))
    return 'add a small constant to the divisor or below the root.';
  return 'lower the learning rate, clip gradients (clipnorm), or scale the inputs.';
}

function unravel(flat: number, shape: readonly number[]): number[] {
  let rest = flat;
  return shape
    .toReversed()
    .map((size) => {
      const index = rest % size;
      rest = Math.floor(rest / size);
      return index;
    })
    .reverse();
}
