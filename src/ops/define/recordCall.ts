/** @file Histories of executed calls: who made a tensor, from what, and inside which layer. */
import type { Check } from '../../webgpu/faultTracker.ts';
import { callSite } from '../../history/callSite.ts';
import { currentParent } from '../../history/frames.ts';
import { Node, type NodeInput, type Operation } from '../../history/node.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { OpDefinition, Plan } from './definition.ts';
import { activeRecorders } from './recorders.ts';

/**
 * Reports to the active recorders, and to the enclosing layer call, that `op` made `outputs` from `inputs`; null if
 * nothing records. For functions with a custom gradient; ops are recorded by the dispatch.
 */
export function recordCall(
  op: OpDefinition,
  inputs: readonly (Tensor | null)[],
  outputs: readonly Tensor[],
  options: object,
  plan: Plan,
  checks: readonly Check[] = [],
): Node | null {
  const recorders = activeRecorders();
  const parent = currentParent();
  if (recorders.length === 0 && !parent) {
    rememberInputs(inputs, outputs);
    return null;
  }
  const recording = recorders[0]?.recording ?? 0;
  const node = new Node({
    operation: operationOf(op),
    inputs: inputs.filter((input) => input !== null).map((input) => inputRecord(input, recording, parent)),
    outputs: outputs.map(({ shape, dtype }) => ({ shape, dtype })),
    options: options as Record<string, unknown>,
    parent,
    callSite: callSite(),
    recording,
  });
  outputs.forEach((output, i) => {
    // Leave other origins alone: an op may return a tensor without history on purpose (stopGradient).
    if (output.origin.kind === 'unrecorded') {
      output.origin = { kind: 'recorded', history: node.historyOf(i) };
    }
  });
  for (const recorder of recorders) recorder.record({ op, inputs, outputs, options, plan, node, checks });
  return node;
}

/** Keeps only ids: enough for `tape.explain` to follow a value through a call that it didn't record. */
function rememberInputs(inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void {
  const ids: number[] = [];
  for (const input of inputs) if (input) ids.push(input.id);
  for (const { origin } of outputs) if (origin.kind === 'unrecorded') origin.inputs = ids;
}

const operations = new WeakMap<OpDefinition, Operation>();

/** The identity under which histories know an op. */
function operationOf(op: OpDefinition): Operation {
  const known = operations.get(op);
  if (known) return known;
  const operation = { name: op.name, className: 'op' };
  operations.set(op, operation);
  return operation;
}

/** The record of `input` in a node of `recording`, made inside the layer call `parent`. */
export function inputRecord(input: Tensor, recording: number, parent: Node | null): NodeInput {
  const history = input.kerasHistory;
  // Link only within one recording or, if nothing records, within one outermost layer call: otherwise a state carried from
  // step to step would keep its whole past alive.
  const linked =
    history?.node.recording === recording &&
    (recording !== 0 || (parent !== null && outermost(history.node) === outermost(parent)))
      ? history
      : null;
  return { shape: input.shape, dtype: input.dtype, id: input.id, name: input.name, history: linked };
}

function outermost(node: Node): Node {
  let top = node;
  while (top.parent) top = top.parent;
  return top;
}
