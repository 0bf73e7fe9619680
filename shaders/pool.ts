/**
 * @file Pools over windows of NHWC images, forward and backward. An invocation computes one channel of one position,
 * or four adjacent channels if their number allows it; on software adapters several times as many, since the position in the
 * image takes divisions, and loops have costs. Adjacent invocations have adjacent channels.
 *
 * Gradients are gathered: each input position sums over the windows that cover it. No atomics, hence the same bits on
 * every run. If windows don't overlap, each window writes its own part of the image instead (`cells`).
 *
 * Averages don't count padding, and padding is never the maximum: windows are clipped to the image.
 */
import { flatIndex } from './lib/indexing.ts';
import { groupOfLine } from './lib/lineGroups.ts';
import { wgsl } from './lib/wgsl.ts';

export type PoolOptions = {
  /** WGSL type of an element. */
  type: 'f32' | 'i32' | 'u32';
  /** Channels per read and write. */
  width: 1 | 4;
  /** Reads or writes of adjacent channels by an invocation: at most `params.channels`. */
  perInvocation: number;
  /**
   * The result for each window: the maximum; the mean; the flat pixel of the maximum; its flat element in the image, with channels;
   * the value of another image, `v`, at the pixel of the maximum of `x`.
   */
  kind: 'max' | 'average' | 'position' | 'element' | 'pick';
};

export type PoolGradientOptions = {
  type: 'f32' | 'i32' | 'u32';
  width: 1 | 4;
  perInvocation: number;
  /**
   * `average` distributes each cotangent over its window; `positions` sums the cotangents of windows whose maximum is this
   * pixel. For windows that don't overlap: `averageCells`, and `cells`, which finds the maximum itself.
   */
  kind: 'average' | 'averageCells' | 'positions' | 'cells';
};

export const poolWorkgroup = 256;

/** Returns the WGSL names of a lane's types. */
export function lanes(type: string, width: number): string {
  const of = (scalar: string) => (width === 4 ? `vec4<${scalar}>` : scalar);
  return wgsl`
alias Value = ${of(type)};
alias Position = ${of('u32')};
alias Mask = ${of('bool')};
`;
}

/** Returns the comparison that decides where a maximum is. */
export const takesOver = (type: string) => wgsl`
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

/** WGSL that finds a pixel of NHWC images by its position among all pixels. */
export const places = /* wgsl */ `
struct Place {
  image: u32,
  row: u32,
  column: u32,
  channel: u32,
}

fn place_of(pixel: u32, channel: u32, height: u32, width: u32) -> Place {
  let row = pixel / width;
  return Place(row / height, row % height, pixel % width, channel);
}
`;

const windows = /* wgsl */ `
${places}
// Rows and columns [first, end) of the window (row, column), clipped to the image.
struct Window {
  first: vec2<u32>,
  end: vec2<u32>,
}

fn window_at(row: u32, column: u32) -> Window {
  let start = vec2<i32>(i32(row * params.stride_h), i32(column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let end = start + vec2<i32>(i32(params.kernel_h), i32(params.kernel_w));
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

/** WGSL for each step of an invocation: each of its adjacent channels. */
export const eachStep = (perInvocation: number, text: (step: number) => string) =>
  Array.from({ length: perInvocation }, (_, step) => text(step)).join('\n      ');

/** WGSL that finds the pixel, `line`, and the first `channel` of the invocation `i`. */
export const channelsOf = (perInvocation: number) =>
  perInvocation === 1
    ? `let line = i / params.channels;
  let channel = i % params.channels;`
    : groupOfLine('i', 'channel', 'params.channels', perInvocation);

/** WGSL that visits the pixels of `window` in the image `at.image`: `found` is the index of `at.channel` of a pixel. */
const overWindow = (body: string) => /* wgsl */ `
  for (var row = window.first.x; row < window.end.x; row++) {
    for (var column = window.first.y; column < window.end.y; column++) {
      let pixel = row * params.x_width + column;
      let found = x_index(at.image, pixel, at.channel);
      ${body}
    }
  }`;

const firstOfWindow = /* wgsl */ `let corner = window.first.x * params.x_width + window.first.y;
  let first = x_index(at.image, corner, at.channel);`;

/** WGSL that declares `position_<step>`, the pixel of the maximum of each step. */
const findPositions = (perInvocation: number) => wgsl`
  ${firstOfWindow}
  ${eachStep(perInvocation, (step) => `var best_${step} = x[first + ${step}u];`)}
  ${eachStep(perInvocation, (step) => `var position_${step} = Position(corner);`)}
  ${overWindow(
    eachStep(
      perInvocation,
      (step) => `let value_${step} = x[found + ${step}u];
      let takes_${step} = takes_over(value_${step}, best_${step});
      best_${step} = select(best_${step}, value_${step}, takes_${step});
      position_${step} = select(position_${step}, Position(pixel), takes_${step});`,
    ),
  )}`;

/**
 * WGSL that declares `best_<step>`, the maximum of each step. NaN is no maximum of comparisons, so the top bit of a word says that
 * there was one: infinity's bits plus 0x7fffff are the largest word without that bit.
 */
const findMaxima = ({ type, perInvocation }: PoolOptions) => wgsl`
  ${firstOfWindow}
  ${eachStep(perInvocation, (step) => `var best_${step} = x[first + ${step}u];`)}
#if ${type === 'f32'}
  ${eachStep(perInvocation, (step) => `var nan_${step} = Position();`)}
#endif
  ${overWindow(
    eachStep(
      perInvocation,
      (step) => `let value_${step} = x[found + ${step}u];
      best_${step} = select(best_${step}, value_${step}, value_${step} > best_${step});
      ${type === 'f32' ? `nan_${step} |= (bitcast<Position>(value_${step}) & Position(0x7fffffffu)) + Position(0x7fffffu);` : ''}`,
    ),
  )}
#if ${type === 'f32'}
  ${eachStep(
    perInvocation,
    (step) =>
      `best_${step} = select(best_${step}, bitcast<Value>(nan_${step} | Position(0x7fc00000u)), nan_${step} >= Position(0x80000000u));`,
  )}
#endif`;

/** The entry point: `compute(i)` for each i below `params.count`. */
export const entry = /* wgsl */ `
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
export function pool(options: PoolOptions): string {
  const { type, width, perInvocation, kind } = options;
  const result = {
    max: (step: number) => `best_${step}`,
    average: (step: number) => `total_${step} / f32(sides.x * sides.y)`,
    position: (step: number) => `position_${step}`,
    element: (step: number) => `element_of(position_${step}, at.channel + ${step}u)`,
    pick: (step: number) => `pick(at.image, position_${step}, at.channel + ${step}u)`,
  }[kind];
  const isPlaced = kind === 'position' || kind === 'element' || kind === 'pick';
  return wgsl`
${flatIndex}
${windows}
${lanes(type, width)}
#if ${isPlaced}
${takesOver(type)}
#endif
#if ${kind === 'element'}
fn element_of(position: Position, channel: u32) -> Position {
#if ${width === 4}
  return position * (params.channels * 4u) + channel * 4u + Position(0u, 1u, 2u, 3u);
#else
  return position * params.channels + channel;
#endif
}
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
  ${channelsOf(perInvocation)}
  let at = place_of(line, channel, params.y_height, params.y_width);
  let window = window_at(at.row, at.column);
#if ${kind === 'average'}
  ${eachStep(perInvocation, (step) => `var total_${step} = Value(0);`)}
  ${overWindow(eachStep(perInvocation, (step) => `total_${step} += x[found + ${step}u];`))}
  let sides = window.end - window.first;
#elif ${isPlaced}
  ${findPositions(perInvocation)}
#else
  ${findMaxima(options)}
#endif
  let out = line * params.channels + channel;
  ${eachStep(perInvocation, (step) => `y[out + ${step}u] = ${result(step)};`)}
}
${entry}
`;
}

/** WGSL that finds the windows that cover a pixel. */
export const covering = /* wgsl */ `
// Windows [first, end) along one axis that cover input position \`at\`.
fn covering(at: u32, before: u32, window: u32, stride: u32, count: u32) -> vec2<u32> {
  let padded = at + before;
  let first = select(0u, (padded - window) / stride + 1u, padded >= window);
  return vec2<u32>(first, min(padded / stride + 1u, count));
}
`;

/** One invocation per input position; for cells, one per window, including the pixels up to the next window. */
export function poolGradient(
  { type, width, perInvocation, kind }: PoolGradientOptions,
  store = 'dx[at] = value;',
): string {
  const isAverage = kind === 'averageCells';
  return wgsl`
${flatIndex}
${windows}
${lanes(type, width)}
#if ${kind === 'cells'}
${takesOver(type)}
#endif
fn store(at: u32, value: Value) {
  ${store}
}

#if ${isAverage || kind === 'cells'}
fn compute(i: u32) {
  ${channelsOf(perInvocation)}
  let at = place_of(line, channel, params.cell_rows, params.cell_columns);
  // The last cells may lie past the last window: their pixels belong to none.
  let in_window = at.row < params.y_height && at.column < params.y_width;
  let window = window_at(at.row, at.column);
  ${eachStep(perInvocation, (step) => `var cotangent_${step} = Value(0);`)}
#if ${!isAverage}
  ${eachStep(perInvocation, (step) => `var winner_${step} = Position(0xffffffffu);`)}
#endif
  if (in_window) {
    let cotangent = y_index(at.image, at.row, at.column, at.channel);
#if ${isAverage}
    let sides = window.end - window.first;
    ${eachStep(perInvocation, (step) => `cotangent_${step} = dy[cotangent + ${step}u] / f32(sides.x * sides.y);`)}
#else
    ${eachStep(perInvocation, (step) => `cotangent_${step} = dy[cotangent + ${step}u];`)}
    ${findPositions(perInvocation)}
    ${eachStep(perInvocation, (step) => `winner_${step} = position_${step};`)}
#endif
  }
  let start = vec2<i32>(i32(at.row * params.stride_h), i32(at.column * params.stride_w)) -
    vec2<i32>(i32(params.pad_h), i32(params.pad_w));
  let end = start + vec2<i32>(i32(params.stride_h), i32(params.stride_w));
  let limit = vec2<i32>(i32(params.x_height), i32(params.x_width));
  let first_pixel = vec2<u32>(max(start, vec2<i32>(0)));
  let last_pixel = vec2<u32>(min(end, limit));
  for (var row = first_pixel.x; row < last_pixel.x; row++) {
    for (var column = first_pixel.y; column < last_pixel.y; column++) {
      let pixel = row * params.x_width + column;
      let target_index = x_index(at.image, pixel, at.channel);
#if ${isAverage}
      let takes = row < window.end.x && column < window.end.y;
      ${eachStep(perInvocation, (step) => `store(target_index + ${step}u, select(Value(0), cotangent_${step}, takes));`)}
#else
      ${eachStep(
        perInvocation,
        (step) =>
          `store(target_index + ${step}u, select(Value(0), cotangent_${step}, winner_${step} == Position(pixel)));`,
      )}
#endif
    }
  }
}
#else
${covering}
fn compute(i: u32) {
  ${channelsOf(perInvocation)}
  let at = place_of(line, channel, params.x_height, params.x_width);
  let rows = covering(at.row, params.pad_h, params.kernel_h, params.stride_h, params.y_height);
  let columns = covering(at.column, params.pad_w, params.kernel_w, params.stride_w, params.y_width);
  ${eachStep(perInvocation, (step) => `var total_${step} = Value(0);`)}
  for (var row = rows.x; row < rows.y; row++) {
    for (var column = columns.x; column < columns.y; column++) {
      let window = y_index(at.image, row, column, at.channel);
#if ${kind === 'average'}
      let clipped = window_at(row, column);
      let sides = clipped.end - clipped.first;
      ${eachStep(perInvocation, (step) => `total_${step} += dy[window + ${step}u] / f32(sides.x * sides.y);`)}
#else
      let mine = Position(at.row * params.x_width + at.column);
      ${eachStep(
        perInvocation,
        (step) =>
          `total_${step} += select(Value(0), dy[window + ${step}u], positions[window + ${step}u] == mine);`,
      )}
#endif
    }
  }
  let out = line * params.channels + channel;
  ${eachStep(perInvocation, (step) => `store(out + ${step}u, total_${step});`)}
}
#endif
${entry}
`;
}
