/**
 * @file The gradient of a convolution's kernel: rows of C are its taps × input channels, columns the filters. A segment is a
 * row of the result, its steps the columns of that row.
 */
import { columnsOfKernel } from './image.ts';

export const filterGrad = `
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
