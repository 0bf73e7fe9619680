/** @file Units of tanh and sigmoid that sit at the ends of their range, where the derivative is nearly zero. */
import type { ReportedCall, ReportedTensor, ValueStatistics } from '../reportData.ts';
import { activationOf, type Facts, listed, type Rule, short, specOf } from './facts.ts';

/** Share of a layer's outputs at the ends from which it counts as saturated. */
const saturatedShare = 0.9;
/** With fewer values a fraction isn't significant. */
const fewest = 32;

interface Range {
  readonly low: number;
  readonly high: number;
  readonly derivative: string;
}

/** Of an activation: its limits, and the largest derivative in the outermost 1/32 of the range at each end. */
const ranges: Readonly<Record<string, Range>> = {
  tanh: { low: -1, high: 1, derivative: '0.12' },
  sigmoid: { low: 0, high: 1, derivative: '0.03' },
};

export const saturation: Rule = (facts) => {
  const calls = facts.data.calls.filter((call) => isSaturated(facts, call));
  const [first, ...others] = calls;
  const [output] = first ? facts.outputsOf(first) : [];
  const values = output?.values;
  const activation = first && activationOf(first);
  const range = activation && ranges[activation];
  if (!first || !values || !range) return [];
  const [input] = facts.inputsOf(first);
  const before = first.op === activation ? input?.values : null;
  const layers = new Set(others.flatMap((call) => facts.layerOf(call) ?? []));
  return [
    {
      kind: 'saturated units',
      severity: 'warning',
      title: `Saturated ${activation}: ${short(100 * shareAtEnds(values, range))} % of the outputs of ${facts.nameOf(first)} are at the ends of its range.`,
      text: `${specOf(output)} lies between ${short(values.min)} and ${short(values.max)}${before ? `, from inputs between ${short(before.min)} and ${short(before.max)}` : ''}. There the derivative is below ${range.derivative}: hardly any gradient gets through to this layer and those before it, and its outputs no longer tell inputs apart.${layers.size > 0 ? ` So it is in ${listed([...layers])}.` : ''}`,
      hint: 'scale the inputs to a size of about one, initialize by glorotUniform, put a normalization layer before the activation, lower the learning rate, or use relu or gelu.',
      weights: [],
      ...facts.at(first),
    },
  ];
};

function isSaturated(facts: Facts, call: ReportedCall): boolean {
  const range = ranges[activationOf(call)];
  const [output] = facts.outputsOf(call);
  if (call.backward || !call.leadsToLoss || !range || !output?.values || !isHidden(facts, output))
    return false;
  return output.values.count >= fewest && shareAtEnds(output.values, range) >= saturatedShare;
}

/**
 * Returns whether a layer with weights reads it: at the end of a model, and for gates that only multiply, confidence is not a
 * fault.
 */
function isHidden(facts: Facts, output: ReportedTensor): boolean {
  return facts
    .readersOf(output.id)
    .some(
      (reader) =>
        reader.leadsToLoss &&
        facts.inputsOf(reader).some(({ role, shape }) => role === 'weight' && shape.length > 1),
    );
}

/**
 * Returns how much of the values lies in the outermost 1/32 of the range at each end; those between are counted as inner ones.
 */
function shareAtEnds({ histogram, min, max, count }: ValueStatistics, { low, high }: Range): number {
  if (min === null || max === null || count === 0) return 0;
  const edge = (high - low) / 32;
  const width = (max - min) / histogram.length;
  if (width === 0) return min <= low + edge || max >= high - edge ? 1 : 0;
  const outer = histogram.filter(
    (_, i) => min + (i + 1) * width <= low + edge || min + i * width >= high - edge,
  );
  return outer.reduce((sum, values) => sum + values, 0) / count;
}
