/** @file What optimizers have updated, so that training can tell a step or a variable that no gradient is applied to. */
import type { Variable } from '../tensor/variable.ts';

let steps = 0;
const optimized = new WeakSet<Variable>();

/** Calls of `apply` since the program began, replays not counted. */
export function appliedSteps(): number {
  return steps;
}

export function countAppliedStep(): void {
  steps++;
}

/** Whether any optimizer was built for `variable`. */
export function isOptimized(variable: Variable): boolean {
  return optimized.has(variable);
}

export function noteOptimized(variables: readonly Variable[]): void {
  for (const variable of variables) optimized.add(variable);
}
