/** @file Weights that are initialized to a single value: units that are equal stay equal. */
import type { ReportedWeight } from '../reportData.ts';
import { type Facts, listed, type Rule, short } from './facts.ts';

/**
 * Returns the kernels of a model whose values are equal throughout; none if one is random, which breaks the symmetry of
 * the units of all others.
 */
export function equalKernels(facts: Facts): readonly ReportedWeight[] {
  const kernels = facts.trained.filter(({ shape }) => shape.length > 1);
  return kernels.length > 1 && kernels.some(isWide) && kernels.every(isConstant) ? kernels : [];
}

export const sameUnits: Rule = (facts) => {
  const kernels = equalKernels(facts);
  const first = kernels.find(isWide);
  if (!first) return [];
  const names = kernels.map(({ name }) => name);
  return [
    {
      kind: 'same units',
      severity: 'error',
      title: `All units of a layer are the same: the values of ${listed(names)} are equal throughout.`,
      text: `'${first.name}' is ${short(first.values?.min)} everywhere. Units with equal weights have equal gradients, so that they stay equal: each layer does the work of one unit.`,
      hint: 'initialize kernels at random: glorotUniform, which is the default, or heNormal before relu.',
      weights: names,
      ...facts.at(facts.call(first.path.at(-1)?.call ?? null)),
    },
  ];
};

function isWide({ shape }: ReportedWeight): boolean {
  return (shape.at(-1) ?? 1) > 1;
}

function isConstant({ values }: ReportedWeight): boolean {
  return values !== null && values.count > 1 && values.min !== null && values.min === values.max;
}
