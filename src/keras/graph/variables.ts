/** @file Finds the variables that symbolic tensors depend on: operands of ops, and weights of layers. */
import { Variable } from '../../tensor/variable.ts';
import { leavesOf } from '../tensorNest.ts';
import type { KerasTensor } from './kerasTensor.ts';
import { type GraphNode, nodeOf } from './graphNode.ts';

/** Variables used by the calls that lead to `tensors`, each once. */
export function variablesBehind(tensors: readonly KerasTensor[]): Variable[] {
  const found = new Set<Variable>();
  const seen = new Set<GraphNode>();
  const open = [...tensors];
  for (let tensor = open.pop(); tensor; tensor = open.pop()) {
    const node = nodeOf(tensor);
    if (!node || seen.has(node)) continue;
    seen.add(node);
    const { weights = [] } = node.operation as { weights?: readonly Variable[] };
    for (const leaf of [...leavesOf(node.argument), ...weights])
      if (leaf instanceof Variable) found.add(leaf);
    open.push(...node.inputTensors);
  }
  return [...found];
}
