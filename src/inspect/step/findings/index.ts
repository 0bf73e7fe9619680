/** @file Findings: problems and notable facts of a step, in words, the worst first. */
import type { Finding, Severity, StepReportData } from '../reportData.ts';
import { disconnected } from './disconnected.ts';
import { Facts, type Rule } from './facts.ts';
import { faults } from './faults.ts';
import { gradientFlow } from './gradientFlow.ts';
import { lossInputs } from './lossInputs.ts';
import { nonFinite } from './nonFinite.ts';
import { sameUnits } from './sameUnits.ts';
import { softmaxes } from './softmaxes.ts';
import { inputs, updates } from './updates.ts';
import { zeroGradients } from './zeroGradients.ts';

const rules: readonly Rule[] = [
  faults,
  nonFinite,
  softmaxes,
  lossInputs,
  disconnected,
  sameUnits,
  zeroGradients,
  gradientFlow,
  updates,
  inputs,
];

const aboutGradients: readonly Rule[] = [zeroGradients, gradientFlow];

const order: readonly Severity[] = ['error', 'warning', 'note'];

/** The findings for a report that has none yet. */
export function findingsOf(data: StepReportData, errors: readonly Error[]): Finding[] {
  const facts = new Facts(data);
  // Where predictions can't change, what follows for gradients needs no findings of its own.
  const isStuck = softmaxes(facts, errors).some(({ severity }) => severity === 'error');
  const applied = isStuck ? rules.filter((rule) => !aboutGradients.includes(rule)) : rules;
  const found = applied.flatMap((rule) => rule(facts, errors));
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
