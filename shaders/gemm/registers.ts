/**
 * @file The engine in registers: an invocation computes a block of C, blockM × blockN, directly from storage. For CPU
 * adapters, where workgroup memory is as slow as storage and a barrier costs a switch of all invocations, and for matrices
 * too small to fill a tile.
 *
 * In the generated code, `a_line_<i>` is the state of a row of A (or of four, if they are read as one vector),
 * `a_address_<i>` that within a segment, and `a_<i>` or `a_<i>_<s>` its elements: four k steps as one vector, or step s.
 * B has the same for its columns. `sum_<i>_<j>` holds four adjacent columns, vector j, of row i of C.
 *
 * With `subgroupQuads`, the four invocations of a quad compute adjacent vectors of the same rows; each reads a quarter of
 * their elements of A and broadcasts it.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { blockInC, declarations, forEachSegment } from './block.ts';
import { Operand } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/**
 * From this many rows, a block is written in a loop, not by a copy of the code for each row: compilers of software adapters
 * take time for every line. On SwiftShader, 12 × 8 compiles in 209 ms instead of 355, and runs as fast.
 */
const longBlock = 8;

/** The block of an invocation. */
export interface Block {
  readonly type: string;
  readonly subgroupQuads: boolean;
  /** Indices of its rows, and of its vectors of four columns. */
  readonly rows: readonly number[];
  readonly vectors: readonly number[];
  /** k steps of an iteration: 4, or 1. */
  readonly steps: readonly number[];
  /** WGSL of the k step from which elements read as zero; null if all steps of every iteration exist. */
  readonly kEnd: string | null;
  readonly a: Operand;
  readonly b: Operand;
  /** Line states of A and of B that an invocation holds. */
  readonly aLines: number;
  readonly bLines: number;
  /** Whether each of a quad's invocations holds every fourth row of A; otherwise each reads every fourth k step of all rows. */
  readonly sharesRows: boolean;
}

export function registers(options: GemmOptions, problem: Problem): string {
  const { groupM, groupN, blockM, blockN } = options.tile;
  const block = blockOf(options, problem);
  const invocations = groupM * groupN;
  const { b, subgroupQuads } = block;
  return wgsl`
// C[slice] = A[slice] · B[slice], of m × k and k × n: an invocation computes ${blockM} × ${blockN} elements of C.
${declarations(options, problem, !subgroupQuads && b.linesPerState === 1)}
@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${subgroupQuads}
  let lane = local % 4u;
  let block = flat_index(group, groups, local, ${invocations}u) / 4u;
#else
  let block = flat_index(group, groups, local, ${invocations}u);
#endif
  ${blockInC(blockM, subgroupQuads ? 4 * blockN : blockN, problem.segments !== 'one')}
  let first_row = row_block * ${blockM}u;
  let first_column = column_block * ${subgroupQuads ? `${4 * blockN}u + lane * 4u` : `${blockN}u`};

  // Lines beyond the last one are computed as the last one, and not written.
  ${rowsOfA(block)}
  ${columnsOfB(block)}

  ${zeroSums(block)}

  ${forEachSegment(problem, sumOfSteps(block))}

  ${blockM >= longBlock ? writeInLoop(block) : writeRowByRow(block)}
}
`;
}

/** Adds the products of the steps of a segment. */
function sumOfSteps(block: Block): string {
  const { a, b, aLines, bLines, steps, subgroupQuads } = block;
  return `${addresses(a, aLines)}
    ${addresses(b, bLines)}

    for (var k = first_step; k < last_step; k += ${steps.length}u) {
      ${subgroupQuads ? readAInQuads(block) : read(block, a, aLines)}
      ${read(block, b, bLines)}
      ${steps.length === 4 ? multiplyFourSteps(block) : multiplyOneStep(block)}
    }`;
}

export function blockOf({ tile, type, a: layoutA, b: layoutB }: GemmOptions, problem: Problem): Block {
  const { blockM, blockN, depth, subgroupQuads } = tile;
  const a = new Operand('a', layoutA, problem.a.guarded, type);
  const b = new Operand('b', layoutB, problem.b.guarded, type);
  const sharesRows = subgroupQuads && layoutA.major === 'k';
  // With vectors along k, k is a multiple of 4; otherwise elements beyond its end read as zero.
  const endsInFours = [layoutA, layoutB].some(({ major, width }) => major === 'k' && width === 4);
  return {
    type,
    subgroupQuads,
    rows: range(blockM),
    vectors: range(blockN / 4),
    steps: range(depth === 4 ? 4 : 1),
    kEnd: depth === 4 && !endsInFours ? 'last_step' : null,
    a,
    b,
    aLines: blockM / (sharesRows ? 4 : a.linesPerState),
    bLines: blockN / b.linesPerState,
    sharesRows,
  };
}

/** The offset of column `c` of the block: the vectors of a quad's invocations are adjacent. */
const columnOffset = ({ subgroupQuads }: Block, c: number) => (subgroupQuads ? 16 * (c >> 2) + (c & 3) : c);

/** WGSL of the first column of vector `j`. */
export const columnOf = (block: Block, j: number) => `first_column + ${columnOffset(block, 4 * j)}u`;

export const rowsOfA = ({ a, aLines, sharesRows }: Block) =>
  repeat(aLines, (i) => {
    const row = sharesRows ? `${4 * i}u + lane` : `${i * a.linesPerState}u`;
    return `let a_line_${i} = a_line(slice, min(first_row + ${row}, params.m - ${a.linesPerState}u));`;
  });

export const columnsOfB = (block: Block) =>
  repeat(block.bLines, (i) => {
    const width = block.b.linesPerState;
    const column = `${columnOffset(block, i * width)}u`;
    return `let b_line_${i} = b_line(slice, min(first_column + ${column}, params.n - ${width}u));`;
  });

export const zeroSums = (block: Block) =>
  each(
    block.vectors,
    (j) => `let bias_${j} = bias_of(slice, ${columnOf(block, j)});
    ${each(block.rows, (i) => `var sum_${i}_${j} = vec4<${block.type}>();`)}`,
  );

export const addresses = ({ name }: Operand, lines: number) =>
  repeat(lines, (i) => `let ${name}_address_${i} = ${name}_address(${name}_line_${i}, segment);`);

/** Returns the condition that the step at `k` exists; empty if it always does. */
const existsAt = ({ kEnd }: Block, k: string) => (kEnd ? `${k} < ${kEnd}` : '');

/** Reads an operand's elements of this iteration. */
export function read(block: Block, operand: Operand, lines: number): string {
  const { name, layout } = operand;
  const { steps, kEnd } = block;
  if (layout.major === 'k' && steps.length === 4)
    return repeat(lines, (i) => `let ${name}_${i} = ${operand.alongK(`${name}_address_${i}`, 'k', kEnd)};`);
  return repeat(lines, (i) =>
    each(steps, (s) => {
      const k = s === 0 ? 'k' : `k + ${s}u`;
      const condition = s === 0 ? '' : existsAt(block, k);
      return `let ${name}_${i}_${s} = ${operand.read(`${name}_address_${i}`, k, condition)};`;
    }),
  );
}

/** Reads this invocation's quarter of A, and gets the other quarters from its quad. */
function readAInQuads(block: Block): string {
  const { a, aLines, sharesRows, kEnd } = block;
  const broadcast = (i: number, nameOf: (lane: number) => string) =>
    repeat(4, (lane) => `let ${nameOf(lane)} = quadBroadcast(a_own_${i}, ${lane}u);`);
  if (sharesRows)
    return repeat(
      aLines,
      (i) => `let a_own_${i} = ${a.alongK(`a_address_${i}`, 'k', kEnd)};
      ${broadcast(i, (lane) => `a_${4 * i + lane}`)}`,
    );
  return repeat(
    aLines,
    (i) => `let a_own_${i} = ${a.read(`a_address_${i}`, 'k + lane', existsAt(block, 'k + lane'))};
    ${broadcast(i, (lane) => `a_${i}_${lane}`)}`,
  );
}

/** The element of a line at step `s`, from what `read` declared. */
export function element({ steps }: Block, { name, layout }: Operand, line: number, s: number): string {
  const { major, width } = layout;
  if (major === 'k' && steps.length === 4) return `${name}_${line}.${components[s]}`;
  if (major === 'k' || width === 1) return `${name}_${line}_${s}`;
  return `${name}_${line >> 2}_${s}.${components[line & 3]}`;
}

/** Vector `j` of B at step `s`. */
export function vectorOfB(block: Block, j: number, s: number): string {
  const { b, type } = block;
  if (b.layout.major === 'mn' && b.layout.width === 4) return `b_${j}_${s}`;
  return `vec4<${type}>(${range(4)
    .map((i) => element(block, b, 4 * j + i, s))
    .join(', ')})`;
}

/** Four steps as products of a 4 × 4 matrix and a vector: sums stay in registers from step to step. */
function multiplyFourSteps(block: Block): string {
  const { a, steps, rows, vectors } = block;
  const stepsOfB = (j: number) => steps.map((s) => vectorOfB(block, j, s)).join(', ');
  const stepsOfA = (i: number) => steps.map((s) => element(block, a, i, s)).join(', ');
  return `${each(vectors, (j) => `let columns_${j} = mat4x4<f32>(${stepsOfB(j)});`)}
  ${each(
    rows,
    (i) => `let row_${i} = vec4<f32>(${stepsOfA(i)});
    ${each(vectors, (j) => `sum_${i}_${j} += columns_${j} * row_${i};`)}`,
  )}`;
}

function multiplyOneStep(block: Block): string {
  const { a, rows, vectors } = block;
  return `${each(vectors, (j) => `let columns_${j} = ${vectorOfB(block, j, 0)};`)}
  ${each(rows, (i) => each(vectors, (j) => `sum_${i}_${j} += ${element(block, a, i, 0)} * columns_${j};`))}`;
}

/** Writes a row of the block, with the sums `sumOf`. */
const writeRow = (block: Block, row: string, sumOf: (j: number) => string) => `
    var row = c_row(slice, first_row + ${row});
    row.offset += split * params.split_stride;
    if (row.valid) {
      ${each(block.vectors, (j) => `write_columns(row, ${columnOf(block, j)}, ${sumOf(j)});`)}
    }`;

function writeInLoop(block: Block): string {
  const { rows, vectors, type } = block;
  const sums = each(rows, (i) => vectors.map((j) => `sum_${i}_${j} + bias_${j},`).join(' '));
  return `var sums = array<vec4<${type}>, ${rows.length * vectors.length}>(
    ${sums}
  );
  let rows = min(${rows.length}u, params.m - min(first_row, params.m));
  for (var i = 0u; i < rows; i++) {
    ${writeRow(block, 'i', (j) => `sums[i * ${vectors.length}u + ${j}u]`)}
  }`;
}

const writeRowByRow = (block: Block) =>
  each(
    block.rows,
    (i) => `if (first_row + ${i}u < params.m) {
    ${writeRow(block, `${i}u`, (j) => `sum_${i}_${j} + bias_${j}`)}
  }`,
  );
