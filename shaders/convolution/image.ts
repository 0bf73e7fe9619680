/** @file How instances of the engine address the pixels of an image, and the kernel as a matrix. */

/** Where a pixel lies, and whether it lies in the image or in the padding. */
export const imageAddress = `
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

/** B as one matrix a segment: column after column of a group, `k` along the rows of the kernel. */
export const columnsOfKernel = `
fn b_line(slice: u32, line: u32) -> u32 {
  return slice * params.group_out + line;
}
`;
