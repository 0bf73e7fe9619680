/** @file Common code of all forms of the engine, around their loops: the position of a block of C, and writing it. */
import { activationFunction } from '../lib/epilogue.ts';
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import { float16Readers } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/**
 * The instance's own functions, those that read float16, and those that write C. `repeats`: whether columns beyond the last one
 * are computed as that one, and may be written to its place, which takes no branch.
 */
export function declarations(
  { type, a, b, outWidth, bias, activation, split }: GemmOptions,
  problem: Problem,
  repeats = false,
): string {
  return wgsl`
${flatIndex}
struct CRow {
  offset: u32,
  valid: bool,
}

${a.float16 || b.float16 ? float16Readers : ''}
${problem.source}
${activationFunction(split ? 'value' : activation, type)}
fn store(at: u32, value: ${outWidth === 4 ? `vec4<${type}>` : type}) {
  ${problem.store ?? 'c_values[at] = value;'}
}

#if ${outWidth === 1}
fn write_scalar(row: CRow, column: u32, value: ${type}) {
  ${repeats ? '' : 'if (column < params.n)'} {
    store(row.offset + ${repeats ? 'min(column, params.n - 1u)' : 'column'}, activate(value));
  }
}

#endif
// Writes four neighbouring columns of one row.
fn write_columns(row: CRow, column: u32, value: vec4<${type}>) {
#if ${outWidth === 4}
  if (column < params.n) {
    store(
      (row.offset + column) >> 2u,
      vec4(activate(value.x), activate(value.y), activate(value.z), activate(value.w)),
    );
  }
#else
  write_scalar(row, column, value.x);
  write_scalar(row, column + 1u, value.y);
  write_scalar(row, column + 2u, value.z);
  write_scalar(row, column + 3u, value.w);
#endif
}

// The bias of four neighbouring columns.
fn bias_of(slice: u32, column: u32) -> vec4<${type}> {
#if ${bias && !split}
  let first = bias_offset(slice) + min(column, params.n - 1u);
  let last = bias_offset(slice) + params.n - 1u;
  return vec4(
    bias_values[first],
    bias_values[min(first + 1u, last)],
    bias_values[min(first + 2u, last)],
    bias_values[min(first + 3u, last)],
  );
#else
  return vec4<${type}>();
#endif
}
`;
}

/**
 * The position of a block in C, and the k steps it sums, from its flat index. Blocks along n are consecutive, since they
 * share rows of A. With `bySegment`, it sums steps first_step to last_step of segments first_segment to last_segment.
 */
export const blockInC = (rows: number, columns: number, bySegment: boolean) => `
  let column_blocks = (params.n + ${columns - 1}u) / ${columns}u;
  let row_blocks = (params.m + ${rows - 1}u) / ${rows}u;
  let column_block = block % column_blocks;
  let row_block = (block / column_blocks) % row_blocks;
  let z = block / (column_blocks * row_blocks);
  if (z >= params.slices * params.splits) {
    return;
  }
  let slice = z % params.slices;
  let split = z / params.slices;
${
  bySegment
    ? `// Either segments are split, or the steps of a single one.
  let splits_segments = params.segments > 1u;
  let first_segment = select(0u, split * params.segments_per_split, splits_segments);
  let last_segment = min(first_segment + params.segments_per_split, params.segments);
  let first_step = select(split * params.steps_per_split, 0u, splits_segments);
  let last_step = min(first_step + params.steps_per_split, params.length);`
    : `let first_step = split * params.steps_per_split;
  let last_step = min(first_step + params.steps_per_split, params.segments * params.length);`
}`;

/** Iterates over the segments of a block. `sum` is WGSL that adds the steps of `segment`. */
export const forEachSegment = ({ segments }: Problem, sum: string): string =>
  segments === 'one'
    ? `let segment = segment_of(slice, 0u);
  ${sum}`
    : `for (var index = first_segment; index < last_segment; index++) {
    ${segments === 'some' ? 'if (skip_segment(slice, index)) { continue; }' : ''}
    let segment = segment_of(slice, index);
    ${sum}
  }`;
