/**
 * @file Packed weights as float32: out [lines, length] are the channels of the matrix, or those that `indices` name. One invocation
 * writes the weights of four words. Indices beyond the last channel read that one; they are reported elsewhere.
 */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import { isFloat, type PackedOptions, perChunk, scaled, scaleFunctions, vectorsOf } from './unpack.ts';

export type DequantizeOptions = PackedOptions & {
  /** Whether lines are named by indices. */
  indexed: boolean;
  /** Elements of a write; 4 only if it divides the length. */
  width: 1 | 4;
};

export const dequantizeWorkgroup = 64;

export function dequantize(options: DequantizeOptions): string {
  const { format, indexed, width, zeros } = options;
  const write = (vector: string, j: number) => {
    const at = `i + ${4 * j}u`;
    const weights = isFloat(format)
      ? vector
      : scaled(
          vector,
          options,
          `scale_of(channel, (${at}) / params.group_size)`,
          zeros ? `zero_of(channel, (${at}) / params.group_size)` : '',
        );
    // As by `gather`, a row outside reads as zeros.
    const value = indexed ? `select(vec4<f32>(), ${weights}, index < params.channels)` : weights;
    return width === 4
      ? `if (${at} < params.length) {
    out[(line * params.length + ${at}) / 4u] = ${value};
  }`
      : `if (${at} < params.length) {
    let value = ${value};
    for (var k = 0u; k < min(4u, params.length - (${at})); k++) {
      out[line * params.length + ${at} + k] = value[k];
    }
  }`;
  };
  return wgsl`
${flatIndex}
${scaleFunctions(options)}
@compute @workgroup_size(${dequantizeWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, ${dequantizeWorkgroup}u);
  if (unit >= params.count) {
    return;
  }
  let line = unit / params.chunks;
  let chunk = unit % params.chunks;
#if ${indexed}
  let index = bitcast<u32>(indices[line]);
  let channel = min(index, params.channels - 1u);
#else
  let channel = line;
#endif
  let i = chunk * ${perChunk[format]}u;
  let q = packed[channel * params.chunks + chunk];
  ${vectorsOf(format, 'q').map(write).join('\n  ')}
}
`;
}
