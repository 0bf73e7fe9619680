/**
 * @file The result of a convolution: rows of C are its pixels, columns are the filters. A segment is a tap of the kernel, with
 * the input channels as steps; or, `joined`, a row of the kernel with its taps and channels, which are adjacent in the image
 * as in the kernel.
 */
import { columnsOfKernel, imageAddress } from './image.ts';

/** What a window covers of the image, tap by tap. */
const windowByTaps = `
${imageAddress}
/** A tap of the kernel. */
struct Segment {
  index: u32,
  row: i32,
  column: i32,
  distance: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = i32(index / params.kernel_w) * params.dilation_h - params.pad_h;
  let column = i32(index % params.kernel_w) * params.dilation_w - params.pad_w;
  return Segment(index, row, column, u32(row * i32(params.in_w) + column) * params.in_c);
}

fn a_line(slice: u32, line: u32) -> Pixel {
  let row = line / params.out_w;
  let y = i32(row % params.out_h) * params.stride_h;
  let x = i32(line % params.out_w) * params.stride_w;
  let first = (row / params.out_h * params.in_h + u32(y)) * params.in_w + u32(x);
  return Pixel(first * params.in_c + slice * params.group_in, y, x);
}

fn a_address(pixel: Pixel, tap: Segment) -> ImageAddress {
  return moved(pixel, tap.row, tap.column, tap.distance, params.in_h, params.in_w);
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
  distance: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = i32(index) * params.dilation_h - params.pad_h;
  return Segment(index, row, u32(row) * params.in_w * params.in_c);
}

/** Where a window begins: its first row, and how far into a row; before it, in the padding. */
struct Window {
  offset: u32,
  row: i32,
  start: i32,
}

fn a_line(slice: u32, line: u32) -> Window {
  let row = line / params.out_w;
  let y = i32(row % params.out_h) * params.stride_h;
  let start = (i32(line % params.out_w) * params.stride_w - params.pad_w) * i32(params.in_c);
  let first = (row / params.out_h * params.in_h + u32(y)) * params.in_w * params.in_c;
  return Window(first + u32(start) + slice * params.group_in, y, start);
}

/** A row of a window. */
struct WindowRow {
  offset: u32,
  start: i32,
  valid: bool,
}

fn a_address(window: Window, segment: Segment) -> WindowRow {
  return WindowRow(
    window.offset + segment.distance,
    window.start,
    u32(window.row + segment.row) < params.in_h,
  );
}

fn a_index(window: WindowRow, k: u32) -> u32 {
  return window.offset + k;
}

fn a_valid(window: WindowRow, k: u32) -> bool {
  return window.valid & (u32(window.start) + k < params.in_w * params.in_c);
}

fn segment_size() -> u32 {
  return params.kernel_w * params.group_in;
}
`;

export const forward = (joined: boolean) => `
${joined ? windowByRows : windowByTaps}
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
