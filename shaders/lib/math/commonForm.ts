/**
 * @file Cheaper expressions for common arguments. A software adapter computes both sides of every condition, so an invocation
 * first computes all its elements by the common form, and then the few rare ones again in a loop.
 */
import { type MathFunction, writtenMath } from './define.ts';

export interface CommonForm {
  readonly expression: string;
  /** WGSL condition that the elements need the complete expression. */
  readonly isRare: string;
  /** Functions that both call. */
  readonly functions: readonly MathFunction[];
}

/** A call whose arguments call nothing. */
const innermostCall = /\b(\w+)\(([^()]+)\)/g;

/** Returns the common form of an expression of operands; null if it has none. */
export function commonForm(expression: string): CommonForm | null {
  const functions = new Set<MathFunction>();
  const conditions = new Set<string>();
  const common = expression.replaceAll(innermostCall, (call, name: string, operands: string) => {
    const near = writtenMath(name)?.near;
    if (!near) return call;
    functions.add(near.compute).add(near.isRare);
    conditions.add(near.isRare(operands));
    return near.compute(operands);
  });
  if (conditions.size === 0) return null;
  return { expression: common, isRare: [...conditions].join(' | '), functions: [...functions] };
}
