/**
 * @file Many rows times packed weights. Over `length`: out [rows, channels] = x [rows, length] wᵀ. Over `channels`, the gradient for
 * x: out [rows, length] = x [rows, channels] w. A workgroup of 64 computes 64 × 64 results, 8 × 8 by each invocation, in steps
 * of 32 along the axis that is summed over: both operands are in workgroup memory, weights widened as they are stored.
 *
 * Values of the next step are read before the products of the present one, which hide their latency. Adjacent invocations store
 * adjacent words; over channels they store vectors, whose order in a line differs by its number so that they lie in different banks.
 */
import { each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { isFloat, type PackedOptions, perChunk, scaled, scaleFunctions, vectorsOf } from './unpack.ts';

export type QuantizedGemmOptions = PackedOptions & {
  over: 'length' | 'channels';
  /** Elements of a read of x; 4 only if it divides the axis that is summed over. */
  width: 1 | 4;
  /** Elements of a write; 4 only if it divides the rows of the result. */
  writes: 1 | 4;
  /** Over the length, what shares a scale: a channel, so that sums are scaled; a step; or a vector. */
  grouping: 'channel' | 'step' | 'vector';
};

/** Rows and columns of a workgroup's block, and its number of invocations. */
export const quantizedBlock = 64;
/** The terms of a step. */
const depth = 32;

export function quantizedGemm(options: QuantizedGemmOptions): string {
  const { format, zeros, divided, over, width, writes, grouping } = options;
  const isOverLength = over === 'length';
  const isScaled = !isFloat(format);
  const loads = depth / perChunk[format];
  const quarters = range(depth / 4);
  const chunks = range(loads);
  const vectors = chunks.flatMap((c) => vectorsOf(format, `q_${c}`));
  const xAt = (j: number) =>
    width === 4
      ? `select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * ${depth / 4}u + ${j}u, params.last)], step * ${depth}u + ${4 * j}u < params.terms)`
      : `x_at(row * params.terms, step * ${depth}u + ${4 * j}u)`;
  const load = `${each(quarters, (j) => `a_${j} = ${xAt(j)};`)}
    ${isOverLength ? '' : `let channel = step * ${depth}u + local / 2u;`}
    ${each(chunks, (c) => {
      const chunk = isOverLength ? `step * ${loads}u + ${c}u` : `first_chunk + ${c}u`;
      const exists = isOverLength
        ? `${chunk} < params.chunks`
        : `${chunk} < params.chunks && channel < params.channels`;
      const at = `min(channel, params.channels - 1u) * params.chunks + min(${chunk}, params.chunks - 1u)`;
      return `q_${c} = select(vec4<u32>(), packed[${at}], ${exists});`;
    })}
    ${
      isScaled && grouping === 'step'
        ? `group_index = min(${isOverLength ? `step * ${depth}u` : `first_chunk * ${perChunk[format]}u`} / params.group_size, params.groups - 1u);
    scale = scale_of(min(channel, params.channels - 1u), group_index);${zeros ? '\n    zero = zero_of(min(channel, params.channels - 1u), group_index);' : ''}`
        : ''
    }
    ${
      isScaled && grouping === 'channel' && !isOverLength
        ? 'scale = scale_of(min(channel, params.channels - 1u), 0u);'
        : ''
    }`;
  const start = isOverLength ? `step * ${depth}u` : `first_chunk * ${perChunk[format]}u`;
  const widened = (j: number) => {
    const vector = vectors[j] as string;
    if (!isScaled || (grouping === 'channel' && isOverLength)) return vector;
    if (grouping !== 'vector') return scaled(vector, options, 'scale', 'zero');
    const own = isOverLength ? 'channel' : `(step * ${depth}u + local / 2u)`;
    const [channel, group] = [
      `min(${own}, params.channels - 1u)`,
      `min((${start} + ${4 * j}u) / params.group_size, params.groups - 1u)`,
    ];
    return scaled(
      vector,
      options,
      `scale_of(${channel}, ${group})`,
      zeros ? `zero_of(${channel}, ${group})` : '',
    );
  };
  const store = `${each(quarters, (j) =>
    range(4)
      .map((c) => `left[${(4 * j + c) * 16}u + local / 4u][local % 4u] = a_${j}.${'xyzw'[c]};`)
      .join(' '),
  )}
    ${each(quarters, (j) => {
      if (!isOverLength)
        return `right[line * 16u + 8u * (local % 2u) + (${j}u ^ (line % 8u))] = ${widened(j)};`;
      return `{
      let w = ${widened(j)};
      ${range(4)
        .map((c) => `right[${(4 * j + c) * 16}u + local / 4u][local % 4u] = w.${'xyzw'[c]};`)
        .join(' ')}
    }`;
    })}`;
  const pairs = range(8);
  const product = (k: number) => {
    const column = isOverLength ? 'column' : `(column ^ ${k % 8}u)`;
    return `{
      let a_low = left[k + ${16 * k}u + line_block];
      let a_high = left[k + ${16 * k + 8}u + line_block];
      let b_low = right[k + ${16 * k}u + ${column}];
      let b_high = right[k + ${16 * k + 8}u + ${column}];
      ${pairs
        .map((r) => {
          const a = `${r < 4 ? 'a_low' : 'a_high'}.${'xyzw'[r % 4]}`;
          return `low_${r} += ${a} * b_low; high_${r} += ${a} * b_high;`;
        })
        .join('\n      ')}
    }`;
  };
  const write = (r: number, side: 'low' | 'high') => {
    const row = `rows_from + ${(r < 4 ? 0 : 32) + (r % 4)}u`;
    const columnAt = `columns_from + ${side === 'low' ? 0 : 32}u`;
    const value =
      isScaled && grouping === 'channel' && isOverLength
        ? `${side}_${r} ${divided ? '/' : '*'} ${side}_scale`
        : `${side}_${r}`;
    return `write(${row}, ${columnAt}, ${value});`;
  };
  const columnScale = (side: 'low' | 'high') => {
    const at = (c: number) =>
      `scale_of(min(columns_from + ${(side === 'low' ? 0 : 32) + c}u, params.channels - 1u), 0u)`;
    return `let ${side}_scale = vec4<f32>(${range(4).map(at).join(', ')});`;
  };
  return wgsl`
${isScaled ? scaleFunctions(options) : ''}
var<workgroup> left: array<vec4<f32>, ${depth * 16}>;
var<workgroup> right: array<vec4<f32>, ${depth * 16}>;
#if ${width === 1}
fn x_at(start: u32, i: u32) -> vec4<f32> {
  let at = start + i;
  let value = vec4<f32>(x[min(at, params.last)], x[min(at + 1u, params.last)], x[min(at + 2u, params.last)], x[min(at + 3u, params.last)]);
  return select(vec4<f32>(), value, vec4<u32>(i, i + 1u, i + 2u, i + 3u) < vec4<u32>(params.terms));
}
#endif
fn write(row: u32, column: u32, value: vec4<f32>) {
  if (row >= params.rows || column >= params.columns) {
    return;
  }
#if ${writes === 4}
  out[(row * params.columns + column) / 4u] = value;
#else
  for (var k = 0u; k < min(4u, params.columns - column); k++) {
    out[row * params.columns + column + k] = value[k];
  }
#endif
}

@compute @workgroup_size(${quantizedBlock})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block_row = group.y + 65535u * group.z;
  let row = min(block_row * 64u + local, params.rows - 1u);
#if ${isOverLength}
  let channel = group.x * 64u + local;
#else
  let line = local / 2u;
  let first_chunk = group.x * ${(2 * depth) / perChunk[format]}u + (local % 2u) * ${loads}u;
#endif
  ${each(quarters, (j) => `var a_${j} = vec4<f32>();`)}
  ${each(chunks, (c) => `var q_${c} = vec4<u32>();`)}
#if ${isScaled && grouping !== 'vector' && !(grouping === 'channel' && isOverLength)}
  var scale = 1.0;
#endif
#if ${isScaled && grouping === 'step'}
  var group_index = 0u;
#if ${zeros}
  var zero = 0.0;
#endif
#endif
  ${each(pairs, (r) => `var low_${r} = vec4<f32>(); var high_${r} = vec4<f32>();`)}
  let column = local % 8u;
  let line_block = local / 8u;
  let steps = (params.terms + ${depth - 1}u) / ${depth}u;
  var step = 0u;
  {
    ${load}
  }
  loop {
    if (step >= steps) {
      break;
    }
    ${store}
    workgroupBarrier();
    step++;
    if (step < steps) {
      ${load}
    }
    for (var k = 0u; k < ${depth * 16}u; k += 128u) {
      ${range(8).map(product).join('\n      ')}
    }
    workgroupBarrier();
  }
  let rows_from = block_row * 64u + 4u * line_block;
  let columns_from = group.x * 64u + 4u * column;
#if ${isScaled && grouping === 'channel' && isOverLength}
  ${columnScale('low')}
  ${columnScale('high')}
#endif
  ${each(pairs, (r) => `${write(r, 'low')} ${write(r, 'high')}`)}
}
`;
}
