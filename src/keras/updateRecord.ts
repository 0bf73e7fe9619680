/**
 * @file Records what optimizers have updated, so that training can detect steps and variables to which no gradient is applied.
 */
import type { Variable } from '../tensor/variable.ts';

let steps = 0;
const optimized = new WeakSet<Variable>();

/** Returns the number of calls of `apply` since the program started, not counting replays. */
export function appliedSteps(): number {
  return steps;
}

export function countAppliedStep(): void {
  steps++;
}

/** Returns whether any optimizer was built for `variable`. */
export function isOptimized(variable: Variable): boolean {
  return optimized.has(variable);
}

export function noteOptimized(variables: readonly Variable[]): void {
  for (const variable of variables) optimized.add(variable);
}
