/**
 * @file The second launch of GEMM + col2im, for convolutions whose result has few channels: the GEMM computed what each pixel
 * contributes to results by each tap, columns[pixel, tap, channel]. Here every result sums its contributions. One invocation
 * computes all channels of one pixel, or of several adjacent ones. If the GEMM would sum over a single channel, its products are
 * computed here instead.
 */
import { flatIndex } from './lib/indexing.ts';
import { activationFunction, type EpilogueOptions } from './lib/epilogue.ts';
import { groupOfLine } from './lib/lineGroups.ts';
import { range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type Col2imOptions = EpilogueOptions & {
  /** Channels of the result. */
  channels: number;
  /** Forward, a tap reaches from a pixel of the result to one of the image; for the image's gradient, the other way. */
  direction: 'forward' | 'inputGrad';
  /** Whether a stride is above 1. */
  strided: boolean;
  /** Pixels of an invocation, at most as many as a line has. Above 1 not for the image's gradient with strides. */
  pixels: 1 | 4 | 8;
  /** Whether products of the only channel and the kernel are computed instead of read. */
  multiplies: boolean;
};

export const col2imWorkgroup = 64;

export const col2imParams = {
  /** Pixels of the result, or groups of them. */
  count: 'u32',
  /** Groups of a line. */
  groups: 'u32',
  /** Columns per pixel: those of all taps and channels, with padding. */
  columns_per_pixel: 'u32',
  /** Size of the result. */
  height: 'u32',
  width: 'u32',
  /** Size of the operand of the GEMM. */
  from_h: 'u32',
  from_w: 'u32',
  kernel_h: 'u32',
  kernel_w: 'u32',
  stride_h: 'i32',
  stride_w: 'i32',
  dilation_h: 'i32',
  dilation_w: 'i32',
  pad_h: 'i32',
  pad_w: 'i32',
  /** Step between the taps that contribute: the stride, for an image's gradient with strides and no dilation; otherwise 1. */
  step_h: 'u32',
  step_w: 'u32',
  alpha: 'f32',
} as const;

export function col2im(options: Col2imOptions): string {
  const { channels, direction, strided, pixels, multiplies, bias, activation } = options;
  const overPixels = (text: (pixel: number) => string) => range(pixels).map(text).join('\n');
  const each = (text: (pixel: number, channel: number) => string) =>
    overPixels((p) =>
      range(channels)
        .map((c) => text(p, c))
        .join('\n'),
    );
  const index = `flat_index(group, groups, local, ${col2imWorkgroup}u)`;
  /** What a tap contributes to a channel of a pixel. */
  const term = (p: number, c: number) =>
    multiplies ? `image_value_${p} * weight_${c}` : `columns[first_${p} + ${c}u]`;
  const stride = direction === 'forward' ? 'u32(params.stride_w)' : '1u';
  return wgsl`
${flatIndex}
${activationFunction(activation)}
/** The coordinate that a tap leads to; an out-of-range number if it leads outside. */
fn reach(coordinate: i32, tap: u32, stride: i32, dilation: i32, pad: i32) -> u32 {
#if ${direction === 'forward'}
  // A negative coordinate is a large number if unsigned.
  return u32(coordinate * stride + i32(tap) * dilation - pad);
#elif ${strided}
  let distance = coordinate + pad - i32(tap) * dilation;
  let place = distance / stride;
  return select(0xffffffffu, u32(place), (distance >= 0) & (place * stride == distance));
#else
  return u32(coordinate + pad - i32(tap) * dilation);
#endif
}

fn first_tap(coordinate: i32, step: u32, pad: i32) -> u32 {
#if ${strided && direction === 'inputGrad'}
  return u32(coordinate + pad) % step;
#else
  return 0u;
#endif
}

@compute @workgroup_size(${col2imWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${pixels === 1}
  let i = ${index};
  if (i >= params.count) {
    return;
  }
  let column = i32(i % params.width);
  let line = i / params.width;
#else
  ${groupOfLine(index, 'from_column', 'params.width', pixels)}
  if (unit >= params.count) {
    return;
  }
  let column = i32(from_column);
  let i = line * params.width + from_column;
#endif
  let row = i32(line % params.height);
  let image = line / params.height * params.from_h;
${each((p, c) => `  var sum_${p}_${c} = 0.0;`)}
  for (var ky = first_tap(row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(row, ky, params.stride_h, params.dilation_h, params.pad_h);
    let line_of_columns = (image + y) * params.from_w;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x_0 = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let tap = (ky * params.kernel_w + kx) * ${channels}u;
#if ${multiplies}
${range(channels)
  .map((c) => `      let weight_${c} = weights[tap + ${c}u];`)
  .join('\n')}
#endif
      // No branches: on a CPU adapter they cost more than an unused read.
${overPixels(
  (
    p,
  ) => `${p > 0 ? `      let x_${p} = x_0 + ${p}u * ${stride};\n` : ''}      let valid_${p} = (y < params.from_h) & (x_${p} < params.from_w);
      ${
        multiplies
          ? `let image_value_${p} = columns[line_of_columns + x_${p}];`
          : `let first_${p} = (line_of_columns + x_${p}) * params.columns_per_pixel + tap;`
      }`,
)}
${each((p, c) => `      sum_${p}_${c} += select(0.0, ${term(p, c)}, valid_${p});`)}
    }
  }
${each(
  (p, c) =>
    `  result[(i + ${p}u) * ${channels}u + ${c}u] = activate(sum_${p}_${c}${bias ? ` + bias_values[${c}]` : ''});`,
)}
}
`;
}
