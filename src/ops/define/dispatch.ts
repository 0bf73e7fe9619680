/**
 * @file The dispatch of all ops. A symbolic input sends the call to its graph, a mapped one to its vmap; otherwise the
 * kernels run, and active recorders receive the call.
 */
import { getDevice, withDevice } from '../../webgpu/current.ts';
import { insideCall } from '../../history/frames.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { tidy } from '../../tensor/scope.ts';
import { attributeForward } from './attribution.ts';
import { Call } from './call.ts';
import { type OpDefinition, outputsOf, type Results } from './definition.ts';
import { forFloat16 } from './float16.ts';
import { areReady, type InputSlot, toTensors } from './operands.ts';
import { outputSearch } from './outputSearch.ts';
import { recordCall } from './recordCall.ts';
import { isAbstract, isMapped, symbolicGraph, withRecorders } from './recorders.ts';

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
  // The ops that a forward uses are an implementation detail: no recorder and no layer sees them.
  const forward = () => tidy(() => op.forward(inputs, plan, call));
  const run = () => withDevice(device, () => withRecorders([], () => insideCall(null, forward)));
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
