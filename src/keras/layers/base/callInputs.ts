/** @file What a layer is called on: tensors or symbolic tensors, and options that may hold more of them. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { isSymbolic } from '../../../ops/recorders.ts';
import { alias, Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { isTracing } from '../../graph/tracing.ts';
import { leavesOf, mapNest, type Nest } from '../../tensorNest.ts';

/**
 * Whether a call is symbolic.
 * Errors: ValueError for inputs that are neither tensors nor symbolic tensors, or some of each.
 */
export function requireTensors(layer: string, inputs: Nest<unknown>, options: object): boolean {
  mapNest(inputs, (leaf, path) => {
    if (leaf instanceof Tensor || isSymbolic(leaf)) return;
    throw new ValueError({
      op: layer,
      rule: 'a layer is called on tensors or symbolic tensors.',
      received: `${path}: ${describe(leaf)}`,
      hint: 'make a tensor of host values first: tensor(values).',
    });
  });
  const leaves = leavesOf(inputs);
  const symbolic = leaves.some(isSymbolic);
  if (symbolic ? leaves.every(isSymbolic) : !leavesOf(options as Nest<unknown>).some(isSymbolic))
    return symbolic;
  throw new ValueError({
    op: layer,
    rule: 'the inputs of a layer are all symbolic or all tensors; beside tensors no option is symbolic.',
    received: [...leaves, ...leavesOf(options as Nest<unknown>).filter(isSymbolic)].map(String).join(', '),
    hint: 'bring constants in by an op, or give them to the model as an input.',
  });
}

/** Options as a graph holds them: tensors by handles of its own, so that a scope's end doesn't take them away. */
export function heldOptions<O extends object>(options: O): O {
  if (isTracing()) return options;
  return mapNest(options as Nest<unknown>, (leaf) =>
    leaf instanceof Tensor && !(leaf instanceof Variable) ? alias(leaf) : leaf,
  ) as O;
}

/** Whether there is a mask in `masks`. */
export function isMasked(masks: Nest<unknown>): boolean {
  return leavesOf(masks).some((mask) => mask !== null);
}
