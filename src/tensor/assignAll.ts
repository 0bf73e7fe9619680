/** @file Assigning several variables, all or none. */
import { alias, type Tensor } from './tensor.ts';
import type { Variable } from './variable.ts';

export type Assignment = readonly [variable: Variable, value: Tensor];

/**
 * Gives each variable its value, or throws and changes none. A value may itself be one of the variables, as when two
 * are swapped.
 * Errors: as `Variable.assign`.
 */
export function assignAll(assignments: readonly Assignment[]): void {
  for (const [variable, value] of assignments) variable.requireAssignable(value);
  const held = assignments.map(([variable, value]) => [variable, alias(value)] as const);
  for (const [variable, value] of held) variable.assign(value);
  for (const [, value] of held) value.dispose();
}
