/**
 * @file The gradient of a convolution's input: rows of C are the pixels of the image, columns are the input channels. A segment
 * is a tap of the kernel, with the filters as steps. With strides, a slice is a class of pixels (../convolution.ts).
 */
import { imageAddress } from './image.ts';

/** Classes of pixels under strides: a slice is group · classes + class. */
const classes = (strides: Strides, [stride_h, stride_w]: readonly [string, string]) =>
  strides !== 1
    ? `
fn group_of(slice: u32) -> u32 {
  return slice / u32(${stride_h} * ${stride_w});
}

/** Remainders of the pixels of a slice. */
fn remainder_of(slice: u32) -> vec2<i32> {
  let class_index = i32(slice) % (${stride_h} * ${stride_w});
  return vec2<i32>(class_index / ${stride_w}, class_index % ${stride_w});
}

/** How far the result's pixel lies from its class's, times the strides. */
fn reach(slice: u32, index: u32) -> vec2<i32> {
  let kernel_row = i32(index / params.kernel_w);
  let kernel_column = i32(index % params.kernel_w);
  return remainder_of(slice) + vec2<i32>(
    params.pad_h - kernel_row * params.dilation_h,
    params.pad_w - kernel_column * params.dilation_w,
  );
}

fn skip_segment(slice: u32, index: u32) -> bool {
  let distance = reach(slice, index);
  return distance.x % ${stride_h} != 0 || distance.y % ${stride_w} != 0;
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let distance = reach(slice, index);
  let row = distance.x / ${stride_h};
  let column = distance.y / ${stride_w};
  return Segment(
    index,
    row,
    column,
    distance_of(row, column),
    (distance.x % ${stride_h} == 0) & (distance.y % ${stride_w} == 0),
  );
}
`
    : `
fn group_of(slice: u32) -> u32 {
  return slice;
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = params.pad_h - i32(index / params.kernel_w) * params.dilation_h;
  let column = params.pad_w - i32(index % params.kernel_w) * params.dilation_w;
  return Segment(index, row, column, distance_of(row, column), true);
}
`;

/** 1, 2, or any others. */
export type Strides = 1 | 2 | 'any';

export function inputGrad(strides: Strides): string {
  const [stride_h, stride_w] =
    strides === 'any'
      ? (['params.stride_h', 'params.stride_w'] as const)
      : ([`${strides}`, `${strides}`] as const);
  return `
struct Segment {
  index: u32,
  row: i32,
  column: i32,
  distance: u32,
  /** Whether the tap reaches the pixels of the slice. */
  reaches: bool,
}

fn distance_of(row: i32, column: i32) -> u32 {
  return u32(row * i32(params.out_w) + column) * params.out_c;
}
${imageAddress}
${classes(strides, [stride_h, stride_w])}
/** Rows and columns of a class of pixels: of the largest, where they differ. */
fn class_size() -> vec2<u32> {
  return vec2<u32>(
    (params.in_h + u32(${stride_h}) - 1u) / u32(${stride_h}),
    (params.in_w + u32(${stride_w}) - 1u) / u32(${stride_w}),
  );
}

fn a_line(slice: u32, line: u32) -> Pixel {
  let size = class_size();
  let row = line / size.y;
  let y = row % size.x;
  let x = line % size.y;
  let first = (row / size.x * params.out_h + y) * params.out_w + x;
  return Pixel(first * params.out_c + group_of(slice) * params.group_out, i32(y), i32(x));
}

fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  var reached = moved(pixel, tap.row, tap.column, tap.distance, params.out_h, params.out_w);
  reached.valid = reached.valid & tap.reaches;
  return reached;
}

fn a_index(address: ImageAddress, k: u32) -> u32 {
  return address.offset + k;
}

fn a_valid(address: ImageAddress, k: u32) -> bool {
  return address.valid;
}

fn b_line(slice: u32, line: u32) -> u32 {
  return line * params.out_c + group_of(slice) * params.group_out;
}

fn b_address(channel: u32, tap: Segment) -> u32 {
  return tap.index * params.group_in * params.out_c + channel;
}

fn b_index(address: u32, k: u32) -> u32 {
  return address + k;
}

fn c_row(slice: u32, row: u32) -> CRow {
  let channel = group_of(slice) * params.group_in;
${
  strides !== 1
    ? `
  let size = class_size();
  let remainder = vec2<u32>(remainder_of(slice));
  let line = row / size.y;
  let y = line % size.x * u32(${stride_h}) + remainder.x;
  let x = row % size.y * u32(${stride_w}) + remainder.y;
  let pixel = (line / size.x * params.in_h + y) * params.in_w + x;
  return CRow(pixel * params.in_c + channel, (y < params.in_h) & (x < params.in_w));`
    : '  return CRow(row * params.in_c + channel, true);'
}
}

fn bias_offset(slice: u32) -> u32 {
  return group_of(slice) * params.group_in;
}
`;
}
