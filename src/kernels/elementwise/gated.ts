/** @file Launches gated activations and their gradients. */
import { gated, type GatedOptions, gatedWorkgroup } from '../../../shaders/gated.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'gatedActivation',
  bindings: ({ gradient, joined, width }: GatedOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    const [read, write] = [`read ${element}`, `write ${element}`] as const;
    return {
      ...(joined ? { x: read } : { gate: read, up: read }),
      ...(gradient ? { dy: read } : {}),
      ...(gradient && !joined ? { d_gate: write, d_up: write } : { out: write }),
    };
  },
  params: { count: 'u32', half: 'u32' },
  reads: ({ joined }) => (joined ? ['count', 'half'] : ['count']),
  source: gated,
});

export type GatedActivation = GatedOptions['activation'];

/** The gate and what it multiplies; without `up`, both are parts of the last axis of `gate`. */
interface Operands {
  gate: Tensor;
  up: Tensor | null;
}

/** Returns f(gate) · up, of the shape of up. */
export function gatedKernel(op: string, operands: Operands, activation: GatedActivation): Tensor {
  const { gate, up } = operands;
  const shape = up ? gate.shape : [...gate.shape.slice(0, -1), (gate.shape.at(-1) as number) / 2];
  const out = output(gate.device, { shape, dtype: gate.dtype }, op);
  launch(operands, activation, out, null, { out });
  return out;
}

/** Returns the gradients of gate and up, or that of the tensor whose parts they are. */
export function gatedGradientKernel(
  op: string,
  dy: Tensor,
  operands: Operands,
  activation: GatedActivation,
): [dGate: Tensor, dUp: Tensor | null] {
  const { gate, up } = operands;
  const first = output(gate.device, gate, op);
  const second = up && output(gate.device, up, op);
  const outputs: Record<string, Tensor> = second ? { d_gate: first, d_up: second } : { out: first };
  launch(operands, activation, dy, dy, outputs);
  return [first, second];
}

/** `result` has the shape of the activation's result. */
function launch(
  { gate, up }: Operands,
  activation: GatedActivation,
  result: TensorSpec,
  dy: Tensor | null,
  outputs: Readonly<Record<string, Tensor>>,
): void {
  const size = sizeOf(result.shape);
  if (size === 0) return;
  const half = result.shape.at(-1) as number;
  const inputs = { ...(up ? { gate, up } : { x: gate }), ...(dy ? { dy } : {}) };
  const all = { ...inputs, ...outputs };
  const isVector = (up !== null || half % 4 === 0) && Object.values(all).every(bindsAsVectors);
  const width: GatedOptions['width'] = isVector ? 4 : 1;
  const count = Math.ceil(size / width);
  gate.device.launch(kernel, {
    options: { activation, gradient: dy !== null, joined: up === null, width },
    bindings: Object.fromEntries(Object.entries(all).map(([name, { storage }]) => [name, storage])),
    params: { count, half: half / width },
    workgroups: Math.ceil(count / gatedWorkgroup),
  });
}
