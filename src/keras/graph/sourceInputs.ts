/** @file getSourceInputs: the inputs that a symbolic tensor depends on. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { KerasTensor } from './kerasTensor.ts';
import { type GraphNode, nodeOf } from './graphNode.ts';

/**
 * Returns the inputs that `tensor` depends on, in the order of a search backwards; for a tensor without history, itself.
 * Errors: ValueError for what isn't symbolic.
 */
export function getSourceInputs(tensor: SymbolicTensor): KerasTensor[] {
  if (!(tensor instanceof KerasTensor)) {
    throw new ValueError({
      op: 'getSourceInputs',
      rule: 'it takes a symbolic tensor.',
      received: describe(tensor),
      hint: 'pass an output of a layer or op on input({ shape }). For a tensor with values use lineage(t).',
    });
  }
  const sources = new Set<KerasTensor>();
  const seen = new Set<GraphNode>();
  const open: KerasTensor[] = [tensor];
  for (let next = open.pop(); next; next = open.pop()) {
    const node = nodeOf(next);
    if (!node || node.isInput) {
      sources.add(next);
      continue;
    }
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...[...node.inputTensors].reverse());
  }
  return [...sources];
}
