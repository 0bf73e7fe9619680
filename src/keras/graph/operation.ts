/** @file SymbolicOperation: a layer as part of a graph, with a node for each of its symbolic calls. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { classNameOf } from '../options/declaration.ts';
import type { Mapped, Nest } from '../tensorNest.ts';
import type { KerasTensor } from './kerasTensor.ts';
import type { GraphNode, GraphOperation } from './graphNode.ts';
import { OutboundNodes } from './outboundNodes.ts';

export abstract class SymbolicOperation<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>
  implements GraphOperation
{
  static readonly className: string = 'Operation';
  abstract readonly name: string;
  readonly inboundNodes: GraphNode[] = [];
  readonly #outbound = new OutboundNodes();

  /**
   * Keras's name of the class, `static className`, which survives minification. Default: the name in the source.
   */
  get className(): string {
    const made = this.constructor as typeof SymbolicOperation;
    return classNameOf(made) || made.className;
  }

  get outboundNodes(): readonly GraphNode[] {
    return this.#outbound.list;
  }

  /** @internal */
  addOutbound(node: GraphNode): void {
    this.#outbound.add(node);
  }

  /** @internal */
  abstract replay(node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown>;

  /** The symbolic input of the first call. Errors: ValueError if it was never called. */
  get input(): Mapped<In, KerasTensor> {
    return this.#firstNode('input').argument as Mapped<In, KerasTensor>;
  }

  /** The symbolic output of the first call. Errors: ValueError if it was never called. */
  get output(): Mapped<Out, KerasTensor> {
    return this.#firstNode('output').outputNest as Mapped<Out, KerasTensor>;
  }

  /** Returns the symbolic input of call `nodeIndex`. Errors: ValueError where there is no such call. */
  getInputAt(nodeIndex: number): Mapped<In, KerasTensor> {
    return this.#nodeAt(nodeIndex).argument as Mapped<In, KerasTensor>;
  }

  /** Returns the symbolic output of call `nodeIndex`. Errors: ValueError where there is no such call. */
  getOutputAt(nodeIndex: number): Mapped<Out, KerasTensor> {
    return this.#nodeAt(nodeIndex).outputNest as Mapped<Out, KerasTensor>;
  }

  toString(): string {
    return `${this.className} '${this.name}'`;
  }

  #nodeAt(index: number): GraphNode {
    const node = this.inboundNodes[index];
    if (node) return node;
    throw new ValueError({
      op: this.name,
      rule: `\`nodeIndex\` counts the symbolic calls of a layer; ${this} has ${this.inboundNodes.length}.`,
      received: `nodeIndex: ${describe(index)}`,
      hint: 'call the layer on a symbolic tensor first, or name an earlier call.',
    });
  }

  #firstNode(what: string): GraphNode {
    const [node] = this.inboundNodes;
    if (node) return node;
    throw new ValueError({
      op: this.name,
      rule: `a layer has an ${what} once it was called on a symbolic tensor.`,
      received: `${this}, which was never called so`,
      hint: 'call it in a model: layer.apply(input({ shape })).',
    });
  }
}
