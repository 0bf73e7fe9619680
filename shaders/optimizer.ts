/**
 * @file One step of an optimizer for up to eight variables at once, in place: the values, the optimizer's states beside
 * them and the gradients are read once, and written once.
 *
 * Where variables are packed, one buffer holds them role by role: first the values of all, then each state of all. A
 * role is `params.stride` vectors long, and a variable begins at the same place in each, so that an invocation finds all
 * that belongs to its vector from one index. Gradients keep the buffers in which they were computed. A variable that
 * isn't packed has a binding for each role.
 *
 * The parts of a step that all optimizers share (Keras's BaseOptimizer) come around the rule of the one: loss scale,
 * accumulation, clipping and weight decay before it, the running average of the values after it.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export const stepWorkgroup = 256;
/** Variables of one launch: as many as one field of parameters holds indices. */
export const membersPerLaunch = 8;

/** What one kind of optimizer does to a vector of values. */
export interface StepRule {
  /** WGSL statements that move `value` by the gradient `g`, all vec4<f32>; they read and write states by their names. */
  statements: string;
  /** Functions that the statements call beside those of lib/math. */
  functions?: string;
}

/** How gradients are clipped: each value, or by lengths that were measured before. */
export type Clipping = 'none' | 'value' | 'norm' | 'globalNorm';

export type StepOptions = {
  /** What varies within one kind: Nesterov's momentum, a third moment. */
  variant: string;
  /** States beside the values, as WGSL names. */
  states: readonly string[];
  /** Gradients bound: 1 for a variable on its own, else membersPerLaunch or what the device allows. */
  gradients: number;
  packed: boolean;
  clipping: Clipping;
  scaled: boolean;
  accumulated: boolean;
  decayed: boolean;
  averaged: boolean;
};

export const averageState = 'average';
export const accumulatorState = 'gradient_accumulator';

/** WGSL that finds the member of vector `i` and the vector's index `j` within it, and returns where there is none. */
export function findMember(gradients: number): string {
  const later = Array.from({ length: gradients - 1 }, (_, k) => k + 1);
  return wgsl`
  var member = 0u;
  ${later.map((k) => `member += u32(i >= params.starts[${k >> 2}][${k & 3}]);`).join('\n  ')}
  let j = i - params.starts[member / 4u][member % 4u];`;
}

/** A WGSL function for vector `j` of the gradient of `member`. */
export function gradientOf(gradients: number): string {
  const cases = Array.from({ length: gradients - 1 }, (_, k) => k + 1);
  return wgsl`
fn gradient_of(member: u32, j: u32) -> vec4<f32> {
#if ${gradients > 1}
  switch member {
    ${cases.map((k) => `case ${k}u: { return gradient_${k}[j]; }`).join('\n    ')}
    default: { return gradient_0[j]; }
  }
#else
  return gradient_0[j];
#endif
}
`;
}

export function optimizerStep(rule: StepRule, options: StepOptions): string {
  const { states, gradients, packed, clipping, scaled, accumulated, decayed, averaged } = options;
  const at = (role: number, name: string) =>
    packed ? `block[i${role > 0 ? ` + ${role}u * params.stride` : ''}]` : `${name}_of[j]`;
  const roles = ['value', ...states];
  const read = roles.map((name, role) => `var ${name} = ${at(role, name)};`);
  const write = roles.map((name, role) => `${at(role, name)} = ${name};`);
  const bounded = ['x', 'y', 'z', 'w'].map((c) => `bounded(g.${c}, params.clip)`).join(', ');
  const body = `${rule.statements} ${clipping === 'value' ? 'bounded(' : ''}`;
  return wgsl`
${flatIndex}
${mathFunctions(`${body} ${rule.functions ?? ''}`)}
${rule.functions ?? ''}
${gradientOf(gradients)}
@compute @workgroup_size(${stepWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${stepWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  ${findMember(gradients)}
  // Variables begin at multiples of 256 bytes: nothing lies between one's end and the next one's start.
  if (j >= params.sizes[member / 4u][member % 4u]) {
    return;
  }
  let bit = 1u << member;
  ${read.join('\n  ')}
  if ((params.present & bit) != 0u) {
    var g = gradient_of(member, j);
#if ${scaled}
    g /= params.loss_scale;
#endif
#if ${accumulated}
    g += ${accumulatorState};
    ${accumulatorState} = select(g, vec4<f32>(0.0), params.update != 0u);
    g /= params.accumulation_steps;
    if (params.update != 0u) {
#else
    {
#endif
#if ${clipping === 'value'}
      g = vec4<f32>(${bounded});
#elif ${clipping === 'norm'}
      g *= scales[params.first_member + member];
#elif ${clipping === 'globalNorm'}
      g *= scales[0];
#endif
#if ${decayed}
      if ((params.decayed & bit) != 0u) {
        value -= value * params.decay;
      }
#endif
      ${rule.statements.trim()}
    }
  }
#if ${averaged}
  ${averageState} = params.average_momentum * ${averageState} + (1.0 - params.average_momentum) * value;
  if (params.overwrite != 0u) {
    value = ${averageState};
  }
#endif
  ${write.join('\n  ')}
}
`;
}
