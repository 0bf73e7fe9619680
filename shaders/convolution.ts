/**
 * @file 2D convolution as an implicit GEMM: three instances of the engine, one a direction. Images are NHWC, kernels
 * HWIO. Nothing is copied out beforehand: where a patch lies in the image is worked out while it is read.
 *
 * | direction   | rows of C              | columns      | segments, and the steps within one |
 * | ----------- | ---------------------- | ------------ | ---------------------------------- |
 * | forward     | pixels of the result   | filters      | kernel taps, input channels; or kernel rows, taps × input channels |
 * | inputGrad   | pixels of the image    | input channels | kernel taps, filters             |
 * | filterGrad  | kernel taps × input channels | filters | rows of the result, its columns   |
 *
 * A slice is a group. With strides, the pixels of an image fall in classes by their remainder: a kernel tap reaches all
 * pixels of a class, or none. The input gradient takes a slice for each class and skips the taps that don't reach it.
 */
import { type GemmOptions, gemm } from './gemm.ts';

export type Direction = 'forward' | 'inputGrad' | 'filterGrad';

export type ConvolutionKernelOptions = GemmOptions & {
  /** Whether a stride is above 1: input gradients have classes of pixels then. */
  strided: boolean;
  /**
   * Forward, without groups and dilation along a row: whether a segment is a row of the kernel. Its taps are neighbours in
   * the image as they are in the kernel, so that few channels fill vectors all the same.
   */
  joined: boolean;
};

/** Geometry, as all directions read it. */
export const convolutionParams = {
  in_h: 'u32',
  in_w: 'u32',
  in_c: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  out_c: 'u32',
  kernel_w: 'u32',
  stride_h: 'i32',
  stride_w: 'i32',
  dilation_h: 'i32',
  dilation_w: 'i32',
  pad_h: 'i32',
  pad_w: 'i32',
  group_in: 'u32',
  group_out: 'u32',
} as const;

/** A tap of the kernel, as a segment. */
const taps = `
struct Segment {
  index: u32,
  row: i32,
  column: i32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(
    index,
    i32(index / params.kernel_w) * params.dilation_h - params.pad_h,
    i32(index % params.kernel_w) * params.dilation_w - params.pad_w,
  );
}
`;

/** A place in an image: what is read from there on is valid, or lies in the padding. */
const address = `
struct ImageAddress {
  offset: u32,
  valid: bool,
}

fn address_in(base: u32, row: i32, column: i32, height: u32, width: u32, channels: u32) -> ImageAddress {
  // A negative coordinate is a large unsigned one.
  return ImageAddress(
    base + u32(row * i32(width) + column) * channels,
    (u32(row) < height) & (u32(column) < width),
  );
}

/** A pixel of an image before a segment moves it, and where its image begins. */
struct Pixel {
  base: u32,
  row: i32,
  column: i32,
}
`;

/** B as one matrix a segment: line after line, `k` along the rows of the kernel. */
const columnsOfKernel = `
fn b_line(slice: u32, line: u32) -> u32 {
  return slice * params.group_out + line;
}
`;

/** What a window covers of the image, tap by tap. */
const windowByTaps = `
${taps}
${address}
fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  return address_in(pixel.base, pixel.row + tap.row, pixel.column + tap.column, params.in_h, params.in_w, params.in_c);
}

fn a_index(address: ImageAddress, k: u32) -> u32 {
  return address.offset + k;
}

fn a_valid(address: ImageAddress, k: u32) -> bool {
  return address.valid;
}

fn segment_size() -> u32 {
  return params.group_in;
}
`;

/** What a window covers of the image, row by row. */
const windowByRows = `
struct Segment {
  index: u32,
  row: i32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(index, i32(index) * params.dilation_h - params.pad_h);
}

struct Pixel {
  base: u32,
  row: i32,
  column: i32,
}

/** A row of the image, and where in it the window begins: before it, in the padding. */
struct WindowRow {
  offset: u32,
  start: i32,
  valid: bool,
}

fn a_address(pixel: Pixel, segment: Segment) -> WindowRow {
  let row = pixel.row + segment.row;
  return WindowRow(
    pixel.base + u32(row) * params.in_w * params.in_c,
    (pixel.column - params.pad_w) * i32(params.in_c),
    u32(row) < params.in_h,
  );
}

fn a_index(window: WindowRow, k: u32) -> u32 {
  return window.offset + u32(window.start) + k;
}

fn a_valid(window: WindowRow, k: u32) -> bool {
  return window.valid & (u32(window.start) + k < params.in_w * params.in_c);
}

fn segment_size() -> u32 {
  return params.kernel_w * params.group_in;
}
`;

const forward = (joined: boolean) => `
${joined ? windowByRows : windowByTaps}
fn a_line(slice: u32, line: u32) -> Pixel {
  let row = line / params.out_w;
  return Pixel(
    row / params.out_h * params.in_h * params.in_w * params.in_c + slice * params.group_in,
    i32(row % params.out_h) * params.stride_h,
    i32(line % params.out_w) * params.stride_w,
  );
}
${columnsOfKernel}
fn b_address(column: u32, segment: Segment) -> u32 {
  return segment.index * segment_size() * params.out_c + column;
}

fn b_index(address: u32, k: u32) -> u32 {
  return address + k * params.out_c;
}

fn c_row(slice: u32, row: u32) -> CRow {
  return CRow(row * params.out_c + slice * params.group_out, true);
}

fn bias_offset(slice: u32) -> u32 {
  return slice * params.group_out;
}
`;

/** Classes of pixels under strides: a slice is group · classes + class. */
const classes = (strided: boolean) =>
  strided
    ? `
fn group_of(slice: u32) -> u32 {
  return slice / u32(params.stride_h * params.stride_w);
}

/** Remainders of the pixels of a slice. */
fn remainder_of(slice: u32) -> vec2<i32> {
  let class_index = i32(slice) % (params.stride_h * params.stride_w);
  return vec2<i32>(class_index / params.stride_w, class_index % params.stride_w);
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
  return distance.x % params.stride_h != 0 || distance.y % params.stride_w != 0;
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let distance = reach(slice, index);
  return Segment(
    index,
    distance.x / params.stride_h,
    distance.y / params.stride_w,
    (distance.x % params.stride_h == 0) & (distance.y % params.stride_w == 0),
  );
}
`
    : `
fn group_of(slice: u32) -> u32 {
  return slice;
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(
    index,
    params.pad_h - i32(index / params.kernel_w) * params.dilation_h,
    params.pad_w - i32(index % params.kernel_w) * params.dilation_w,
    true,
  );
}
`;

const inputGrad = (strided: boolean) => `
struct Segment {
  index: u32,
  row: i32,
  column: i32,
  /** Whether the tap reaches the pixels of the slice. */
  reaches: bool,
}
${address}
${classes(strided)}
/** Rows and columns of a class of pixels: of the largest, where they differ. */
fn class_size() -> vec2<u32> {
  return vec2<u32>(
    (params.in_h + u32(params.stride_h) - 1u) / u32(params.stride_h),
    (params.in_w + u32(params.stride_w) - 1u) / u32(params.stride_w),
  );
}

fn a_line(slice: u32, line: u32) -> Pixel {
  let size = class_size();
  let row = line / size.y;
  return Pixel(
    row / size.x * params.out_h * params.out_w * params.out_c + group_of(slice) * params.group_out,
    i32(row % size.x),
    i32(line % size.y),
  );
}

fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  var place = address_in(pixel.base, pixel.row + tap.row, pixel.column + tap.column, params.out_h, params.out_w, params.out_c);
  place.valid = place.valid & tap.reaches;
  return place;
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
  strided
    ? `
  let size = class_size();
  let remainder = vec2<u32>(remainder_of(slice));
  let line = row / size.y;
  let y = line % size.x * u32(params.stride_h) + remainder.x;
  let x = row % size.y * u32(params.stride_w) + remainder.y;
  let pixel = (line / size.x * params.in_h + y) * params.in_w + x;
  return CRow(pixel * params.in_c + channel, (y < params.in_h) & (x < params.in_w));`
    : '  return CRow(row * params.in_c + channel, true);'
}
}

fn bias_offset(slice: u32) -> u32 {
  return group_of(slice) * params.group_in;
}
`;

const filterGrad = `
/** A row of a result. */
struct Segment {
  index: u32,
  image: u32,
  row: i32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(index, index / params.out_h, i32(index % params.out_h) * params.stride_h);
}

/** A tap and a channel of the kernel. */
struct KernelRow {
  row: i32,
  column: i32,
  channel: u32,
}

fn a_line(slice: u32, line: u32) -> KernelRow {
  let tap = line / params.group_in;
  return KernelRow(
    i32(tap / params.kernel_w) * params.dilation_h - params.pad_h,
    i32(tap % params.kernel_w) * params.dilation_w - params.pad_w,
    slice * params.group_in + line % params.group_in,
  );
}

/** A row of the image, seen from a tap. */
struct ImageRow {
  base: u32,
  column: i32,
  valid: bool,
}

fn a_address(tap: KernelRow, segment: Segment) -> ImageRow {
  let row = segment.row + tap.row;
  return ImageRow(
    (segment.image * params.in_h + u32(row)) * params.in_w * params.in_c + tap.channel,
    tap.column,
    u32(row) < params.in_h,
  );
}

fn a_index(address: ImageRow, k: u32) -> u32 {
  return address.base + u32(address.column + i32(k) * params.stride_w) * params.in_c;
}

fn a_valid(address: ImageRow, k: u32) -> bool {
  return address.valid & (u32(address.column + i32(k) * params.stride_w) < params.in_w);
}
${columnsOfKernel}
fn b_address(column: u32, segment: Segment) -> u32 {
  return segment.index * params.out_w * params.out_c + column;
}

fn b_index(address: u32, k: u32) -> u32 {
  return address + k * params.out_c;
}

fn c_row(slice: u32, row: u32) -> CRow {
  return CRow(row * params.out_c + slice * params.group_out, true);
}

fn bias_offset(slice: u32) -> u32 {
  return slice * params.group_out;
}
`;

export function convolution(direction: Direction): (options: ConvolutionKernelOptions) => string {
  return (options) => {
    const sources = { forward: forward(options.joined), inputGrad: inputGrad(options.strided), filterGrad };
    return gemm(options, {
      source: sources[direction],
      a: { guarded: true },
      b: { guarded: false },
      skips: direction === 'inputGrad' && options.strided,
    });
  };
}
