/**
 * @file Common code of convolutions that aren't GEMMs: a workgroup computes a rectangle of pixels of the result, from a rectangle of
 * what is read.
 */
import { type BlockSize, blockGridParams } from '../depthwise/axis.ts';
import { activationFunction } from '../lib/epilogue.ts';
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';

export const rectangleParams = {
  /** Workgroups, and the rectangles of an image along each axis. */
  count: 'u32',
  group_rows: 'u32',
  group_columns: 'u32',
  ...blockGridParams,
  alpha: 'f32',
} as const;

export interface RectangleProgram {
  /** Invocations of a workgroup. */
  invocations: number;
  /** Rows and columns of a rectangle of the result, and the distance between those of what is read. */
  size: BlockSize;
  step: BlockSize;
  activation: string;
  declarations: string;
  /** In it, `g` is the flat index of the workgroup, and `local` that of the invocation. */
  body: string;
}

export const rectangleProgram = ({
  invocations,
  size,
  step,
  activation,
  declarations,
  body,
}: RectangleProgram) => wgsl`
${flatIndex}
${activationFunction(activation)}
struct Rectangle {
  picture: u32,
  from_row: i32,
  from_column: i32,
  to_row: u32,
  to_column: u32,
}

fn rectangle_at(i: u32) -> Rectangle {
  let line = i / params.group_columns;
  let row = line % params.group_rows;
  let column = i % params.group_columns;
  return Rectangle(
    line / params.group_rows,
    i32(row * ${step.rows}u) + params.from_row,
    i32(column * ${step.columns}u) + params.from_column,
    row * ${size.rows}u,
    column * ${size.columns}u,
  );
}

${declarations}

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let g = flat_group(group, groups);
  if (g >= params.count) {
    return;
  }
  ${body.trim()}
}
`;
