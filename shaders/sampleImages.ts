/**
 * @file Samples of NHWC images between pixels. An invocation computes one channel of one sample, or four adjacent channels
 * if their number allows it; on software adapters several times as many, since the position of a sample takes divisions.
 *
 * Samples form rows and columns. The points tell where they lie: at even distances in a box [y1, x1, y2, x2], at the results
 * of a projective map of the sample's column and row, or at a position [y, x] for each.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type SampleImagesOptions = {
  points: 'boxes' | 'maps' | 'positions';
  interpolation: 'nearest' | 'bilinear';
  /** What is outside of an image: `fill`, the nearest pixel, the image repeated, or its mirror image. */
  fillMode: 'constant' | 'nearest' | 'wrap' | 'reflect' | 'mirror';
  /** Whether each entry of the points names its image; otherwise the n-th is for the n-th image. */
  indexed: boolean;
  /** Channels per read and write. */
  width: 1 | 4;
  /** Reads or writes of adjacent channels by an invocation: a divisor of `params.channels`. */
  perInvocation: number;
};

export const sampleImagesWorkgroup = 256;

const sources: Record<SampleImagesOptions['points'], string> = {
  // The last sample is exactly at the end: rounding must not put it outside of the image.
  boxes: /* wgsl */ `
fn along(first: f32, last: f32, i: u32, count: u32, size: u32) -> f32 {
  let begin = first * f32(size - 1u);
  let end = last * f32(size - 1u);
  if (count == 1u) {
    return (begin + end) * 0.5;
  }
  return select(begin + (end - begin) / f32(count - 1u) * f32(i), end, i == count - 1u);
}

fn point_of(item: u32, row: u32, column: u32) -> Point {
  let box = points[item];
  let y = along(box.x, box.z, row, params.rows, params.height);
  let x = along(box.y, box.w, column, params.columns, params.width);
  return Point(y, x, !(is_within(y, params.height) && is_within(x, params.width)));
}
`,
  maps: /* wgsl */ `
fn point_of(item: u32, row: u32, column: u32) -> Point {
  let entry = select(item, 0u, params.maps == 1u);
  let a = points[2u * entry];
  let b = points[2u * entry + 1u];
  let x = f32(column);
  let y = f32(row);
  let scale = b.z * x + b.w * y + 1.0;
  if (scale == 0.0) {
    return Point(0.0, 0.0, true);
  }
  return Point((a.w * x + b.x * y + b.y) / scale, (a.x * x + a.y * y + a.z) / scale, false);
}
`,
  positions: /* wgsl */ `
fn point_of(item: u32, row: u32, column: u32) -> Point {
  let position = points[(item * params.rows + row) * params.columns + column];
  return Point(position.x, position.y, false);
}
`,
};

/** Returns statements that return `position` on an axis of `size` pixels, mapped to one inside: see src/ops/images/fillModes.ts. */
const insides: Record<SampleImagesOptions['fillMode'], string> = {
  constant: 'return position;',
  nearest: 'return position;',
  // From the last pixel to the next first one, the value is that of the edge pixel.
  wrap: /* wgsl */ `
  let shorter = 1.0 / max(1.0, size - 1.0);
  let before = position + (floor(-position * shorter) * size + size);
  let behind = position - floor(position * shorter) * size;
  let wrapped = select(select(position, behind, position > size - 1.0), before, position < 0.0);
  return clamp(wrapped, 0.0, size - 1.0);`,
  // The period is twice the size: the mirror is half a pixel beyond the edge pixel.
  reflect: /* wgsl */ `
  let period = remainder(position + 0.5, 2.0 * size);
  return clamp(min(period, 2.0 * size - period) - 0.5, 0.0, size - 1.0);`,
  mirror: /* wgsl */ `
  let period = remainder(position, max(1.0, 2.0 * (size - 1.0)));
  return min(period, 2.0 * (size - 1.0) - period);`,
};

export function sampleImages(options: SampleImagesOptions): string {
  const { points, interpolation, fillMode, indexed, width, perInvocation } = options;
  const isNearest = interpolation === 'nearest';
  const isConstant = fillMode === 'constant';
  const stores = Array.from({ length: perInvocation }, (_, s) => {
    const at = (corner: string) =>
      isConstant ? `value_at(${corner}, ${s}u)` : `images[${corner}.start + ${s}u]`;
    const mixed = (a: string, b: string, share: string) => `mixed(${a}, ${b}, ${share})`;
    const row = (name: string) => mixed(at(`${name}_left`), at(`${name}_right`), 'x - left');
    const value = isNearest ? at('nearest') : mixed(row('top'), row('bottom'), 'y - top');
    return `out[i + ${s}u] = select(${value}, Value(params.fill), point.is_filled);`;
  });
  return wgsl`
${flatIndex}
alias Value = ${width === 4 ? 'vec4<f32>' : 'f32'};

struct Point {
  y: f32,
  x: f32,
  // Whether the value is params.fill, whatever the image.
  is_filled: bool,
}

struct Pixel {
  start: u32,
#if ${isConstant}
  is_inside: bool,
#endif
}

fn is_within(position: f32, size: u32) -> bool {
  return position >= 0.0 && position <= f32(size - 1u);
}

${sources[points]}

#if ${fillMode === 'reflect' || fillMode === 'mirror'}
fn remainder(x: f32, period: f32) -> f32 {
  return x - period * floor(x / period);
}
#endif

fn inside(position: f32, size: f32) -> f32 {
  ${insides[fillMode]}
}

fn on_axis(position: f32, size: u32) -> u32 {
  return u32(clamp(position, 0.0, f32(size - 1u)));
}

fn pixel(image: u32, y: f32, x: f32, channel: u32) -> Pixel {
  let row = image * params.height + on_axis(y, params.height);
  let start = (row * params.width + on_axis(x, params.width)) * params.channels + channel;
#if ${isConstant}
  return Pixel(start, is_within(y, params.height) && is_within(x, params.width));
#else
  return Pixel(start);
#endif
}

#if ${isConstant}
fn value_at(at: Pixel, offset: u32) -> Value {
  return select(Value(params.fill), images[at.start + offset], at.is_inside);
}
#endif

#if ${isNearest}
// Ties go away from 0.
fn nearest_pixel(position: f32) -> f32 {
  return select(floor(position + 0.5), ceil(position - 0.5), position < 0.0);
}
#else
fn mixed(a: Value, b: Value, share: f32) -> Value {
  return a + (b - a) * share;
}
#endif

@compute @workgroup_size(${sampleImagesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${sampleImagesWorkgroup}u) * ${perInvocation}u;
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let sample = i / params.channels;
  let column = sample % params.columns;
  let row = sample / params.columns % params.rows;
  let item = sample / params.columns / params.rows;
  let point = point_of(item, row, column);
  let image = ${indexed ? 'u32(image_indices[item])' : 'item'};
  let y = inside(point.y, f32(params.height));
  let x = inside(point.x, f32(params.width));
#if ${isNearest}
  let nearest = pixel(image, nearest_pixel(y), nearest_pixel(x), channel);
#else
  let top = floor(y);
  let left = floor(x);
  let top_left = pixel(image, top, left, channel);
  let top_right = pixel(image, top, left + 1.0, channel);
  let bottom_left = pixel(image, top + 1.0, left, channel);
  let bottom_right = pixel(image, top + 1.0, left + 1.0, channel);
#endif
  ${stores.join('\n  ')}
}
`;
}
