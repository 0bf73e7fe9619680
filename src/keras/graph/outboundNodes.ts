/**
 * @file The calls that take an output of an operation, held weakly: an input or a layer that many models share would
 * otherwise keep all of them alive. A call lives as long as its operation or one of its outputs.
 */
import type { GraphNode } from './graphNode.ts';

export class OutboundNodes {
  #nodes: WeakRef<GraphNode>[] = [];
  /** Number of nodes at which to remove collected ones again: twice as many as were left last time, so that adding is cheap. */
  #limit = 16;

  add(node: GraphNode): void {
    this.#nodes.push(new WeakRef(node));
    if (this.#nodes.length < this.#limit) return;
    this.#nodes = this.#nodes.filter((other) => other.deref());
    this.#limit = Math.max(16, 2 * this.#nodes.length);
  }

  /** Those that still exist, in the order of the calls. */
  get list(): readonly GraphNode[] {
    return this.#nodes.map((node) => node.deref()).filter((node) => node !== undefined);
  }
}
