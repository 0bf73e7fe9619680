/**
 * @file Composite ops called on symbolic tensors: where their formulas become operations of the graph. What decides it makes
 * symbolic tensors, so that these can't import it: input layers set it.
 */
import type { OpDefinition } from '../../ops/define/definition.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { isTracing } from './tracing.ts';

/** Calls a composite op, which `expand` expands into calls of other ops. */
export type CompositeCall = (
  op: Pick<OpDefinition, 'name' | 'inputs'>,
  operands: readonly unknown[],
  options: object,
  expand: (operands: readonly unknown[]) => unknown,
) => unknown;

let callOfOpenSizes: CompositeCall | null = null;

/** Sets how composite ops are called on tensors with open sizes. */
export function setCallOfOpenSizes(call: CompositeCall): void {
  callOfOpenSizes = call;
}

/** Calls a composite op on symbolic tensors. Errors: those of the formula. */
export const callComposite: CompositeCall = (op, operands, options, expand) => {
  if (!callOfOpenSizes || isTracing() || !operands.some(isOpen)) return expand(operands);
  return callOfOpenSizes(op, operands, options, expand);
};

function isOpen(operand: unknown): boolean {
  return isSymbolic(operand) && operand.shape.includes(null);
}
