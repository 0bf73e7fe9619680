/** @file Attributes launches to the calls of ops that make them, if a profiler scope is open. */
import type { TensorSpec } from '../../core/spec.ts';
import { currentParent } from '../../history/frames.ts';
import type { Node } from '../../history/node.ts';
import type { ProfilerScope } from '../../webgpu/executor.ts';
import type { OpDefinition, Plan } from './definition.ts';

/** Runs `body`, the forward of a call of `op`. */
export function attributeForward<T>(
  scope: ProfilerScope,
  op: OpDefinition,
  inputs: readonly (TensorSpec | null)[],
  outputs: readonly TensorSpec[],
  plan: Plan,
  body: () => T,
): T {
  const parent = currentParent();
  const flops = op.cost?.(inputs, outputs, plan).flops ?? null;
  return scope.forward(() => ({ op: op.name, layer: pathOf(parent) }), parent, flops, body);
}

/** Runs `body`, the gradient of the call that `node` names. */
export function attributeBackward(scope: ProfilerScope, node: Node, body: () => void): void {
  scope.backward({ op: node.operation.name, layer: pathOf(node.parent) }, currentParent(), body);
}

/** Returns the layer calls that lead to `call`, itself included. */
function pathOf(call: Node | null): string {
  const names: string[] = [];
  for (let layer = call; layer; layer = layer.parent) names.unshift(layer.operation.name);
  return names.join('/');
}
