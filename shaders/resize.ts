/**
 * @file Resizing of NHWC images by nearest or bilinear samples, and its adjoint. An invocation computes one channel of
 * one pixel, or four adjacent channels if their number allows it; on software adapters several times as many, since the
 * position in the image takes divisions.
 *
 * Along an axis, output position d samples the input at the exact fraction (d · scale + shift) / unit, so that pixels are
 * selected by integer arithmetic, without rounding errors. The adjoint is gathered: an input pixel sums the outputs that
 * may sample it, weighted by the same arithmetic. No atomics, hence the same bits on every run.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type ResizeOptions = {
  /** WGSL type of an element; bilinear samples are f32. */
  type: 'f32' | 'i32' | 'u32';
  /** Channels per read and write. */
  width: 1 | 4;
  /** Reads or writes of adjacent channels by an invocation: a divisor of `params.channels`. The adjoint has one. */
  perInvocation: number;
  method: 'nearest' | 'bilinear';
  /** From the image to the resized one, or the adjoint. */
  direction: 'forward' | 'adjoint';
};

export const resizeWorkgroup = 256;

const sampling = /* wgsl */ `
struct Axis {
  scale: i32,
  shift: i32,
  unit: i32,
  // Sizes of the input and of the output.
  input: i32,
  output: i32,
}

fn row_axis() -> Axis {
  return Axis(params.row_scale, params.row_shift, params.row_unit, i32(params.x_height), i32(params.y_height));
}

fn column_axis() -> Axis {
  return Axis(
    params.column_scale, params.column_shift, params.column_unit, i32(params.x_width), i32(params.y_width));
}

fn floor_divide(a: i32, b: i32) -> i32 {
  return select(a, a - b + 1, a < 0) / b;
}
`;

const nearest = /* wgsl */ `
fn sample(axis: Axis, position: i32) -> i32 {
  return clamp(floor_divide(position * axis.scale + axis.shift, axis.unit), 0, axis.input - 1);
}

fn weight(axis: Axis, position: i32, pixel: i32) -> f32 {
  return select(0.0, 1.0, sample(axis, position) == pixel);
}
`;

const bilinear = /* wgsl */ `
struct Sample {
  low: i32,
  high: i32,
  // Weight of high. Where it is 0, high is low: a NaN next to the sampled pixel doesn't leak.
  fraction: f32,
}

fn sample(axis: Axis, position: i32) -> Sample {
  let place = position * axis.scale + axis.shift;
  let low = floor_divide(place, axis.unit);
  let rest = place - low * axis.unit;
  if (low < 0) {
    return Sample(0, 0, 0.0);
  }
  if (low >= axis.input - 1 || rest == 0) {
    let last = min(low, axis.input - 1);
    return Sample(last, last, 0.0);
  }
  return Sample(low, low + 1, f32(rest) / f32(axis.unit));
}

fn weight(axis: Axis, position: i32, pixel: i32) -> f32 {
  let at = sample(axis, position);
  return select(0.0, 1.0 - at.fraction, at.low == pixel) + select(0.0, at.fraction, at.high == pixel);
}

fn blend(low: Value, high: Value, fraction: f32) -> Value {
  return select(low + (high - low) * fraction, low, fraction == 0.0);
}
`;

/** Outputs [first, end) that may sample a pixel; the weights of those that don't are 0. */
const reach = (below: number) => /* wgsl */ `
fn reach(axis: Axis, pixel: i32) -> vec2<i32> {
  if (axis.scale == 0) {
    return vec2<i32>(0, axis.output);
  }
  let first = floor_divide((pixel - ${below}) * axis.unit - axis.shift, axis.scale);
  let end = floor_divide((pixel + 1) * axis.unit - axis.shift, axis.scale) + 1;
  return vec2<i32>(
    select(max(first, 0), 0, pixel == 0),
    select(min(end, axis.output), axis.output, pixel == axis.input - 1),
  );
}
`;

export function resize({ type, width, perInvocation, method, direction }: ResizeOptions): string {
  const isNearest = method === 'nearest';
  const stores = Array.from({ length: perInvocation }, (_, s) => {
    const at = (corner: string) => `x[${corner} + ${s}u]`;
    const blended = (row: string) => `blend(${at(`${row}_low`)}, ${at(`${row}_high`)}, across.fraction)`;
    const value = isNearest ? at('start') : `blend(${blended('top')}, ${blended('bottom')}, down.fraction)`;
    return `y[i + ${s}u] = ${value};`;
  });
  return wgsl`
${flatIndex}
alias Value = ${width === 4 ? `vec4<${type}>` : type};
${sampling}
${isNearest ? nearest : bilinear}

fn x_index(image: i32, row: i32, column: i32, channel: u32) -> u32 {
  return u32((image * i32(params.x_height) + row) * i32(params.x_width) + column) * params.channels + channel;
}

fn y_index(image: i32, row: i32, column: i32, channel: u32) -> u32 {
  return u32((image * i32(params.y_height) + row) * i32(params.y_width) + column) * params.channels + channel;
}

#if ${direction === 'adjoint'}
${reach(isNearest ? 0 : 1)}
#endif

@compute @workgroup_size(${resizeWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${resizeWorkgroup}u) * ${perInvocation}u;
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let pixel = i32(i / params.channels);
  let rows = row_axis();
  let columns = column_axis();
#if ${direction === 'forward'}
  let column = pixel % columns.output;
  let row = pixel / columns.output % rows.output;
  let image = pixel / columns.output / rows.output;
#if ${isNearest}
  let start = x_index(image, sample(rows, row), sample(columns, column), channel);
#else
  let down = sample(rows, row);
  let across = sample(columns, column);
  let top_low = x_index(image, down.low, across.low, channel);
  let top_high = x_index(image, down.low, across.high, channel);
  let bottom_low = x_index(image, down.high, across.low, channel);
  let bottom_high = x_index(image, down.high, across.high, channel);
#endif
  ${stores.join('\n  ')}
#else
  let column = pixel % columns.input;
  let row = pixel / columns.input % rows.input;
  let image = pixel / columns.input / rows.input;
  let down = reach(rows, row);
  let across = reach(columns, column);
  var total = Value(0);
  for (var y_row = down.x; y_row < down.y; y_row++) {
    let row_weight = weight(rows, y_row, row);
    if (row_weight == 0.0) {
      continue;
    }
    for (var y_column = across.x; y_column < across.y; y_column++) {
      let column_weight = weight(columns, y_column, column);
      if (column_weight != 0.0) {
        total += dy[y_index(image, y_row, y_column, channel)] * (row_weight * column_weight);
      }
    }
  }
  dx[i] = total;
#endif
}
`;
}
