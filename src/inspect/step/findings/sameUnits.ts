/** @file Weights that begin with one value: units that are the same stay the same. */
import type { ReportedWeight } from '../reportData.ts';
import { listed, type Rule, short } from './facts.ts';

/** One random kernel is enough to tell the units of all others apart. */
export const sameUnits: Rule = (facts) => {
  const kernels = facts.trained.filter(({ shape }) => shape.length > 1);
  const wide = kernels.filter(({ shape }) => (shape.at(-1) ?? 1) > 1);
  if (kernels.length < 2 || wide.length === 0 || !kernels.every(isConstant)) return [];
  const names = kernels.map(({ name }) => name);
  const [first] = wide as [ReportedWeight, ...ReportedWeight[]];
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

function isConstant({ values }: ReportedWeight): boolean {
  return values !== null && values.count > 1 && values.min !== null && values.min === values.max;
}
