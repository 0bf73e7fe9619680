/** @file Charges launches to the calls that make them, for profiles, and for captures that may be profiled later. */
import { chargedTo, chargedToGradient, isCharging } from '../webgpu/charge.ts';
import { currentParent } from '../history/frames.ts';
import type { Node } from '../history/node.ts';
import { type Meter, setMeter } from './meter.ts';

const charging: Meter = {
  forward({ op, inputs, outputs, plan }, body) {
    if (!isCharging()) return body();
    const parent = currentParent();
    const describe = () => ({ op: op.name, layer: pathOf(parent), backward: false });
    const flops = op.cost?.(inputs, outputs, plan).flops ?? null;
    return chargedTo(describe, parent, flops, body);
  },
  backward(node, body) {
    if (!isCharging()) {
      body();
      return;
    }
    const call = { op: node.operation.name, layer: pathOf(node.parent) };
    chargedToGradient(call, currentParent(), body);
  },
};

/** Has launches charged from here on, whenever someone keeps an account. */
export function chargeCalls(): void {
  setMeter(charging);
}

/** The layer calls that lead to `call`, itself included. */
function pathOf(call: Node | null): string {
  const names: string[] = [];
  for (let layer = call; layer; layer = layer.parent) names.unshift(layer.operation.name);
  return names.join('/');
}
