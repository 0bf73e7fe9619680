/**
 * @file Composite ops called on symbolic tensors with open sizes. A formula whose calls don't depend on these sizes is expanded:
 * each of its ops is an operation of the graph. A formula that computes with them, such as x.shape[0] * 4, becomes one
 * operation, and is evaluated when the sizes are known.
 */
import type { OpDefinition } from '../../ops/define/definition.ts';
import { detached } from '../../ops/define/recorders.ts';
import { withoutLaunching } from '../../ops/define/withoutLaunching.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mapNest, type Nest } from '../tensorNest.ts';
import type { CompositeCall } from './composites.ts';
import { GraphNode } from './graphNode.ts';
import { KerasTensor } from './kerasTensor.ts';
import { heldOperands, OpOperation } from './opOperation.ts';
import { replayFormula, traceFormula } from './formulaOperation.ts';
import { probes, withSizes } from './traceCall.ts';
import { notingCalls, notingReads, trace, withProbe } from './tracing.ts';

type Expand = Parameters<CompositeCall>[3];

/** Adds a call of a composite op to the graph. Errors: those of the formula. */
export const callOfOpenSizes: CompositeCall = (op, operands, options, expand) => {
  if (isIndependent(operands, expand)) return expand(operands);
  const argument = heldOperands(op, operands) as unknown as Nest<KerasTensor>;
  const formula = (given: Nest<unknown>) => expand(given as readonly unknown[]) as Nest<unknown>;
  const outputs = mapNest(traceFormula(op.name, argument, formula), (spec) => new KerasTensor(spec));
  const operation = new OpOperation(op as OpDefinition);
  operation.replay = (_node, given) => replayFormula(op.name, given, formula);
  new GraphNode({ operation, argument, outputs, options });
  return outputs;
};

/** Whether the calls of the formula are the same for all sizes. */
function isIndependent(operands: readonly unknown[], expand: Expand): boolean {
  const calls = callsOf(operands, expand, null);
  if (calls === null) return false;
  for (const pair of probes) {
    const [first, second] = pair.map((size) => callsOf(operands, expand, size));
    // A formula may reject some sizes.
    if (typeof first === 'string' && typeof second === 'string') return first === calls && second === calls;
  }
  return true;
}

/** The calls of the formula where open sizes are `size`, as text; null if it fails. */
function callsOf(operands: readonly unknown[], expand: Expand, size: number | null): string | null {
  const calls: unknown[] = [];
  const body = () => expand(withSizes(operands as unknown as Nest<unknown>, size) as readonly unknown[]);
  const run = () => detached(() => tidy(body as () => Tensor));
  try {
    trace(() =>
      notingReads(null, () => notingCalls(calls, () => withoutLaunching(() => withProbe(size, run)))),
    );
  } catch {
    return null;
  }
  return JSON.stringify(calls);
}
