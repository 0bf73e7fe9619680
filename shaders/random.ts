/**
 * @file Random tensors: invocation i writes four consecutive elements from the four words of counter i.
 *
 * The counter's last word distinguishes uses of one seed.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import {
  boxMuller,
  type MathFunction,
  mathFunctions,
  multiplyHigh,
  philox,
  truncatedNormal,
  unitInterval,
} from './lib/math.ts';

/** The distribution. Integers are in [low, low + range); a range of 0 stands for 2^32. */
export type Distribution = 'uniform' | 'integers' | 'coin' | 'normal' | 'truncatedNormal';

export type RandomOptions = {
  distribution: Distribution;
  /** WGSL type of the elements. */
  type: string;
};

export const randomWorkgroup = 256;

/** Statements that compute the vector `values` from `words`. */
const draws: Record<Distribution, string> = {
  uniform: `
  let unit = vec4<f32>(
    unit_interval(words.x), unit_interval(words.y), unit_interval(words.z), unit_interval(words.w),
  );
  // The sum may round up to the bound, which isn't included.
  let below = vec4<f32>(params.below);
  let drawn = params.low + unit * params.high;
  let values = select(drawn, below, drawn > below);`,
  integers: `
  let range = params.range;
  let scaled = vec4<u32>(
    multiply_high(words.x, range), multiply_high(words.y, range),
    multiply_high(words.z, range), multiply_high(words.w, range),
  );
  let values = select(scaled, words, range == 0u) + params.offset;`,
  coin: 'let values = words >> vec4<u32>(31u);',
  normal: `
  let values = params.low
    + params.high * vec4<f32>(box_muller(words.x, words.y), box_muller(words.z, words.w));`,
  truncatedNormal: `
  let values = params.low + params.high * vec4<f32>(
    truncated_normal(words.x), truncated_normal(words.y), truncated_normal(words.z), truncated_normal(words.w),
  );`,
};

/** Functions that they call. */
const callees: Record<Distribution, readonly MathFunction[]> = {
  uniform: [unitInterval],
  integers: [multiplyHigh],
  coin: [],
  normal: [boxMuller],
  truncatedNormal: [truncatedNormal],
};

export function random({ distribution, type }: RandomOptions): string {
  const isNormal = distribution === 'normal' || distribution === 'truncatedNormal';
  return wgsl`
${flatIndex}
${mathFunctions('', [philox, ...callees[distribution]])}
@compute @workgroup_size(${randomWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${randomWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let words = philox(vec4<u32>(i, 0u, 0u, 0u), vec2<u32>(params.seed_low, params.seed_high));
  ${draws[distribution]}
#if ${isNormal && type !== 'f32'}
  out[i] = vec4<${type}>(round(values));
#elif ${distribution === 'integers'}
  out[i] = bitcast<vec4<${type}>>(values);
#else
  out[i] = values;
#endif
}
`;
}
