/**
 * @file An operation of a file that is not a single op here but a formula of several: one operation of the graph, with one
 * call, so that the model is saved as it was loaded.
 */
import { mapNest, type Nest } from '../tensorNest.ts';
import { GraphNode, type GraphOperation } from './graphNode.ts';
import { KerasTensor } from './kerasTensor.ts';
import { OutboundNodes } from './outboundNodes.ts';
import { traceCall } from './traceCall.ts';
import { trace } from './tracing.ts';

/** Computes the outputs from the argument of the call: tensors, symbolic ones, and plain values. */
type Formula = (argument: Nest<unknown>) => Nest<unknown>;

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
    const run = (given: Nest<unknown>) => this.#formula(given) as Nest<KerasTensor>;
    const traced = trace(() => traceCall(this.name, argument as Nest<KerasTensor>, {}, run, null));
    const outputs = mapNest(traced, ({ shape, dtype }) => new KerasTensor({ shape, dtype }));
    new GraphNode({ operation: this, argument, outputs });
    return outputs;
  }

  replay(_node: GraphNode, argument: Nest<unknown>): Nest<unknown> {
    return this.#formula(argument);
  }
}
