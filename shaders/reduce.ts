/**
 * @file Reductions over one merged axis of x seen as [outer, n, inner], to [outer, inner].
 *
 * `serial` gives each output to one invocation, neighbouring invocations reading neighbouring inner elements;
 * `cooperative` gives each output to a workgroup that folds its partial results in shared memory, for long axes.
 * Both add in a fixed order: same input, same bits.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';

export type ReduceOptions = {
  /** WGSL type of the input and of the result. */
  type: string;
  result: string;
  /** Neutral element, as WGSL. */
  initial: string;
  /** Expression of `accumulator` and `value`. */
  combine: string;
  /** Expression of an input element `value`, applied before it is combined. */
  prepare: string;
  /** Expression of the folded `accumulator`; may use `params.scale`. */
  finish: string;
  /** WGSL type of the accumulator. */
  accumulator: string;
  strategy: 'serial' | 'cooperative';
};

export const reduceWorkgroup = 256;

export function reduce(options: ReduceOptions): string {
  const { type, result, initial, combine, prepare, finish, accumulator, strategy } = options;
  return wgsl`
${flatIndex}
${mathFunctions(`${prepare} ${combine} ${finish}`)}
fn prepare(value: ${type}) -> ${accumulator} {
  return ${prepare};
}

fn combine(accumulator: ${accumulator}, value: ${accumulator}) -> ${accumulator} {
  return ${combine};
}

fn finish(accumulator: ${accumulator}) -> ${result} {
  return ${finish};
}

#if ${strategy === 'cooperative'}
var<workgroup> partial: array<${accumulator}, ${reduceWorkgroup}>;
#endif

@compute @workgroup_size(${reduceWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${strategy === 'serial'}
  let i = flat_index(group, groups, local, ${reduceWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let base = (i / params.inner) * params.n * params.inner + i % params.inner;
  var accumulator = ${accumulator}(${initial});
  for (var k = 0u; k < params.n; k++) {
    accumulator = combine(accumulator, prepare(x[base + k * params.inner]));
  }
  out[i] = finish(accumulator);
#else
  let i = flat_group(group, groups);
  if (i >= params.count) {
    return;
  }
  let base = (i / params.inner) * params.n * params.inner + i % params.inner;
  var accumulator = ${accumulator}(${initial});
  for (var k = local; k < params.n; k += ${reduceWorkgroup}u) {
    accumulator = combine(accumulator, prepare(x[base + k * params.inner]));
  }
  partial[local] = accumulator;
  workgroupBarrier();
  for (var width = ${reduceWorkgroup / 2}u; width > 0u; width >>= 1u) {
    if (local < width) {
      partial[local] = combine(partial[local], partial[local + width]);
    }
    workgroupBarrier();
  }
  if (local == 0u) {
    out[i] = finish(partial[0]);
  }
#endif
}
`;
}
