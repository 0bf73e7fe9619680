/**
 * @file One step of an optimizer for up to eight variables per launch, in place: values, states and gradients are read once,
 * and values and states written once.
 *
 * If variables are packed, one buffer holds them role by role: first the values of all, then each state of all. A
 * role is `params.stride` vectors long, and a variable begins at the same offset in each, so that an invocation finds
 * everything for its vector from one index. Gradients stay in the buffers in which they were computed. A variable that
 * isn't packed has a binding for each role.
 *
 * The parts of a step that all optimizers share (Keras's BaseOptimizer) surround the specific rule: loss scale,
 * accumulation, clipping and weight decay before it, the running average of the values after it.
 */
import { flatIndex } from './lib/indexing.ts';
import { bounded, mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

/** Variables of one launch: the number of indices in one parameter field. */
export const membersPerLaunch = 8;

/** The update rule of one kind of optimizer, for a vector of values. */
export interface StepRule {
  /**
   * WGSL statements that update `value` by the gradient `g`, and its square `g_squared` or its absolute value `g_size`, all
   * vec4<f32>; they read and write states by their names.
   */
  statements: string;
  /** Declarations of functions that the statements call. */
  functions?: string;
}

/** How gradients are clipped: each value, or by norms computed before. */
export type Clipping = 'none' | 'value' | 'norm' | 'globalNorm';

export type StepOptions = {
  /** The variant of the rule, such as Nesterov's momentum. */
  variant: string;
  /** States besides the values, as WGSL names. */
  states: readonly string[];
  /** Number of gradients bound: 1 for a separate variable, otherwise membersPerLaunch or what the device allows. */
  gradients: number;
  packed: boolean;
  clipping: Clipping;
  scaled: boolean;
  accumulated: boolean;
  decayed: boolean;
  averaged: boolean;
  /** Whether sums over the slices of the gradient are bound: of their squares, or of their sizes if the rule reads those. */
  summed: boolean;
  /** Invocations of a workgroup, and vectors per invocation. */
  workgroup: number;
  steps: number;
};

export const averageState = 'average';
export const accumulatorState = 'gradient_accumulator';

/** WGSL that finds the member to which chunk `chunk` of a launch belongs: `params.chunks` holds the first chunk of each. */
export function findMember(gradients: number): string {
  const later = Array.from({ length: gradients - 1 }, (_, k) => k + 1);
  const passed = (k: number) => `member += u32(chunk >= params.chunks[${k >> 2}][${k & 3}]);`;
  return wgsl`
  var member = 0u;
  ${later.map(passed).join('\n  ')}`;
}

/** Returns a WGSL function for vector `j` of the gradient of `member`. */
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
  const { states, gradients, packed, clipping, scaled, accumulated, decayed, averaged, summed } = options;
  const { workgroup, steps } = options;
  const at = (role: number, name: string) =>
    packed ? `block[i${role > 0 ? ` + ${role}u * params.stride` : ''}]` : `${name}_of[j]`;
  const roles = ['value', ...states];
  const read = roles.map((name, role) => `var ${name} = ${at(role, name)};`);
  const write = roles.map((name, role) => `${at(role, name)} = ${name};`);
  const clipped = ['x', 'y', 'z', 'w'].map((c) => bounded(`g.${c}`, 'params.clip')).join(', ');
  const functions = rule.functions ?? '';
  const readsSizes = /\bg_size\b/.test(rule.statements);
  const clippedByNorm = clipping === 'norm' || clipping === 'globalNorm';
  return wgsl`
${flatIndex}
${mathFunctions(`${rule.statements} ${functions}`, clipping === 'value' ? [bounded] : [])}
${functions}
${gradientOf(gradients)}
fn move_vector(member: u32, j: u32) {
  let i = params.starts[member / 4u][member % 4u] + j;
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
      g = vec4<f32>(${clipped});
#elif ${clipping === 'norm'}
      let scale = scales[params.first_member + member];
      g *= scale;
#elif ${clipping === 'globalNorm'}
      let scale = scales[0];
      g *= scale;
#endif
#if ${summed && readsSizes}
      var g_size = slice_sums[j];
#if ${scaled}
      g_size /= params.loss_scale;
#endif
#if ${clippedByNorm}
      g_size *= scale;
#endif
#elif ${summed}
      var g_squared = slice_sums[j];
#if ${scaled}
      g_squared /= params.loss_scale * params.loss_scale;
#endif
#if ${clippedByNorm}
      g_squared *= scale * scale;
#endif
#elif ${readsSizes}
      let g_size = abs(g);
#else
      let g_squared = g * g;
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

// A workgroup moves one chunk of one variable: which variable it is, is the same for all of its invocations.
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let chunk = flat_group(group, groups);
  ${findMember(gradients)}
  let size = params.sizes[member / 4u][member % 4u];
  var j = (chunk - params.chunks[member / 4u][member % 4u]) * ${workgroup * steps}u + local;
  for (var step = 0u; step < ${steps}u; step++) {
    if (chunk < params.count && j < size) {
      move_vector(member, j);
    }
    j += ${workgroup}u;
  }
}
`;
}
