/**
 * @file Depthwise convolutions, directly: they are no matmul. Result channel o reads image channel
 * o / multiplier. One invocation computes `width` neighbouring channels of one pixel (or of one tap); neighbours in
 * memory are neighbours in a workgroup.
 *
 * - forward:    out[b, y, x, o]   = Σ taps           image · kernel[tap, o]
 * - inputGrad:  out[b, y, x, c]   = Σ taps, m        dy[…, c · multiplier + m] · kernel[tap, c · multiplier + m]
 * - filterGrad: out[part, tap, o] = Σ rows of a part image · dy, whose parts a second pass adds in order
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type DepthwiseDirection = 'forward' | 'inputGrad' | 'filterGrad';

/** The names of what a direction reads. */
export const depthwiseOperands: Record<DepthwiseDirection, readonly [string, string]> = {
  forward: ['image', 'weights'],
  inputGrad: ['cotangent', 'weights'],
  filterGrad: ['image', 'cotangent'],
};

export type DepthwiseOptions = {
  /** Channels that an invocation computes: 4 where the multiplier is 1 and channels come in fours. */
  width: 1 | 4;
};

export const depthwiseWorkgroup = 64;

export const depthwiseParams = {
  count: 'u32',
  in_h: 'u32',
  in_w: 'u32',
  /** Channels of the image, and of the result, in units of `width`. */
  in_c: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  out_c: 'u32',
  multiplier: 'u32',
  kernel_h: 'u32',
  kernel_w: 'u32',
  stride_h: 'u32',
  stride_w: 'u32',
  dilation_h: 'u32',
  dilation_w: 'u32',
  pad_h: 'u32',
  pad_w: 'u32',
  /** Rows of all images, and how many of them a part of a filter gradient covers. */
  rows: 'u32',
  rows_per_part: 'u32',
} as const;

/** Walks the pixels that tap (ky, kx) brings together with output pixel (y, x). */
const forwardBody = wgsl`
  let o = i % params.out_c;
  let x = (i / params.out_c) % params.out_w;
  let y = (i / (params.out_c * params.out_w)) % params.out_h;
  let b = i / (params.out_c * params.out_w * params.out_h);
  let c = o / params.multiplier;
  var total = Value();
  for (var ky = 0u; ky < params.kernel_h; ky++) {
    // Wraps where the tap lies before the image: then it isn't below in_h either.
    let iy = y * params.stride_h + ky * params.dilation_h - params.pad_h;
    if (iy >= params.in_h) {
      continue;
    }
    for (var kx = 0u; kx < params.kernel_w; kx++) {
      let ix = x * params.stride_w + kx * params.dilation_w - params.pad_w;
      if (ix < params.in_w) {
        let pixel = image[((b * params.in_h + iy) * params.in_w + ix) * params.in_c + c];
        total += pixel * weights[(ky * params.kernel_w + kx) * params.out_c + o];
      }
    }
  }
  out[i] = total;`;

const inputGradBody = wgsl`
  let c = i % params.in_c;
  let x = (i / params.in_c) % params.in_w;
  let y = (i / (params.in_c * params.in_w)) % params.in_h;
  let b = i / (params.in_c * params.in_w * params.in_h);
  var total = Value();
  for (var ky = 0u; ky < params.kernel_h; ky++) {
    let from_y = y + params.pad_h - ky * params.dilation_h;
    let oy = from_y / params.stride_h;
    if (y + params.pad_h < ky * params.dilation_h || from_y % params.stride_h != 0u || oy >= params.out_h) {
      continue;
    }
    for (var kx = 0u; kx < params.kernel_w; kx++) {
      let from_x = x + params.pad_w - kx * params.dilation_w;
      let ox = from_x / params.stride_w;
      if (x + params.pad_w < kx * params.dilation_w || from_x % params.stride_w != 0u || ox >= params.out_w) {
        continue;
      }
      let pixel = ((b * params.out_h + oy) * params.out_w + ox) * params.out_c;
      let tap = (ky * params.kernel_w + kx) * params.out_c;
      for (var m = 0u; m < params.multiplier; m++) {
        let o = c * params.multiplier + m;
        total += cotangent[pixel + o] * weights[tap + o];
      }
    }
  }
  out[i] = total;`;

const filterGradBody = wgsl`
  let o = i % params.out_c;
  let kx = (i / params.out_c) % params.kernel_w;
  let ky = (i / (params.out_c * params.kernel_w)) % params.kernel_h;
  let part = i / (params.out_c * params.kernel_w * params.kernel_h);
  let c = o / params.multiplier;
  var total = Value();
  for (var row = part * params.rows_per_part; row < min((part + 1u) * params.rows_per_part, params.rows); row++) {
    let b = row / params.out_h;
    let iy = (row % params.out_h) * params.stride_h + ky * params.dilation_h - params.pad_h;
    if (iy >= params.in_h) {
      continue;
    }
    for (var ox = 0u; ox < params.out_w; ox++) {
      let ix = ox * params.stride_w + kx * params.dilation_w - params.pad_w;
      if (ix < params.in_w) {
        let pixel = image[((b * params.in_h + iy) * params.in_w + ix) * params.in_c + c];
        total += pixel * cotangent[(row * params.out_w + ox) * params.out_c + o];
      }
    }
  }
  out[i] = total;`;

const bodies: Record<DepthwiseDirection, string> = {
  forward: forwardBody,
  inputGrad: inputGradBody,
  filterGrad: filterGradBody,
};

export const depthwise =
  (direction: DepthwiseDirection) =>
  ({ width }: DepthwiseOptions): string =>
    wgsl`
${flatIndex}
alias Value = ${width === 4 ? 'vec4<f32>' : 'f32'};

@compute @workgroup_size(${depthwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${depthwiseWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  ${bodies[direction].trim()}
}
`;
