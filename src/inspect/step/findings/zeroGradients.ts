/** @file Gradients that are exactly zero, and the call that causes it: a dead relu, a saturated activation. */
import type { Finding, ReportedCall, ReportedTensor, ReportedWeight } from '../reportData.ts';
import { type Facts, isAllZero, listed, type Rule, short, specOf } from './facts.ts';
import { equalKernels } from './sameUnits.ts';

/** Fraction of dead units from which a layer gets a warning. */
const manyDead = 0.5;

export const zeroGradients: Rule = (facts) => {
  const zero = facts.trained.filter(({ gradientValues }) => isAllZero(gradientValues));
  const byCause = new Map<ReportedCall | null, ReportedWeight[]>();
  for (const weight of zero) {
    const cause = causeOf(facts, weight);
    byCause.set(cause, [...(byCause.get(cause) ?? []), weight]);
  }
  const explained = new Set([...byCause.keys()].map((call) => call?.id));
  // Kernels of a single value, which let no gradient pass, are already a finding.
  const equal = new Set(equalKernels(facts).map(({ tensor }) => tensor));
  const found = [...byCause]
    .filter(([call]) => !call?.inputs.some((id) => equal.has(id)))
    .map(([call, weights]) => finding(facts, call, weights));
  return [...found, ...deadUnits(facts, explained)];
};

/** Returns the call at which the gradient becomes zero on its way from the loss; null if it is zero from the loss on. */
function causeOf(facts: Facts, { tensor }: ReportedWeight): ReportedCall | null {
  if (tensor === null) return null;
  const seen = new Set<number>([tensor]);
  for (const id of seen) {
    for (const call of facts.readersOf(id)) {
      const [output] = facts.outputsOf(call);
      if (!call.leadsToLoss || !output?.gradient) continue;
      if (!isAllZero(output.gradient)) return zeroFactor(facts, call, id) ?? call;
      seen.add(output.id);
    }
  }
  return null;
}

/** Returns the relu that computed the other factor, if a gradient is zero because that factor is; otherwise null. */
function zeroFactor(facts: Facts, call: ReportedCall, tensor: number): ReportedCall | null {
  for (const input of facts.inputsOf(call)) {
    const relu = input.id === tensor ? null : deadRelu(facts, input);
    if (relu) return relu;
  }
  return null;
}

/** Returns the relu that a tensor of zeros comes from, such as the pooled output of a dead one; null if there is none. */
function deadRelu(facts: Facts, tensor: ReportedTensor): ReportedCall | null {
  let zeros: ReportedTensor | undefined = isAllZero(tensor.values) ? tensor : undefined;
  while (zeros) {
    const maker = facts.call(zeros.maker);
    if (!maker || isReluCall(maker)) return maker ?? null;
    zeros = facts.inputsOf(maker).find(({ values }) => isAllZero(values));
  }
  return null;
}

function finding(facts: Facts, call: ReportedCall | null, weights: readonly ReportedWeight[]): Finding {
  const names = weights.map(({ name }) => name);
  const common = { weights: names, ...facts.at(call ?? undefined) };
  const consequence = `The gradient of ${listed(names)} is exactly 0, so ${names.length === 1 ? 'it doesn’t' : 'they don’t'} learn.`;
  if (!call)
    return {
      kind: 'zero gradient',
      severity: 'error',
      title: 'The loss has a gradient of exactly zero.',
      text: `${consequence} It is zero from the loss on: the loss doesn't change where its inputs do.`,
      hint: 'look at the loss: a product with zero (sample weights, a mask), a clipped or rounded value.',
      ...common,
    };
  const [output] = facts.outputsOf(call);
  const relu = isReluCall(call);
  const [input] = facts.inputsOf(call);
  const empty = facts.inputsOf(call).find(({ role, values }) => role === 'input' && isAllZero(values));
  if (empty && empty.shape.length > 1)
    return {
      kind: 'input',
      severity: 'error',
      title: `The input ${specOf(empty)} is 0 everywhere.`,
      text: `Whatever ${facts.nameOf(call)} multiplies by it is 0, too. ${consequence}`,
      hint: 'look at how the data is read and scaled: integers may have been rounded to 0, or the buffer was never filled.',
      ...common,
    };
  if (relu && output && isAllZero(output.values)) {
    const bare = /^relu6?$/.test(call.op) && input?.values;
    return {
      kind: 'dead units',
      severity: 'error',
      title: `Dead relu: all ${output.values?.count} outputs of ${facts.nameOf(call)} are zero.`,
      text: `${bare ? `Its inputs lie between ${short(input.values?.min)} and ${short(input.values?.max)}, none of them above zero` : 'Nothing that goes into the relu is above zero'}, where a relu is 0 and so is its derivative. ${consequence} No step on such inputs can bring these units back.`,
      hint: 'lower the learning rate, set the bias to zero or a small positive value, initialize again (heNormal), or use leakyRelu or elu.',
      ...common,
    };
  }
  const zeros = facts.inputsOf(call).find(({ role, values }) => role === 'weight' && isAllZero(values));
  if (zeros && zeros.shape.length > 1)
    return { ...weightOfZeros(facts, call, zeros, consequence), ...common };
  return {
    kind: 'zero gradient',
    severity: 'error',
    title: `The gradient becomes exactly zero in ${facts.nameOf(call)}.`,
    text: `${output ? `Its output ${specOf(output)} lies between ${short(output.values?.min)} and ${short(output.values?.max)}, and the gradient that comes to it has the norm ${short(output.gradient?.norm)}; behind it nothing is left. ` : ''}${consequence}`,
    hint: 'the op is constant at these inputs: a saturated or clipped value, a product with zero. Scale its inputs, or replace it.',
    ...common,
  };
}

/** A finding about a weight of zeros, which multiplies every gradient by zero until it is updated itself. */
function weightOfZeros(facts: Facts, call: ReportedCall, zeros: ReportedTensor, consequence: string) {
  const learns = facts.trained.some(
    ({ tensor, gradientValues }) => tensor === zeros.id && !isAllZero(gradientValues),
  );
  return {
    kind: 'zero gradient',
    severity: learns ? 'warning' : 'error',
    title: `A weight of zeros stops the gradient in ${facts.nameOf(call)}.`,
    text: `'${zeros.name}' ${specOf(zeros)} is 0 everywhere, and so is the gradient of what it multiplies. ${consequence}${learns ? ' It learns itself: from the next step on the gradient passes.' : ''}`,
    hint: 'initialize it at random: glorotUniform, or heNormal before relu.',
  } as const;
}

/**
 * Returns the relus with many units that are zero for every sample: those that are dead throughout, and one finding for all
 * others.
 */
function deadUnits(facts: Facts, explained: ReadonlySet<number | undefined>): Finding[] {
  const shares = facts.data.calls.flatMap((call) => {
    const { dead = 0, units = 0 } = facts.outputsOf(call)[0]?.deadUnits ?? {};
    return explained.has(call.id) || units === 0 || dead / units < manyDead ? [] : [{ call, dead, units }];
  });
  const partly = shares
    .filter(({ dead, units }) => dead < units)
    .toSorted((a, b) => b.dead / b.units - a.dead / a.units);
  const wholly = shares.filter(({ dead, units }) => dead === units);
  return [...wholly, ...partly.slice(0, 1)].map(({ call, dead, units }): Finding => {
    const isAll = dead === units;
    const [output] = facts.outputsOf(call);
    const others = partly.slice(1).flatMap((other) => facts.layerOf(other.call) ?? []);
    return {
      kind: 'dead units',
      severity: isAll ? 'error' : 'warning',
      title: isAll
        ? `Dead relu: all ${units} units of ${facts.nameOf(call)} are zero for the whole batch.`
        : `${dead} of ${units} units of ${facts.nameOf(call)} are zero for the whole batch.`,
      text: `A unit that is zero for every sample has a gradient of zero: what leads only to it doesn't learn. ${short((100 * (output?.values?.zeros ?? 0)) / (output?.values?.count ?? 1))} % of the outputs ${output ? specOf(output) : ''} are zero.${isAll || others.length === 0 ? '' : ` At least half of the units are zero in ${listed(others)}, too.`}`,
      hint: 'lower the learning rate, initialize by heNormal, or use leakyRelu or elu. A small batch shows units as dead that others wake.',
      weights: [],
      ...facts.at(call),
    };
  });
}

function isReluCall({ op, options }: ReportedCall): boolean {
  return /^relu6?$/.test(op) || /\bactivation: relu6?\b/.test(options);
}
