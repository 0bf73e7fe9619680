/**
 * @file An operation of a file that is not a single op here but a formula of several: one operation of the graph, with one
 * call, so that the model is saved as it was loaded.
 */
import { isSymbolic } from '../../ops/define/recorders.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { GraphNode, type GraphOperation } from './graphNode.ts';
import { KerasTensor } from './kerasTensor.ts';
import { OutboundNodes } from './outboundNodes.ts';
import { traceCall } from './traceCall.ts';
import { isTracing, notingReads, trace } from './tracing.ts';

/** Computes the outputs from the argument of the call: tensors, symbolic ones, and plain values. */
export type Formula = (argument: Nest<unknown>) => Nest<unknown>;

export class FormulaOperation implements GraphOperation {
  readonly inboundNodes: GraphNode[] = [];
  readonly #outbound = new OutboundNodes();
  readonly #formula: Formula;

  constructor(
    readonly name: string,
    readonly className: string,
    formula: Formula,
  ) {
    this.#formula = formula;
  }

  get outboundNodes(): readonly GraphNode[] {
    return this.#outbound.list;
  }

  addOutbound(node: GraphNode): void {
    this.#outbound.add(node);
  }

  /** Evaluates the formula. Errors: those of the formula. */
  call(argument: Nest<unknown>): Nest<KerasTensor> {
    const outputs = mapNest(
      traceFormula(this.name, argument, this.#formula),
      (spec) => new KerasTensor(spec),
    );
    new GraphNode({ operation: this, argument, outputs });
    return outputs;
  }

  replay(_node: GraphNode, argument: Nest<unknown>): Nest<unknown> {
    return replayFormula(this.name, argument, this.#formula);
  }
}

/** Returns symbolic outputs of a formula. Errors: those of the formula. */
export function traceFormula(name: string, argument: Nest<unknown>, formula: Formula): Nest<KerasTensor> {
  const run = (given: Nest<unknown>) => formula(given) as Nest<KerasTensor>;
  return trace(() => traceCall(name, argument as Nest<KerasTensor>, {}, run, null));
}

/**
 * Evaluates a formula of a graph. Where the graph is traced with open sizes, the formula alone is probed for them, instead of the
 * whole graph.
 */
export function replayFormula(name: string, argument: Nest<unknown>, formula: Formula): Nest<unknown> {
  const isOpen = (leaf: unknown) => isSymbolic(leaf) && leaf.shape.includes(null);
  const areOpen = isTracing() && notingReads(null, () => leavesOf(argument).some(isOpen));
  return areOpen ? traceFormula(name, argument, formula) : formula(argument);
}
