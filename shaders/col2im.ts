/**
 * @file The second launch of GEMM + col2im, for convolutions whose result has few channels: the GEMM computed what each pixel
 * contributes to results by each tap, columns[pixel, tap, channel]. Here every result sums its contributions. One invocation
 * computes all channels of one pixel.
 */
import { flatIndex } from './lib/indexing.ts';
import { activationFunction, type EpilogueOptions } from './lib/epilogue.ts';
import { wgsl } from './lib/wgsl.ts';

export type Col2imOptions = EpilogueOptions & {
  /** Channels of the result. */
  channels: number;
  /** Forward, a tap reaches from a pixel of the result to one of the image; for the image's gradient, the other way. */
  direction: 'forward' | 'inputGrad';
  /** Whether a stride is above 1. */
  strided: boolean;
};

export const col2imWorkgroup = 64;

export const col2imParams = {
  /** Pixels of the result. */
  count: 'u32',
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

export function col2im({ channels, direction, strided, bias, activation }: Col2imOptions): string {
  const each = (line: (channel: number) => string) =>
    Array.from({ length: channels }, (_, c) => line(c)).join('\n');
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
  let i = flat_index(group, groups, local, ${col2imWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let column = i32(i % params.width);
  let line = i / params.width;
  let row = i32(line % params.height);
  let image = line / params.height * params.from_h;
${each((c) => `  var sum_${c} = 0.0;`)}
  for (var ky = first_tap(row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(row, ky, params.stride_h, params.dilation_h, params.pad_h);
    let line_of_columns = (image + y) * params.from_w;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let tap = (ky * params.kernel_w + kx) * ${channels}u;
      let first = (line_of_columns + x) * params.columns_per_pixel + tap;
      // No branches: on a CPU adapter they cost more than an unused read.
      let valid = (y < params.from_h) & (x < params.from_w);
${each((c) => `      sum_${c} += select(0.0, columns[first + ${c}u], valid);`)}
    }
  }
${each((c) => `  result[i * ${channels}u + ${c}u] = activate(sum_${c}${bias ? ` + bias_values[${c}]` : ''});`)}
}
`;
}
