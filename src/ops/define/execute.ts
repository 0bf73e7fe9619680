/** @file Executes a call: plans it, launches its kernels and reports it to the active recorders. */
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { inScope } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { getDevice, withDevice } from '../../webgpu/current.ts';
import { attributeForward } from './attribution.ts';
import { Call } from './call.ts';
import { type OpDefinition, outputsOf, type Results } from './definition.ts';
import { areReady, type InputSlot, toTensors } from './operands.ts';
import { outputSearch } from './outputSearch.ts';
import { recordCall } from './recordCall.ts';
import { detached } from './recorders.ts';

/** Depth of nested calls: the ops used by a forward run inside another call. */
let depth = 0;

export function execute(
  op: OpDefinition,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
  given: object,
): Results {
  // Tensors of host values live as long as the call, like the temporaries of its forward.
  return inScope(() => {
    const inputs = areReady(operands) ? operands : toTensors(op.name, slots, operands);
    const plan = op.remembersPlans ? kernels().planOf(op, inputs, given) : op.infer(inputs, given);
    const options = op.settle ? op.settle(given) : given;
    const call = new Call(op.name, outputsOf(plan), operands, options);
    const { device = getDevice() } = inputs.find((input) => input !== null) ?? {};
    // The ops that a forward uses are an implementation detail: no recorder and no layer sees them.
    const forward = () => detached(() => op.forward(inputs, plan, call));
    const run = () => withDevice(device, forward);
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
  });
}
