/** @file Where a symbolic tensor begins. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/recorders.ts';
import { KerasTensor } from './kerasTensor.ts';
import { type GraphNode, nodeOf } from './graphNode.ts';

/**
 * The inputs that `tensor` is computed from, as they are met from there back; of a tensor without history itself.
 * Errors: ValueError for what isn't symbolic.
 */
export function getSourceInputs(tensor: SymbolicTensor): KerasTensor[] {
  if (!(tensor instanceof KerasTensor)) {
    throw new ValueError({
      op: 'getSourceInputs',
      rule: 'it takes a symbolic tensor.',
      received: describe(tensor),
      hint: 'pass what a layer or an op gave for input({ shape }); lineage(t) shows where a tensor with values came from.',
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
