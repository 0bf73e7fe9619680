/** @file Who keeps account of what launches belong to: which call of which op made them. Nobody, most of the time. */
import type { TensorSpec } from '../core/spec.ts';
import type { Node } from '../history/node.ts';
import type { OpDefinition, Plan } from './definition.ts';

export interface Meter {
  /** Runs `body`, the forward of a call. */
  forward<T>(call: MeteredCall, body: () => T): T;
  /** Runs `body`, the gradient of the call that `node` names. */
  backward(node: Node, body: () => void): void;
}

export interface MeteredCall {
  readonly op: OpDefinition;
  readonly inputs: readonly (TensorSpec | null)[];
  readonly outputs: readonly TensorSpec[];
  readonly plan: Plan;
}

let active: Meter | null = null;

export function activeMeter(): Meter | null {
  return active;
}

export function setMeter(meter: Meter): void {
  active = meter;
}
