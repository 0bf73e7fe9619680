/**
 * @file The second pass of a matmul whose k axis was split (split-K): adds the partial sums [splits, count] in order, then the
 * bias, then the activation.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { activationFunction, type EpilogueOptions } from './lib/epilogue.ts';

export const sumSplitsWorkgroup = 64;

export type SumSplitsOptions = EpilogueOptions & { type: string };

export function sumSplits({ type, bias, activation }: SumSplitsOptions, store = 'out[at] = value;'): string {
  return wgsl`
${flatIndex}
${activationFunction(activation, type)}
@compute @workgroup_size(${sumSplitsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let at = flat_index(group, groups, local, ${sumSplitsWorkgroup}u);
  if (at >= params.count) {
    return;
  }
  var sum = partial[at];
  for (var split = 1u; split < params.splits; split++) {
    sum += partial[split * params.count + at];
  }
#if ${bias}
  sum += bias_values[at % params.n];
#endif
  let value = activate(sum);
  ${store}
}
`;
}
