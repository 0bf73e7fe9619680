/**
 * @file The matrix multiplication engine: C[slice] = epilogue(A[slice] · B[slice]), A of m × k, B of k × n.
 *
 * matMul and the three directions of a convolution are instances of it. They differ in how A and B are read and where
 * C is written, which an instance says in WGSL (`Problem`); tiles, loops and epilogue are here.
 *
 * A *line* is a row of A or a column of B. The k axis is walked as `params.segments` segments of `params.length`
 * steps (a convolution's kernel taps and channels), so that what holds for a whole segment is worked out once for it.
 *
 * Two forms of one algorithm:
 * - `shared`: a workgroup computes a tile of C; it brings tiles of A and B, `depth` steps deep, to workgroup memory,
 *   k-major, transposing 4 × 4 units in registers where the operand lies the other way. For GPUs.
 * - `registers`: an invocation computes a block of C straight from storage, without barriers. For CPU adapters, where
 *   workgroup memory is as slow as storage and a barrier costs a switch, and for matrices of few rows.
 *
 * Sums run in ascending k order; `splits` cut k into fixed ranges that a second pass adds in order. Same input, same bits.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';

/** The shape of the work of a workgroup and of an invocation. */
export type GemmTile = {
  memory: 'shared' | 'registers';
  /** Invocations of a workgroup along m and along n. */
  groupM: number;
  groupN: number;
  /** Rows and columns of C that an invocation computes; columns come in fours. */
  blockM: number;
  blockN: number;
  /** k steps taken at once: in workgroup memory a multiple of 4, in registers 4 or 1. */
  depth: number;
  /** Elements read and written at once, at most. */
  width: 1 | 4;
};

/** How an operand lies in memory. */
export type OperandLayout = {
  /** The axis along which neighbours in memory lie: along k, or across lines. */
  major: 'k' | 'mn';
  /** Elements read at once along that axis: 4 where all lines and offsets are multiples of 4. */
  width: 1 | 4;
};

export type GemmOptions = {
  tile: GemmTile;
  /** WGSL element type. */
  type: string;
  a: OperandLayout;
  b: OperandLayout;
  /** Elements written at once along n. */
  outWidth: 1 | 4;
  /** Whether a row vector is added to C. */
  bias: boolean;
  /** WGSL expression of `value`, applied last; may use `params.alpha`. */
  activation: string;
  /** Whether k is cut in ranges whose partial sums are written one after another; bias and activation wait. */
  split: boolean;
};

/**
 * An instance of the engine, in WGSL. Functions to declare:
 *
 *     struct Segment                                     what holds for a segment
 *     fn segment_of(slice: u32, index: u32) -> Segment
 *     fn a_line(slice: u32, line: u32) -> ALine          what holds for a row of A
 *     fn a_spot(line: ALine, segment: Segment) -> ASpot  … within one segment
 *     fn a_index(spot: ASpot, k: u32) -> u32             index of the element in `a_values`
 *     fn a_valid(spot: ASpot, k: u32) -> bool            where `a.guarded`: false for an element that reads as zero
 *     … the same for `b`
 *     fn c_row(slice: u32, row: u32) -> CRow             { offset: u32, valid: bool } of a row in `c_values`
 *     fn skip_segment(slice: u32, index: u32) -> bool    where `skips`: true where a segment adds nothing
 *     fn bias_offset(slice: u32) -> u32
 */
export interface Problem {
  source: string;
  a: { guarded: boolean };
  b: { guarded: boolean };
  skips: boolean;
}

/** Parameters that every instance has. */
export const gemmParams = {
  m: 'u32',
  n: 'u32',
  segments: 'u32',
  length: 'u32',
  slices: 'u32',
  splits: 'u32',
  segments_per_split: 'u32',
  steps_per_split: 'u32',
  split_stride: 'u32',
  alpha: 'f32',
} as const;

const components = ['x', 'y', 'z', 'w'] as const;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** The WGSL that reads one operand. */
class Operand {
  readonly #zero: string;

  constructor(
    readonly name: 'a' | 'b',
    readonly layout: OperandLayout,
    readonly guarded: boolean,
    readonly type: string,
  ) {
    this.#zero = `${type}()`;
  }

  /** Lines that one line state stands for: four where they are read as one vector. */
  get linesPerState(): number {
    return this.layout.major === 'mn' ? this.layout.width : 1;
  }

  get #vector(): string {
    return `vec4<${this.type}>`;
  }

  /** One element, or four neighbours where the width is 4. */
  read(spot: string, k: string, also = ''): string {
    const { width } = this.layout;
    const index = `${this.name}_index(${spot}, ${k})`;
    const value = `${this.name}_values[${index}${width === 4 ? ' >> 2u' : ''}]`;
    const conditions = [this.guarded ? `${this.name}_valid(${spot}, ${k})` : '', also].filter(Boolean);
    if (conditions.length === 0) return value;
    const zero = width === 4 ? `${this.#vector}()` : this.#zero;
    // `&` rather than `&&`: a short circuit would be a branch for each element read.
    return `select(${zero}, ${value}, ${conditions.map((c) => `(${c})`).join(' & ')})`;
  }

  /** Four neighbours along k of one line; those from `limit` on read as zero, where one is given. */
  alongK(spot: string, k: string, limit: string | null): string {
    if (this.layout.width === 4) return this.read(spot, k, limit ? `${k} < ${limit}` : '');
    const scalars = range(4).map((i) => {
      const at = `${k} + ${i}u`;
      return this.read(spot, at, limit ? `${at} < ${limit}` : '');
    });
    return `${this.#vector}(${scalars.join(', ')})`;
  }
}

const indent = (lines: readonly string[], by: number) => lines.join(`\n${' '.repeat(by)}`);

export function gemm(options: GemmOptions, problem: Problem): string {
  return options.tile.memory === 'shared' ? shared(options, problem) : registers(options, problem);
}

/** Workgroups that cover `slices` products of m × n. */
export function gemmWorkgroups(tile: GemmTile, m: number, n: number, slices: number): number {
  const { memory, groupM, groupN, blockM, blockN } = tile;
  if (memory === 'registers') {
    return Math.ceil((Math.ceil(m / blockM) * Math.ceil(n / blockN) * slices) / (groupM * groupN));
  }
  return Math.ceil(m / (groupM * blockM)) * Math.ceil(n / (groupN * blockN)) * slices;
}

/** What both forms share: the epilogue, and the place of a workgroup's or invocation's block. */
function common({ type, outWidth, bias, activation, split }: GemmOptions, problem: Problem): string {
  return wgsl`
${flatIndex}
${mathFunctions(split ? '' : activation)}
struct CRow {
  offset: u32,
  valid: bool,
}

${problem.source}

fn activate(value: ${type}) -> ${type} {
#if ${split}
  return value;
#else
  return ${activation};
#endif
}

#if ${outWidth === 1}
fn write_scalar(row: CRow, column: u32, value: ${type}) {
  if (column < params.n) {
    c_values[row.offset + column] = activate(value);
  }
}

#endif
/** Four neighbouring columns of one row. */
fn write_columns(row: CRow, column: u32, value: vec4<${type}>) {
#if ${outWidth === 4}
  if (column < params.n) {
    c_values[(row.offset + column) >> 2u] = vec4<${type}>(activate(value.x), activate(value.y), activate(value.z), activate(value.w));
  }
#else
  write_scalar(row, column, value.x);
  write_scalar(row, column + 1u, value.y);
  write_scalar(row, column + 2u, value.z);
  write_scalar(row, column + 3u, value.w);
#endif
}

fn bias_of(slice: u32, column: u32) -> vec4<${type}> {
#if ${bias && !split}
  let first = bias_offset(slice) + min(column, params.n - 1u);
  let last = bias_offset(slice) + params.n - 1u;
  return vec4<${type}>(
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

/** The place of a block in C, from its flat index. Neighbours along n come first: they share rows of A. */
const placement = (rows: number, columns: number) => `
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
  // Either segments are split, or the steps of a single one.
  let splits_segments = params.segments > 1u;
  let first_segment = select(0u, split * params.segments_per_split, splits_segments);
  let last_segment = min(first_segment + params.segments_per_split, params.segments);
  let first_step = select(split * params.steps_per_split, 0u, splits_segments);
  let last_step = min(first_step + params.steps_per_split, params.length);`;

function registers(options: GemmOptions, problem: Problem): string {
  const { tile, type } = options;
  const { groupM, groupN, blockM, blockN } = tile;
  const a = new Operand('a', options.a, problem.a.guarded, type);
  const b = new Operand('b', options.b, problem.b.guarded, type);
  const rows = range(blockM);
  const vectors = range(blockN / 4);

  /** The states of an operand's lines, clamped to the last line: what they compute beyond it is not written. */
  const lines = (operand: Operand, count: number, first: string, limit: string) =>
    range(count / operand.linesPerState).map((i) => {
      const width = operand.linesPerState;
      return `let ${operand.name}_line_${i} = ${operand.name}_line(slice, min(${first} + ${i * width}u, ${limit} - ${width}u));`;
    });
  const spots = (operand: Operand, count: number) =>
    range(count / operand.linesPerState).map(
      (i) => `let ${operand.name}_spot_${i} = ${operand.name}_spot(${operand.name}_line_${i}, segment);`,
    );
  // Vectors along k mean that k ends on a multiple of 4; otherwise what lies beyond its end reads as zero.
  const inFours = tile.depth === 4;
  const endsInFours = [a, b].some(({ layout }) => layout.major === 'k' && layout.width === 4);
  const limit = inFours && !endsInFours ? 'last_step' : null;
  const steps = range(inFours ? 4 : 1);
  /** What is read in one turn of the loop. */
  const reads = (operand: Operand, count: number) =>
    range(count / operand.linesPerState).flatMap((i) => {
      const spot = `${operand.name}_spot_${i}`;
      const value = `${operand.name}_${i}`;
      if (operand.layout.major === 'k' && inFours)
        return [`let ${value} = ${operand.alongK(spot, 'k', limit)};`];
      return steps.map((s) => {
        const at = s === 0 ? 'k' : `k + ${s}u`;
        return `let ${value}_${s} = ${operand.read(spot, at, limit && s > 0 ? `${at} < ${limit}` : '')};`;
      });
    });
  /** The element of a line at step s, from what `reads` declared. */
  const element = (operand: Operand, line: number, s: number) => {
    const { major, width } = operand.layout;
    if (major === 'k' && inFours) return `${operand.name}_${line}.${components[s]}`;
    if (major === 'k' || width === 1) return `${operand.name}_${line}_${s}`;
    return `${operand.name}_${line >> 2}_${s}.${components[line & 3]}`;
  };
  /** Four columns of B at step s. */
  const columns = (j: number, s: number) =>
    b.layout.major === 'mn' && b.layout.width === 4
      ? `b_${j}_${s}`
      : `vec4<${type}>(${range(4)
          .map((i) => element(b, 4 * j + i, s))
          .join(', ')})`;
  /** Four steps as products of a 4 × 4 matrix and a vector: sums stay in registers from step to step. */
  const fourSteps = () => [
    ...vectors.map((j) => `let columns_${j} = mat4x4<f32>(${steps.map((s) => columns(j, s)).join(', ')});`),
    ...rows.flatMap((i) => [
      `let row_${i} = vec4<f32>(${steps.map((s) => element(a, i, s)).join(', ')});`,
      ...vectors.map((j) => `sum_${i}_${j} += columns_${j} * row_${i};`),
    ]),
  ];
  const oneStep = () => [
    ...vectors.map((j) => `let columns_${j} = ${columns(j, 0)};`),
    ...rows.flatMap((i) => vectors.map((j) => `sum_${i}_${j} += ${element(a, i, 0)} * columns_${j};`)),
  ];
  const turn = [...reads(a, blockM), ...reads(b, blockN), ...(inFours ? fourSteps() : oneStep())];
  return wgsl`
// An invocation computes ${blockM} × ${blockN} elements of C.
${common(options, problem)}
@compute @workgroup_size(${groupM * groupN})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_index(group, groups, local, ${groupM * groupN}u);
  ${placement(blockM, blockN)}
  let first_row = row_block * ${blockM}u;
  let first_column = column_block * ${blockN}u;
  ${indent(lines(a, blockM, 'first_row', 'params.m'), 2)}
  ${indent(lines(b, blockN, 'first_column', 'params.n'), 2)}
  ${indent(
    vectors.flatMap((j) => [
      `let bias_${j} = bias_of(slice, first_column + ${4 * j}u);`,
      ...rows.map((i) => `var sum_${i}_${j} = vec4<${type}>();`),
    ]),
    2,
  )}
  for (var index = first_segment; index < last_segment; index++) {
#if ${problem.skips}
    if (skip_segment(slice, index)) {
      continue;
    }
#endif
    let segment = segment_of(slice, index);
    ${indent(spots(a, blockM), 4)}
    ${indent(spots(b, blockN), 4)}
    for (var k = first_step; k < last_step; k += ${steps.length}u) {
      ${indent(turn, 6)}
    }
  }
  ${indent(
    rows.flatMap((i) => [
      `if (first_row + ${i}u < params.m) {`,
      `  var row = c_row(slice, first_row + ${i}u);`,
      '  row.offset += split * params.split_stride;',
      '  if (row.valid) {',
      ...vectors.map((j) => `    write_columns(row, first_column + ${4 * j}u, sum_${i}_${j} + bias_${j});`),
      '  }',
      '}',
    ]),
    2,
  )}
}
`;
}

function shared(_options: GemmOptions, _problem: Problem): string {
  throw new Error('not yet');
}
