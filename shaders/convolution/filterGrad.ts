/**
 * @file The gradient of a convolution's kernel: rows of C are its taps × input channels, columns are the filters. A segment is
 * a row of the result, and its steps are the columns of that row.
 */
import { columnsOfKernel } from './image.ts';

export const filterGrad = `
/** A row of a result. */
struct Segment {
  index: u32,
  row: i32,
  distance: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  let row = i32(index % params.out_h) * params.stride_h;
  return Segment(index, row, (index / params.out_h * params.in_h + u32(row)) * params.in_w * params.in_c);
}

/** A tap and a channel of the kernel. */
struct KernelRow {
  offset: u32,
  row: i32,
  column: i32,
}

fn a_line(slice: u32, line: u32) -> KernelRow {
  let tap = line / params.group_in;
  let row = i32(tap / params.kernel_w) * params.dilation_h - params.pad_h;
  let column = i32(tap % params.kernel_w) * params.dilation_w - params.pad_w;
  let distance = u32(row * i32(params.in_w) + column) * params.in_c;
  return KernelRow(distance + slice * params.group_in + line % params.group_in, row, column);
}

/** A row of the image, seen from a tap. */
struct ImageRow {
  offset: u32,
  column: i32,
  valid: bool,
}

fn a_address(tap: KernelRow, segment: Segment) -> ImageRow {
  return ImageRow(tap.offset + segment.distance, tap.column, u32(segment.row + tap.row) < params.in_h);
}

fn a_step_size() -> u32 {
  return u32(params.stride_w) * params.in_c;
}

fn a_index(address: ImageRow, k: u32) -> u32 {
  return address.offset + k * a_step_size();
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
