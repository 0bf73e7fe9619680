/** @file Counts the steps of all optimizers, so that training can tell a step that applies no gradient. */

let steps = 0;

/** Calls of `apply` since the program began, replays not counted. */
export function appliedSteps(): number {
  return steps;
}

export function countAppliedStep(): void {
  steps++;
}
