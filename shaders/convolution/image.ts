/** @file How instances of the engine address the pixels of an image, and the kernel as a matrix. */

/**
 * The position of a pixel, and whether it is in the image or in the padding. The parts that depend only on the pixel or only
 * on the segment are computed once: an address is their sum.
 */
export const imageAddress = `
struct ImageAddress {
  offset: u32,
  valid: bool,
}

/** A pixel of an image before a segment moves it. */
struct Pixel {
  offset: u32,
  row: i32,
  column: i32,
}

fn moved(pixel: Pixel, row: i32, column: i32, distance: u32, height: u32, width: u32) -> ImageAddress {
  // A negative coordinate is a large number if unsigned.
  return ImageAddress(
    pixel.offset + distance,
    (u32(pixel.row + row) < height) & (u32(pixel.column + column) < width),
  );
}
`;

/** B as one matrix per segment: the columns of a group are adjacent, and `k` runs along the rows of the kernel. */
export const columnsOfKernel = `
fn b_line(slice: u32, line: u32) -> u32 {
  return slice * params.group_out + line;
}

fn b_step_size() -> u32 {
  return params.out_c;
}
`;
