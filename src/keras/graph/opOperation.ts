/** @file An op in a graph: each call of an op on symbolic tensors is a separate operation with one node. */
import type { OpenSpec } from '../../core/spec.ts';
import { applyOp, inputsOf } from '../../ops/define/define.ts';
import type { OpDefinition } from '../../ops/define/definition.ts';
import { commonTensorDType, type InputSlot, weakDType } from '../../ops/define/operands.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { type HostValues, tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { snakeCase, uniqueName } from '../names.ts';
import type { Nest } from '../tensorNest.ts';
import type { GraphNode, GraphOperation } from './graphNode.ts';
import { kerasClass } from './opNames.ts';
import { OutboundNodes } from './outboundNodes.ts';
import { isTracing } from './tracing.ts';

let givenName: string | null = null;

/** Runs `body`, whose first op gets the name `name` from a file. */
export function withOpName<T>(name: string, body: () => T): T {
  givenName = name;
  try {
    return body();
  } finally {
    givenName = null;
  }
}

export class OpOperation implements GraphOperation {
  readonly name: string;
  readonly className = 'op';
  readonly inboundNodes: GraphNode[] = [];
  readonly #outbound = new OutboundNodes();

  constructor(readonly definition: OpDefinition) {
    const base = snakeCase(kerasClass(definition.name));
    this.name = isTracing() ? base : (givenName ?? uniqueName(base));
    if (!isTracing()) givenName = null;
  }

  get outboundNodes(): readonly GraphNode[] {
    return this.#outbound.list;
  }

  addOutbound(node: GraphNode): void {
    this.#outbound.add(node);
  }

  replay(node: GraphNode, operands: Nest<unknown>): Nest<unknown> {
    return applyOp(this.definition, operands as readonly unknown[], node.options) as Nest<unknown>;
  }
}

/**
 * Operands as a graph stores them. Tensors get their own handles, so that the end of a scope does not free them; variables
 * are stored as they are, so their later values are used; host values become tensors of the dtype that the op expects.
 */
export function heldOperands(op: Pick<OpDefinition, 'inputs'>, operands: readonly unknown[]): unknown[] {
  const { slots } = inputsOf(op);
  return operands.map((operand, i) => {
    if (operand instanceof Variable || isSymbolic(operand)) return operand;
    if (operand instanceof Tensor) return isTracing() ? operand : alias(operand);
    if (Array.isArray(operand) || ArrayBuffer.isView(operand) || typeof operand === 'boolean') {
      const dtype = (slots[i] ?? slots.at(-1))?.hostDType;
      const made = tensor(operand as HostValues, dtype ? { dtype } : {});
      return isTracing() ? made : keep(made);
    }
    return operand ?? null;
  });
}

/** Returns the specs of operands. A number takes its dtype from the other operands, as in eager calls. */
export function specsOf(op: OpDefinition, operands: readonly unknown[]): (OpenSpec | null)[] {
  const { slots } = inputsOf(op);
  const others = commonTensorDType(
    slots,
    operands.map((operand) => (hasSpec(operand) ? operand : null)),
  );
  return operands.map((operand, i) => {
    if (hasSpec(operand)) return operand;
    const slot = (slots[i] ?? slots.at(-1)) as InputSlot;
    if (typeof operand !== 'number') return null;
    return { shape: [], dtype: slot.hostDType ?? weakDType(operand, others) };
  });
}

function hasSpec(operand: unknown): operand is OpenSpec {
  return operand instanceof Tensor || isSymbolic(operand);
}
