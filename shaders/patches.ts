/**
 * @file The sum of overlapping patches, dy [n, patches down, patches across, rows, columns, channels], into images
 * [n, height, width, channels]. Each pixel sums over the patches that cover it, in order: no atomics. An invocation computes one
 * channel of a pixel, or four adjacent ones; on software adapters several of them.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';
import { channelsOf, covering, eachStep, entry, lanes, places } from './pool.ts';

export type PatchSumOptions = {
  /** Channels per read and write. */
  width: 1 | 4;
  /** Reads or writes of adjacent channels by an invocation: at most `params.channels`. */
  perInvocation: number;
  /** Whether pixels of a patch are farther than 1 apart. */
  dilated: boolean;
};

export function patchSum({ width, perInvocation, dilated }: PatchSumOptions): string {
  const extent = (axis: 'h' | 'w') =>
    dilated ? `(params.kernel_${axis} - 1u) * params.dilation_${axis} + 1u` : `params.kernel_${axis}`;
  const each = (text: (step: number) => string) => eachStep(perInvocation, text);
  return wgsl`
${flatIndex}
${places}
${lanes('f32', width)}
${covering}
fn compute(i: u32) {
  ${channelsOf(perInvocation)}
  let at = place_of(line, channel, params.x_height, params.x_width);
  let rows = covering(at.row, 0u, ${extent('h')}, params.stride_h, params.y_height);
  let columns = covering(at.column, 0u, ${extent('w')}, params.stride_w, params.y_width);
  ${each((step) => `var total_${step} = Value(0);`)}
  for (var row = rows.x; row < rows.y; row++) {
    let down = at.row - row * params.stride_h;
#if ${dilated}
    let tap_row = down / params.dilation_h;
    let in_row = tap_row * params.dilation_h == down;
#else
    let tap_row = down;
#endif
    let line_of_patches = (at.image * params.y_height + row) * params.y_width;
    for (var column = columns.x; column < columns.y; column++) {
      let across = at.column - column * params.stride_w;
#if ${dilated}
      let tap_column = across / params.dilation_w;
      let is_tap = in_row & (tap_column * params.dilation_w == across);
#else
      let tap_column = across;
#endif
      let pixel = ((line_of_patches + column) * params.kernel_h + tap_row) * params.kernel_w + tap_column;
      let first = pixel * params.channels + channel;
#if ${dilated}
      ${each((step) => `total_${step} += select(Value(0), dy[first + ${step}u], is_tap);`)}
#else
      ${each((step) => `total_${step} += dy[first + ${step}u];`)}
#endif
    }
  }
  let out = line * params.channels + channel;
  ${each((step) => `dx[out + ${step}u] = total_${step};`)}
}
${entry}
`;
}
