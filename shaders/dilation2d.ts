/**
 * @file Grayscale dilation: the maximum of x + weights over each window of NHWC images, channel by channel, or where it is.
 * Windows are clipped to the image. An invocation computes adjacent channels of a window, as in shaders/pool.ts.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';
import { channelsOf, eachStep, entry, lanes, places, takesOver } from './pool.ts';

export type DilationOptions = {
  /** Channels per read and write. */
  width: 1 | 4;
  /** Reads or writes of adjacent channels by an invocation: at most `params.channels`. */
  perInvocation: number;
  /** Whether a dilation is above 1. */
  dilated: boolean;
  /**
   * The result for each window: the maximum; its pixel, row · width + column; its tap, row by row. The first of several maxima
   * counts. For a window without pixels: -infinity, or 0xffffffff.
   */
  kind: 'max' | 'pixel' | 'tap';
};

export function dilation2d({ width, perInvocation, dilated, kind }: DilationOptions): string {
  const each = (text: (step: number) => string) => eachStep(perInvocation, text);
  const isMax = kind === 'max';
  return wgsl`
${flatIndex}
${places}
${lanes('f32', width)}
#if ${!isMax}
${takesOver('f32')}
#endif

// Taps [first, end) of a window along one axis that are in the image. The first tap is at \`start\`.
fn taps_inside(start: i32, taps: i32, dilation: i32, size: i32) -> vec2<i32> {
#if ${dilated}
  let first = select(0, (-1 - start) / dilation + 1, start < 0);
  let end = select(0, (size - 1 - start) / dilation + 1, start < size);
  return vec2<i32>(first, min(taps, end));
#else
  return vec2<i32>(max(0, -start), min(taps, size - start));
#endif
}

fn tap_at(tap: vec2<i32>) -> u32 {
  return u32(tap.x) * params.kernel_w + u32(tap.y);
}

fn pixel_at(start: vec2<i32>, tap: vec2<i32>) -> u32 {
#if ${dilated}
  let at = start + tap * vec2<i32>(i32(params.dilation_h), i32(params.dilation_w));
#else
  let at = start + tap;
#endif
  return u32(at.x * i32(params.x_width) + at.y);
}

fn compute(i: u32) {
  ${channelsOf(perInvocation)}
  let at = place_of(line, channel, params.y_height, params.y_width);
  let start = vec2<i32>(i32(at.row * params.stride_h), i32(at.column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let rows = taps_inside(start.x, i32(params.kernel_h), i32(params.dilation_h), i32(params.x_height));
  let columns = taps_inside(start.y, i32(params.kernel_w), i32(params.dilation_w), i32(params.x_width));
  let image = at.image * params.x_height * params.x_width;
  ${each((step) => `var best_${step} = Value(bitcast<f32>(params.lowest));`)}
#if ${isMax}
  ${each((step) => `var nan_${step} = Position();`)}
#else
  let first = vec2<i32>(rows.x, columns.x);
  let is_empty = (rows.x >= rows.y) | (columns.x >= columns.y);
  let position = select(${kind === 'tap' ? 'tap_at(first)' : 'pixel_at(start, first)'}, 0xffffffffu, is_empty);
  ${each((step) => `var position_${step} = Position(position);`)}
#endif
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let tap = tap_at(vec2<i32>(row, column));
      let pixel = pixel_at(start, vec2<i32>(row, column));
      let found = (image + pixel) * params.channels + channel;
      let weight = tap * params.channels + channel;
      ${each((step) => `let value_${step} = x[found + ${step}u] + weights[weight + ${step}u];`)}
#if ${isMax}
      // As in pools, the top bit of a word says that there was NaN.
      ${each((step) => `best_${step} = select(best_${step}, value_${step}, value_${step} > best_${step});`)}
      ${each((step) => `nan_${step} |= (bitcast<Position>(value_${step}) & Position(0x7fffffffu)) + Position(0x7fffffu);`)}
#else
      ${each((step) => `let takes_${step} = takes_over(value_${step}, best_${step});`)}
      ${each((step) => `best_${step} = select(best_${step}, value_${step}, takes_${step});`)}
      ${each((step) => `position_${step} = select(position_${step}, Position(${kind}), takes_${step});`)}
#endif
    }
  }
  let out = line * params.channels + channel;
#if ${isMax}
  ${each((step) => `let is_nan_${step} = nan_${step} >= Position(0x80000000u);`)}
  ${each(
    (step) =>
      `y[out + ${step}u] = select(best_${step}, bitcast<Value>(nan_${step} | Position(0x7fc00000u)), is_nan_${step});`,
  )}
#else
  ${each((step) => `y[out + ${step}u] = position_${step};`)}
#endif
}
${entry}
`;
}
