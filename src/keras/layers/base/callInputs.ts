/** @file Checks of the inputs and options of a layer call: tensors or symbolic tensors. */
import { ValueError } from '../../../core/errors.ts';
import { describe, hintFor } from '../../../core/shape.ts';
import { isSymbolic } from '../../../ops/define/recorders.ts';
import { alias, Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { isTracing } from '../../graph/tracing.ts';
import { leavesOf, mapNest, type Nest } from '../../tensorNest.ts';

/**
 * Whether a call is symbolic.
 * Errors: ValueError for inputs that are not tensors or symbolic tensors, or a mix of both.
 */
export function requireTensors(layer: string, inputs: Nest<unknown>, options: object): boolean {
  mapNest(inputs, (leaf, path) => {
    if (leaf instanceof Tensor || isSymbolic(leaf)) return;
    throw new ValueError({
      op: layer,
      rule: 'a layer is called on tensors or symbolic tensors.',
      received: `${path}: ${describe(leaf)}`,
      hint: hintFor(leaf, 'create a tensor from host values: tensor(values).'),
    });
  });
  const leaves = leavesOf(inputs);
  if (leaves.length === 0) {
    throw new ValueError({
      op: layer,
      rule: 'a layer is called on tensors or symbolic tensors.',
      received: describe(inputs),
      hint: 'pass at least one.',
    });
  }
  const symbolic = leaves.some(isSymbolic);
  if (symbolic ? leaves.every(isSymbolic) : !leavesOf(options as Nest<unknown>, 'options').some(isSymbolic))
    return symbolic;
  throw new ValueError({
    op: layer,
    rule: 'inputs and options of a layer call are all symbolic tensors, or all tensors.',
    received: [...leaves, ...leavesOf(options as Nest<unknown>, 'options').filter(isSymbolic)]
      .map(String)
      .join(', '),
    hint: 'add constants with an op, or pass them to the model as an input.',
  });
}

/** Options as a graph stores them: with its own tensor handles, so that the end of a scope doesn't free them. */
export function heldOptions<O extends object>(options: O): O {
  if (isTracing()) return options;
  return mapNest(
    options as Nest<unknown>,
    (leaf) => (leaf instanceof Tensor && !(leaf instanceof Variable) ? alias(leaf) : leaf),
    'options',
  ) as O;
}
