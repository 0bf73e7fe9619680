/**
 * @file The dispatch of all ops. A symbolic input sends the call to its graph, a mapped one to its vmap; otherwise it is
 * executed.
 */
import type { OpDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { forFloat16 } from './float16.ts';
import type { InputSlot } from './operands.ts';
import { isAbstract, isMapped, symbolicGraph } from './recorders.ts';

export function dispatch(
  definition: OpDefinition,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
  options: object,
): unknown {
  const op = forFloat16(definition, operands);
  const abstract = operands.find(isAbstract);
  if (!abstract) return execute(op, slots, operands, options);
  // A mapped tensor rejects a symbolic one next to it, which would take it for a constant.
  const { [symbolicGraph]: target } = operands.find(isMapped) ?? abstract;
  return target.call(op, operands, options);
}
