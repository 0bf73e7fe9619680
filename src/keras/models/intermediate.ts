/**
 * @file Models whose inputs are intermediate tensors of another model. As in Keras, each such input gets an input layer,
 * and the calls after it are repeated on the same layers, so that the model can be printed and saved by itself.
 */
import { KerasTensor } from '../graph/kerasTensor.ts';
import { GraphNode, nodeOf } from '../graph/graphNode.ts';
import { GraphProgram } from '../graph/program.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import { mapNest } from '../tensorNest.ts';

/** Returns `program` with input layers for all of its inputs. */
export function withInputLayers(program: GraphProgram): GraphProgram {
  const given = new Set(program.inputs);
  if (program.inputs.every(isInput)) return program;
  const copies = new Map<KerasTensor, KerasTensor>();
  for (const input of given) {
    const { shape, dtype, name } = input;
    const copy = isInput(input) ? input : new InputLayer({ batchShape: shape, dtype, name }).tensor;
    copies.set(input, copy);
  }
  const copyOf = (tensor: KerasTensor) => copies.get(tensor) ?? tensor;
  for (const node of program.nodes) {
    const outputs = mapNest(node.outputNest, (tensor) => {
      const copy = new KerasTensor(tensor, tensor.name);
      if (!given.has(tensor)) copies.set(tensor, copy);
      return copy;
    });
    const { operation } = node;
    const argument = node.argumentWith(copyOf);
    new GraphNode({ operation, argument, outputs, options: node.optionsWith(copyOf) });
  }
  return new GraphProgram(mapNest(program.inputNest, copyOf), mapNest(program.outputNest, copyOf));
}

function isInput(tensor: KerasTensor): boolean {
  return nodeOf(tensor)?.isInput ?? false;
}
