/** @file LayerTable: the layer calls of a step, numbered in the order in which they occur. */
import type { Node } from '../../history/node.ts';
import type { ReportedLayer } from './reportData.ts';

export class LayerTable {
  readonly reported: ReportedLayer[] = [];
  readonly #ids = new Map<Node, number>();
  readonly #calls = new Map<object, number>();

  /** Returns the number of a layer call; null outside of layers. Enclosing calls have lower numbers. */
  idOf(node: Node | null): number | null {
    if (!node) return null;
    const known = this.#ids.get(node);
    if (known !== undefined) return known;
    const parent = this.idOf(node.parent);
    const { operation, callSite } = node;
    const id = this.reported.length;
    const call = (this.#calls.get(operation) ?? 0) + 1;
    const around = parent === null ? '' : `${this.reported[parent]?.path}/`;
    this.#calls.set(operation, call);
    this.#ids.set(node, id);
    this.reported.push({
      id,
      parent,
      name: operation.name,
      className: operation.className,
      call,
      path: `${around}${operation.name}`,
      callSite: callSite ?? null,
    });
    return id;
  }
}
