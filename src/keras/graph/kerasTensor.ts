/**
 * @file KerasTensor: a symbolic tensor, as layers and ops see it while a model is built. An op called on one adds a node
 * to the graph.
 */
import type { OpenSpec } from '../../core/spec.ts';
import type { OpDefinition } from '../../ops/define/define.ts';
import {
  isSymbolic,
  type SymbolicGraph,
  type SymbolicTensor,
  symbolicGraph,
} from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { callComposite } from './composites.ts';
import { GraphNode } from './graphNode.ts';
import { GraphTensor } from './graphTensor.ts';
import { inferOpen } from './infer.ts';
import { heldOperands, OpOperation, specsOf } from './opOperation.ts';
import { noteCall, notingReads } from './tracing.ts';

class OpGraphTensor extends GraphTensor {
  override get [symbolicGraph](): SymbolicGraph {
    return opGraph;
  }
}

/**
 * A symbolic tensor: a shape, with null where a size is open, a dtype, a name and a history, but no values. `input`
 * makes one, and layers and ops called on it make others.
 */
export type KerasTensor = SymbolicTensor;

/** The class of symbolic tensors. Its type has no private parts, so that the results of ops are KerasTensors, too. */
export const KerasTensor: new (spec: OpenSpec, name?: string) => KerasTensor = OpGraphTensor;

/** The graph that receives ops called on symbolic tensors. */
const opGraph: SymbolicGraph = {
  call(op: OpDefinition, operands: readonly unknown[], options: object): KerasTensor | KerasTensor[] {
    return notingReads(null, () => addCall(op, operands, options));
  },
  callComposite,
};

/** What of an operand may depend on open sizes. Long arrays are compared by their lengths. */
function describeOperand(operand: unknown): unknown {
  if (isSymbolic(operand)) return operand.shape.length;
  if (operand instanceof Tensor) return operand.shape;
  const isArray = Array.isArray(operand) || ArrayBuffer.isView(operand);
  const { length = 0 } = isArray ? (operand as ArrayLike<unknown>) : [];
  return length > 64 ? length : operand;
}

function addCall(
  op: OpDefinition,
  operands: readonly unknown[],
  options: object,
): KerasTensor | KerasTensor[] {
  const held = heldOperands(op, operands);
  noteCall(() => [op.name, options, operands.map(describeOperand)]);
  const specs = inferOpen(op, specsOf(op, held), options);
  const operation = new OpOperation(op);
  const outputs = [specs].flat().map((spec) => new KerasTensor(spec));
  const nest = Array.isArray(specs) ? outputs : (outputs[0] as KerasTensor);
  new GraphNode({ operation, argument: held, outputs: nest, options });
  return nest;
}
