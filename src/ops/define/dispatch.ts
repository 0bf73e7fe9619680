/**
 * @file The dispatch of all ops. A symbolic input sends the call to its graph, a mapped one to its vmap; otherwise the
 * kernels run, and active recorders receive the call.
 */
import { getDevice, withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Check } from '../../webgpu/faultTracker.ts';
import { callSite } from '../../history/callSite.ts';
import { currentParent, insideCall } from '../../history/frames.ts';
import { Node, type NodeInput, type Operation } from '../../history/node.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { tidy } from '../../tensor/scope.ts';
import { Call } from './call.ts';
import { forFloat16 } from './float16.ts';
import { outputSearch } from './outputSearch.ts';
import { attributeForward } from './attribution.ts';
import { type OpDefinition, outputsOf, type Plan, type Results } from './definition.ts';
import { areReady, type InputSlot, toTensors } from './operands.ts';
import { activeRecorders, isAbstract, isMapped, symbolicGraph, withRecorders } from './recorders.ts';

export function dispatch(
  definition: OpDefinition,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
  options: object,
): unknown {
  const op = forFloat16(definition, operands);
  const abstract = operands.find(isAbstract);
  if (abstract) {
    // A mapped tensor rejects a symbolic one next to it, which would take it for a constant.
    const { [symbolicGraph]: target } = operands.find(isMapped) ?? abstract;
    return target.call(op, operands, options);
  }
  if (areReady(operands)) return execute(op, operands, operands, options);
  // Tensors of host values live as long as the call.
  return tidy(() => execute(op, toTensors(op.name, slots, operands), operands, options));
}

const none: readonly never[] = [];

/** Depth of nested calls: the ops used by a forward run inside another call. */
let depth = 0;

function execute(
  op: OpDefinition,
  inputs: readonly (Tensor | null)[],
  operands: readonly unknown[],
  given: object,
): Results {
  const plan = op.remembersPlans ? kernels().planOf(op, inputs, given) : op.infer(inputs, given);
  const options = op.settle ? op.settle(given) : given;
  const call = new Call(op.name, outputsOf(plan), operands, options);
  const { device = getDevice() } = inputs[0] ?? inputs.find((input) => input !== null) ?? {};
  const run = () => unobserved(device, () => op.forward(inputs, plan, call));
  const firstCheck = device.faults.tracker.begun;
  depth++;
  let result: Results;
  try {
    const { profiler } = device.executor;
    result = profiler ? attributeForward(profiler, op, inputs, call.outputs, plan, run) : run();
  } finally {
    depth--;
  }
  const outputs = result instanceof Tensor ? [result] : result;
  // All checks begun meanwhile belong to the call, including those of launches that write no result.
  const checks = device.faults.checksFrom(firstCheck);
  if (checks.length > 0) for (const { storage } of outputs) device.attachChecks(checks, storage);
  call.node = recordCall(op, inputs, outputs, options, plan, checks);
  if (depth === 0) {
    device.flushIfIdle();
    outputSearch()?.outputs(call, inputs, outputs);
  }
  return result;
}

/** Runs a forward. The ops that it uses are an implementation detail: no recorder and no layer sees them. */
function unobserved(device: Device, forward: () => Results): Results {
  return withDevice(device, () => withRecorders(none, () => insideCall(null, () => tidy(forward))));
}

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
