/**
 * @file Gated activations: out = f(gate) up, and their gradients for a cotangent dy: f'(gate) up dy for the gate, f(gate) dy for
 * up. Gate and up are tensors of their own, or two parts of each row of one (`joined`); so are their gradients. One invocation
 * computes one element or four.
 */
import { flatIndex } from './lib/indexing.ts';
import {
  gelu,
  geluDerivative,
  geluTanh,
  geluTanhDerivative,
  mathFunctions,
  sigmoid,
  siluDerivative,
} from './lib/math.ts';
import { components } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type GatedOptions = {
  activation: 'silu' | 'gelu' | 'geluTanh';
  gradient: boolean;
  joined: boolean;
  width: 1 | 4;
};

export const gatedWorkgroup = 64;

const activations = {
  silu: { value: (x: string) => `${x} * ${sigmoid(x)}`, derivative: siluDerivative },
  gelu: { value: gelu, derivative: geluDerivative },
  geluTanh: { value: geluTanh, derivative: geluTanhDerivative },
} as const;

export function gated({ activation, gradient, joined, width }: GatedOptions): string {
  const { value, derivative: derive } = activations[activation];
  const eachOf = (f: (x: string) => string) =>
    width === 4 ? `vec4<f32>(${components.map((c) => f(`a.${c}`)).join(', ')})` : f('a');
  const [forward, derivative] = [eachOf(value), eachOf(derive)];
  const from = (name: string) => (joined ? 'x' : name);
  const to = (name: string) => (joined ? 'out' : name);
  return wgsl`
${flatIndex}
${mathFunctions(`${forward} ${gradient ? derivative : ''}`)}
@compute @workgroup_size(${gatedWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${gatedWorkgroup}u);
  if (i >= params.count) {
    return;
  }
#if ${joined}
  // A row of x is twice as long.
  let gate_at = i + i / params.half * params.half;
  let up_at = gate_at + params.half;
#else
  let gate_at = i;
  let up_at = i;
#endif
  let a = ${from('gate')}[gate_at];
  let b = ${from('up')}[up_at];
  let activated = ${forward};
#if ${gradient}
  let derivative = ${derivative};
  let cotangent = dy[i];
  ${to('d_gate')}[gate_at] = cotangent * b * derivative;
  ${to('d_up')}[up_at] = cotangent * activated;
#else
  out[i] = activated * b;
#endif
}
`;
}
