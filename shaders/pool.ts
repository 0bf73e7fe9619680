/**
 * @file Pools over windows of NHWC images, forward and backward. An invocation computes one channel of one position,
 * or four adjacent channels if their number allows it; adjacent invocations have adjacent channels.
 *
 * Gradients are gathered: each input position sums over the windows that cover it. No atomics, hence the same bits on
 * every run. If windows don't overlap, each window writes its own part of the image instead (`cells`).
 *
 * Averages don't count padding, and padding is never the maximum: windows are clipped to the image.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type PoolOptions = {
  /** WGSL type of an element. */
  type: 'f32' | 'i32' | 'u32';
  /** Channels an invocation computes. */
  width: 1 | 4;
  /**
   * The result for each window: the maximum; the mean; the flat pixel of the maximum; the value of another image, `v`, at
   * the pixel of the maximum of `x`.
   */
  kind: 'max' | 'average' | 'position' | 'pick';
};

export type PoolGradientOptions = {
  type: 'f32' | 'i32' | 'u32';
  width: 1 | 4;
  /**
   * `average` distributes each cotangent over its window; `positions` sums the cotangents of windows whose maximum is this
   * pixel. For windows that don't overlap: `averageCells`, and `cells`, which finds the maximum itself.
   */
  kind: 'average' | 'averageCells' | 'positions' | 'cells';
};

export const poolWorkgroup = 256;

/** Returns the WGSL names of a lane's types, and the comparison that decides a maximum. */
function lanes(type: string, width: number): string {
  const of = (scalar: string) => (width === 4 ? `vec4<${scalar}>` : scalar);
  return wgsl`
alias Value = ${of(type)};
alias Position = ${of('u32')};
alias Mask = ${of('bool')};

#if ${type === 'f32'}
// Tests bits, since compilers may assume that NaN does not occur.
fn nan_lanes(x: Value) -> Mask {
  return (bitcast<Position>(x) & Position(0x7fffffffu)) > Position(0x7f800000u);
}

// Whether a later value takes the place of the best so far: the first maximum stays, and the first NaN beats all.
fn takes_over(value: Value, best: Value) -> Mask {
  return !nan_lanes(best) & (nan_lanes(value) | (value > best));
}
#else
fn takes_over(value: Value, best: Value) -> Mask {
  return value > best;
}
#endif
`;
}

const windows = /* wgsl */ `
struct Place {
  image: u32,
  row: u32,
  column: u32,
  channel: u32,
}

fn place_of(i: u32, height: u32, width: u32) -> Place {
  let pixel = i / params.channels;
  let line = pixel / width;
  return Place(line / height, line % height, pixel % width, i % params.channels);
}

// Rows and columns [first, end) of the window (row, column), clipped to the image.
struct Window {
  first: vec2<u32>,
  end: vec2<u32>,
}

fn window_at(row: u32, column: u32) -> Window {
  let start = vec2<i32>(i32(row * params.stride_height), i32(column * params.stride_width)) -
    vec2<i32>(i32(params.pad_top), i32(params.pad_left));
  let end = start + vec2<i32>(i32(params.pool_height), i32(params.pool_width));
  let limit = vec2<i32>(i32(params.x_height), i32(params.x_width));
  return Window(vec2<u32>(max(start, vec2<i32>(0))), vec2<u32>(min(end, limit)));
}

fn x_index(image: u32, pixel: u32, channel: u32) -> u32 {
  return (image * params.x_height * params.x_width + pixel) * params.channels + channel;
}

fn y_index(image: u32, row: u32, column: u32, channel: u32) -> u32 {
  return ((image * params.y_height + row) * params.y_width + column) * params.channels + channel;
}
`;

const findMaximum = /* wgsl */ `
struct Maximum {
  value: Value,
  position: Position,
}

fn find_maximum(image: u32, window: Window, channel: u32) -> Maximum {
  let corner = window.first.x * params.x_width + window.first.y;
  var best = Maximum(x[x_index(image, corner, channel)], Position(corner));
  for (var row = window.first.x; row < window.end.x; row++) {
    for (var column = window.first.y; column < window.end.y; column++) {
      let pixel = row * params.x_width + column;
      let value = x[x_index(image, pixel, channel)];
      let takes = takes_over(value, best.value);
      best.value = select(best.value, value, takes);
      best.position = select(best.position, Position(pixel), takes);
    }
  }
  return best;
}
`;

const entry = /* wgsl */ `
@compute @workgroup_size(${poolWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${poolWorkgroup}u);
  if (i < params.count) {
    compute(i);
  }
}
`;

/** One invocation per output position. */
export function pool({ type, width, kind }: PoolOptions): string {
  return wgsl`
${flatIndex}
${windows}
${lanes(type, width)}
#if ${kind !== 'average'}
${findMaximum}
#endif

#if ${kind === 'pick'}
fn pick(image: u32, position: Position, channel: u32) -> Value {
#if ${width === 4}
  return Value(
    v[x_index(image, position.x, channel)].x,
    v[x_index(image, position.y, channel)].y,
    v[x_index(image, position.z, channel)].z,
    v[x_index(image, position.w, channel)].w,
  );
#else
  return v[x_index(image, position, channel)];
#endif
}
#endif

fn compute(i: u32) {
  let at = place_of(i, params.y_height, params.y_width);
  let window = window_at(at.row, at.column);
#if ${kind === 'average'}
  var total = Value(0);
  for (var row = window.first.x; row < window.end.x; row++) {
    for (var column = window.first.y; column < window.end.y; column++) {
      total += x[x_index(at.image, row * params.x_width + column, at.channel)];
    }
  }
  let sides = window.end - window.first;
  y[i] = total / f32(sides.x * sides.y);
#else
  let best = find_maximum(at.image, window, at.channel);
#if ${kind === 'max'}
  y[i] = best.value;
#elif ${kind === 'position'}
  y[i] = best.position;
#else
  y[i] = pick(at.image, best.position, at.channel);
#endif
#endif
}
${entry}
`;
}

/** One invocation per input position; for cells, one per window, including the pixels up to the next window. */
export function poolGradient({ type, width, kind }: PoolGradientOptions): string {
  const isAverage = kind === 'averageCells';
  return wgsl`
${flatIndex}
${windows}
${lanes(type, width)}
#if ${isAverage || kind === 'cells'}
#if ${!isAverage}
${findMaximum}
#endif

fn compute(i: u32) {
  let at = place_of(i, params.cell_rows, params.cell_columns);
  // The last cells may lie past the last window: their pixels belong to none.
  let in_window = at.row < params.y_height && at.column < params.y_width;
  let window = window_at(at.row, at.column);
  var cotangent = Value(0);
#if ${!isAverage}
  var winner = Position(0xffffffffu);
#endif
  if (in_window) {
    cotangent = dy[y_index(at.image, at.row, at.column, at.channel)];
#if ${isAverage}
    let sides = window.end - window.first;
    cotangent /= f32(sides.x * sides.y);
#else
    winner = find_maximum(at.image, window, at.channel).position;
#endif
  }
  let start = vec2<i32>(i32(at.row * params.stride_height), i32(at.column * params.stride_width)) -
    vec2<i32>(i32(params.pad_top), i32(params.pad_left));
  let end = start + vec2<i32>(i32(params.stride_height), i32(params.stride_width));
  let limit = vec2<i32>(i32(params.x_height), i32(params.x_width));
  let first = vec2<u32>(max(start, vec2<i32>(0)));
  let last = vec2<u32>(min(end, limit));
  for (var row = first.x; row < last.x; row++) {
    for (var column = first.y; column < last.y; column++) {
      let pixel = row * params.x_width + column;
#if ${isAverage}
      let takes = row < window.end.x && column < window.end.y;
#else
      let takes = winner == Position(pixel);
#endif
      dx[x_index(at.image, pixel, at.channel)] = select(Value(0), cotangent, takes);
    }
  }
}
#else
// Windows [first, end) along one axis that cover input position \`at\`.
fn covering(at: u32, before: u32, window: u32, stride: u32, count: u32) -> vec2<u32> {
  let padded = at + before;
  let first = select(0u, (padded - window) / stride + 1u, padded >= window);
  return vec2<u32>(first, min(padded / stride + 1u, count));
}

fn compute(i: u32) {
  let at = place_of(i, params.x_height, params.x_width);
  let rows = covering(at.row, params.pad_top, params.pool_height, params.stride_height, params.y_height);
  let columns = covering(at.column, params.pad_left, params.pool_width, params.stride_width, params.y_width);
  var total = Value(0);
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let window = y_index(at.image, row, column, at.channel);
#if ${kind === 'average'}
      let clipped = window_at(row, column);
      let sides = clipped.end - clipped.first;
      total += dy[window] / f32(sides.x * sides.y);
#else
      let mine = positions[window] == Position(at.row * params.x_width + at.column);
      total += select(Value(0), dy[window], mine);
#endif
    }
  }
  dx[i] = total;
}
#endif
${entry}
`;
}
