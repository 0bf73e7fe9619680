/** @file Findings: problems and notable facts of a step, the worst first. */
import type { Finding, Severity, StepReportData } from '../reportData.ts';
import { disconnected } from './disconnected.ts';
import { Facts, isSpecial, type Rule } from './facts.ts';
import { faults } from './faults.ts';
import { gradientFlow } from './gradientFlow.ts';
import { inferenceMode } from './inferenceMode.ts';
import { learningRate } from './learningRate.ts';
import { lossInputs } from './lossInputs.ts';
import { nonFinite } from './nonFinite.ts';
import { sameRows } from './sameRows.ts';
import { sameUnits } from './sameUnits.ts';
import { saturation } from './saturation.ts';
import { softmaxes } from './softmaxes.ts';
import { unusedOutputs } from './unusedOutputs.ts';
import { inputs, updates } from './updates.ts';
import { zeroGradients } from './zeroGradients.ts';

const rules: readonly Rule[] = [
  faults,
  nonFinite,
  softmaxes,
  lossInputs,
  disconnected,
  unusedOutputs,
  inferenceMode,
  sameRows,
  sameUnits,
  zeroGradients,
  gradientFlow,
  saturation,
  updates,
  learningRate,
  inputs,
];

const aboutGradients: readonly Rule[] = [zeroGradients, gradientFlow, saturation, unusedOutputs];

const order: readonly Severity[] = ['error', 'warning', 'note'];

/** Returns the findings for a report that has none yet. */
export function findingsOf(data: StepReportData, errors: readonly Error[]): Finding[] {
  const facts = new Facts(data);
  // If predictions can't change, or a weight is already NaN, the consequences for gradients need no separate findings.
  const isStuck = softmaxes(facts, errors).some(({ severity }) => severity === 'error');
  const isSpoilt = data.tensors.some(({ role, values }) => role === 'weight' && isSpecial(values));
  const applied = isStuck || isSpoilt ? rules.filter((rule) => !aboutGradients.includes(rule)) : rules;
  const found = applied.flatMap((rule) => rule(facts, errors));
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
